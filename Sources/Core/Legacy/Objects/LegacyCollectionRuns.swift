import RealmModel
import RealmStorage

/// The elements of one large list or subtable. Uses its own reader, so it works after the cursor that
/// returned it has moved on or ended. A run is valid until the next run is requested.
final class LegacyCollectionRuns: CollectionRuns, @unchecked Sendable {
  /// The most elements that are read at once.
  private static let runLimit = 16_384

  private let property: LegacyAssembler.Place
  private let root: Ref
  private let owner: Int
  private let depth: Int
  private let realm: LegacyRealm
  private let request: ObjectRequest
  private let place: (className: String?, property: String?)
  /// The current pass over the elements.
  private var pass: Pass?

  private struct Pass {
    let assembler: LegacyAssembler
    let count: Int
    var elements: LegacyElements
    var next = 0
    let mark: NodeReader.Mark
  }

  /// - Parameter assembler: the assembler of the batch that the collection belongs to.
  init(
    _ property: LegacyAssembler.Place, root: Ref, owner: Int, depth: Int,
    _ assembler: LegacyAssembler
  ) {
    (self.property, self.root, self.owner, self.depth) = (property, root, owner, depth)
    (realm, request, place) = (assembler.realm, assembler.request, assembler.place)
  }

  /// Lists and subtables have no keys.
  func nextKeys() -> ScalarColumn? { nil }

  func next() throws(RealmFileError) -> CollectionColumn? {
    do throws(RealmFileError) {
      if pass == nil { pass = try begin() }
      guard var pass, pass.next < pass.count else {
        pass = nil
        return nil
      }
      let nodes = pass.assembler.nodes
      nodes.release(to: pass.mark)
      pass.assembler.beginBatch()
      let run = try nodes.traversing { () throws(RealmFileError) in try self.run(&pass) }
      self.pass = pass
      return run
    } catch {
      throw error.adding(
        className: place.className, property: place.property, objectKey: Int64(owner))
    }
  }

  private func begin() throws(RealmFileError) -> Pass {
    let assembler = try LegacyAssembler(realm, request)
    assembler.place = place
    var elements = try LegacyElements(property, assembler)
    let count = try elements.open(root)
    return Pass(
      assembler: assembler, count: count, elements: elements, mark: assembler.nodes.mark())
  }

  /// The next elements, as many as a batch can hold.
  private func run(_ pass: inout Pass) throws(RealmFileError) -> CollectionColumn {
    var limit = LegacyCollectionRuns.runLimit
    while true {
      // Decoded leaves were released with the run before.
      var elements = try LegacyElements(property, pass.assembler)
      _ = try elements.open(root)
      let rows = pass.next..<min(pass.next + limit, pass.count)
      try elements.append(rows)
      var room = LegacyAssembler.Room(depth: depth)
      let owners = Array(repeating: owner, count: rows.count)
      if let values = try elements.finish(owners: owners, &room) {
        pass.next = rows.upperBound
        return CollectionColumn(ends: [rows.count], elements: values)
      }
      // The elements contain too many elements of their own: read fewer at once, down to one element,
      // which returns its collections in runs.
      limit = max(1, rows.count / 4)
    }
  }
}
