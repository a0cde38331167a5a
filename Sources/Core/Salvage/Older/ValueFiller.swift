import RealmModel
import RealmStorage

/// Replaces the lost values of objects by those of older versions. Used by one thread.
final class ValueFiller {
  private let readers: [OlderReader]
  private let result: SalvageSchema

  /// - Parameter readers: those of the older versions, the newest first.
  init(_ readers: [OlderReader], _ result: SalvageSchema) {
    (self.readers, self.result) = (readers, result)
  }

  /// - Parameters:
  ///   - position: position of the class.
  ///   - first: the first of the older versions to read.
  /// - Returns: the objects, in several drafts if one would have too many elements.
  /// - Throws: errors that are not damage.
  func filled(
    _ draft: SalvageDraft, ofClass position: Int, from first: Int = 0
  ) throws(RealmFileError) -> [SalvageDraft] {
    var draft = draft
    var wanted = draft.lackingRows
    let primaryKey = result.objects.classes[position].primaryKey
    // Without its primary key, the object is unknown.
    if let primaryKey { wanted.subtract(draft.lost[primaryKey]) }
    for version in first..<max(first, readers.count) where !wanted.isEmpty {
      let reader = readers[version]
      guard reader.version.fillsLost else { continue }
      var present: [Int] = []
      for row in wanted.sorted() {
        switch try reader.state(of: draft.batch.keys[row], ofClass: position) {
        case .present: present.append(row)
        case .lost: break
        case .absent: wanted.remove(row)
        }
      }
      guard !present.isEmpty,
        let other = try reader.objects(present.map { draft.batch.keys[$0] }, ofClass: position)
      else { continue }
      let isLarge = other.batch.columns.contains { $0?.hasRuns ?? false }
      guard draft.batch.count == 1 || other.batch.count == present.count && !isLarge else {
        let middle = draft.batch.count / 2
        return try filled(draft.rows(0..<middle), ofClass: position, from: version)
          + filled(draft.rows(middle..<draft.batch.count), ofClass: position, from: version)
      }
      let rows = present.indices.map { i -> Int? in
        let row = present[i]
        if let primaryKey,
          other.lost[primaryKey].contains(i)
            || !ValueFiller.areEqual(draft.batch, row, other.batch, i, primaryKey)
        {
          wanted.remove(row)
          return nil
        }
        return row
      }
      draft.fill(from: other, rows: rows, version: version, except: primaryKey)
      wanted.formIntersection(draft.lackingRows)
    }
    return [draft]
  }

  private static func areEqual(
    _ a: ObjectBatch, _ row: Int, _ b: ObjectBatch, _ otherRow: Int, _ property: Int
  ) -> Bool {
    guard case .scalar(let first)? = a.columns[property],
      case .scalar(let second)? = b.columns[property]
    else { return false }
    return IndexData(MixedValue(first[row])) == IndexData(MixedValue(second[otherRow]))
  }
}
