import RealmModel
import RealmStorage

/// The objects of older versions.
extension SalvageCursor {
  /// The next objects that the version lost.
  func filled(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    let (entries, draft) = try older(part.classPosition)
    guard let first = entries.first, let draft, let filler, let older = source.older else {
      return []
    }
    tally.add(
      filledObjects: draft.batch.keys, from: older.versions[first.version].number,
      lostRef: first.lostRef)
    let drafts = try filler.filled(draft, ofClass: part.classPosition, from: first.version + 1)
    for draft in drafts { tally.add(lossesOf: draft, lostRef: first.lostRef) }
    return drafts.map { finished($0, part) }
  }

  /// The next objects in freed space.
  func freed(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    guard let draft = try older(source.origin(of: part.classPosition)).draft else { return [] }
    tally.add(freed: draft)
    return [placed(draft.batch, part)]
  }

  /// The next of the objects that are left.
  private func older(
    _ origin: Int
  ) throws(RealmFileError) -> (entries: ArraySlice<OlderObjects.Entry>, draft: SalvageDraft?) {
    guard let version = left.first?.version else { return ([], nil) }
    // No batch holds what was read to look for the targets of links.
    base.assembler.beginBatch()
    let draft = try readers[version].objects(left.map(\.key), ofClass: origin)
    let entries = left.prefix(draft?.batch.count ?? left.count)
    left = left.dropFirst(entries.count)
    return (entries, draft)
  }
}
