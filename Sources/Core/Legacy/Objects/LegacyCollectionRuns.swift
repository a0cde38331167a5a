import RealmModel
import RealmStorage
import Synchronization

/// The elements of one large list or subtable. They have a reader of their own, so they stay readable after the cursor
/// that returned them has moved on or ended. A run is valid until the next run is requested.
final class LegacyCollectionRuns: CollectionRuns, @unchecked Sendable {
  /// The most elements that are read at once.
  private static let runLimit = 16_384

  private let property: LegacyProperty
  private let root: Ref
  private let owner: Int
  private let depth: Int
  private let realm: LegacyRealm
  private let request: ObjectRequest
  private let place: (className: String?, property: String?)
  private let ledger: LegacyLedger?
  /// The current pass over the elements.
  private var pass: Pass?
  private let firstPass: FirstPass
  /// Whether ``next()`` proves each run; otherwise the reader of the batch does.
  private let isProven: Bool
  /// The most bytes of nodes that a pass opened.
  private var openedByteCount = 0

  private struct Pass {
    let assembler: LegacyAssembler
    let count: Int
    var next = 0
    /// The nodes that the runs opened so far, each once.
    var opened = OpenedBytes(of: "the elements")
    let mark: NodeReader.Mark
  }

  /// - Parameter assembler: the assembler of the batch that the collection belongs to.
  init(
    _ property: LegacyProperty, root: Ref, owner: Int, depth: Int,
    _ assembler: LegacyAssembler
  ) {
    (self.property, self.root, self.owner, self.depth) = (property, root, owner, depth)
    (realm, place) = (assembler.realm, assembler.place)
    var request = assembler.request
    // Of a damaged realm, a collection is read as a whole or not at all.
    request.damage = .stop
    self.request = request
    (ledger, firstPass, isProven) = (assembler.ledger, FirstPass(), false)
  }

  private init(restarting other: LegacyCollectionRuns) {
    (property, root, owner, depth) = (other.property, other.root, other.owner, other.depth)
    (realm, request, place) = (other.realm, other.request, other.place)
    (ledger, firstPass, isProven) = (other.ledger, other.firstPass, true)
  }

  func restarted() -> any CollectionRuns { LegacyCollectionRuns(restarting: self) }

  /// Lists and subtables have no keys.
  func nextKeys() -> ScalarColumn? { nil }

  func next() throws(RealmFileError) -> CollectionColumn? {
    isProven ? try realm.snapshot.proving(nextRun) : try nextRun()
  }

  private func nextRun() throws(RealmFileError) -> CollectionColumn? {
    do {
      if pass == nil { pass = try begin() }
      guard var pass, pass.next < pass.count else {
        pass = nil
        return nil
      }
      let nodes = pass.assembler.nodes
      nodes.release(to: pass.mark)
      pass.assembler.beginBatch()
      let (run, byteCount) = try nodes.traversing { () throws(RealmFileError) in
        (try self.run(&pass), nodes.openedByteCount)
      }
      try count(byteCount, &pass)
      self.pass = pass
      return run
    } catch {
      throw error.adding(
        className: place.className, property: place.property, objectKey: Int64(owner))
    }
  }

  private func begin() throws(RealmFileError) -> Pass {
    // The ledger counts each node once, in the first pass.
    let assembler = try LegacyAssembler(realm, request, firstPass.begin() ? ledger : nil)
    assembler.place = place
    var elements = try LegacyElements(property, assembler)
    let count = try elements.open(root)
    return Pass(assembler: assembler, count: count, mark: assembler.nodes.mark())
  }

  /// Counts the bytes of nodes that a run opened.
  ///
  /// - Throws: same as ``OpenedBytes/add(_:at:fileSize:)``.
  private func count(_ byteCount: Int, _ pass: inout Pass) throws(RealmFileError) {
    let size = pass.assembler.nodes.logicalSize
    try pass.opened.add(byteCount, at: root, fileSize: size)
    guard pass.opened.count > openedByteCount else { return }
    try ledger?.add(pass.opened.count - openedByteCount, at: root, fileSize: size)
    openedByteCount = pass.opened.count
  }

  /// The next elements, as many as fit into a batch.
  private func run(_ pass: inout Pass) throws(RealmFileError) -> CollectionColumn {
    let nodes = pass.assembler.nodes
    let before = nodes.openedByteCount
    var limit = LegacyCollectionRuns.runLimit
    while true {
      // The decoded leaves were released with the previous run.
      var elements = try LegacyElements(property, pass.assembler)
      _ = try elements.open(root)
      // Every run opens the array of columns.
      nodes.uncount(to: before)
      let rows = pass.next..<min(pass.next + limit, pass.count)
      try elements.append(rows)
      var room = LegacyAssembler.Room(depth: depth)
      let owners = Array(repeating: owner, count: rows.count)
      if let values = try elements.finish(owners: owners, &room) {
        pass.next = rows.upperBound
        return CollectionColumn(ends: [rows.count], elements: values)
      }
      nodes.uncount(to: before)
      guard rows.count > 1 else { throw LegacyAssembler.tableTooLarge(owner: owner) }
      // The elements have too many elements of their own. Read fewer at once, down to one, whose collections
      // then come in runs.
      limit = max(1, rows.count / 4)
    }
  }
}

/// Counts the nodes of a part's large collections, which are read apart from the batches.
final class LegacyLedger: Sendable {
  /// The nodes opened since the last ``take()``.
  private let opened = Mutex(OpenedBytes(of: "the large collections"))

  /// Counts the nodes of a collection.
  ///
  /// - Parameters:
  ///   - byteCount: bytes of nodes that are not counted yet.
  ///   - root: root of the collection.
  ///   - fileSize: logical size of the file in bytes.
  /// - Throws: same as ``OpenedBytes/add(_:at:fileSize:)``.
  func add(_ byteCount: Int, at root: Ref, fileSize: Int) throws(RealmFileError) {
    try opened.withLock { (opened) throws(RealmFileError) in
      try opened.add(byteCount, at: root, fileSize: fileSize)
    }
  }

  /// The bytes counted since the last call.
  func take() -> Int { opened.withLock { $0.take() } }
}
