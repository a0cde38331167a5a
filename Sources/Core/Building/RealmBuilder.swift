package import RealmModel
package import RealmStorage
import Synchronization

/// The sink that builds a new realm, bottom-up and in the order of the objects.
///
/// Workers encode the leaves of batches, and the builder places these leaves in the file in order. Everything
/// that depends on all objects follows at the end: the object keys of links by primary key, backlinks, search
/// indexes and cluster trees.
///
/// Memory: 8 bytes per leaf; 16 bytes per link and the bytes of primary keys; the bytes of a value for each index entry,
/// or one to three if many objects of a piece have the value. Links and entries beyond ``Request/memoryByteCount`` go to
/// unlinked files.
///
/// Objects keep the keys of the source, which must ascend. Objects without keys get the keys that the
/// reference would assign (chapter 3, section 4.2). Embedded objects inside their owners get new keys.
package final class RealmBuilder: ObjectSink {
  package typealias Failure = BuildError

  /// Options of the new realm.
  package struct Request: Sendable {
    /// The file format: one of ``FileFormat/built``.
    package var format = FileFormat.current
    /// The platform whose libraries will look values up, for formats before 24.
    package var platform = WriterPlatform()
    /// The version of the realm; ignored if there is a ``history``.
    package var version = 1
    /// The schema version for SDKs; nil for a realm without one.
    package var schemaVersion: UInt64?
    /// Whether links to missing objects are allowed. A link by primary key then refers to a tombstone, as if
    /// the object were still to be downloaded; a link by object key stays as it is.
    package var allowsMissingTargets = false
    /// Whether links to missing objects are allowed, for an intermediate realm. Links that the source does not
    /// mark as unresolved then refer to a tombstone of their own, which tells them apart from marked ones; see
    /// ``ObjectKey/isExpected``.
    package var separatesMissingTargets = false
    /// Whether embedded objects may have no owner, for an intermediate realm.
    package var allowsUnownedObjects = false
    /// Whether objects of a class may have equal primary keys, for an intermediate realm.
    package var allowsDuplicateKeys = false
    /// The most objects with equal primary keys and missing link targets to report together, in
    /// ``BuildError/others``; at least 1.
    package var errorLimit = 1
    /// The most bytes of links and index entries in memory.
    package var memoryByteCount = MemoryBudget.usualLimit
    /// Number of threads to build indexes with.
    package var jobs = 1
    /// The places of tables that must not move, as in a synced realm; nil for consecutive tables.
    package var tables: KeptTables?
    /// In format 20, the primary keys that share their hash with another, and the object keys of their objects, by position of
    /// the class.
    package var collisions: [Int: [(global: GlobalKey, key: ObjectKey)]] = [:]
    /// The tables to copy from another realm, possibly with new values of some properties, which the source then gives.
    /// Then ``tables`` must have the tables of that realm.
    package var copied: CopiedTables?
    /// The indexes to copy from another realm, for classes that are built.
    package var indexes: KeptIndexes?
    /// Makes the history; nil for the empty history of a local realm.
    package var history: HistoryMaker?

    package init() {}
  }

  /// The result of a build.
  package struct Report: Sendable {
    /// Number of objects of each class, in the order of the tables.
    package var counts: [(objectClass: ObjectClass, objects: Int)] = []
    /// Names of the classes whose objects had keys from the source.
    package var classesWithKeys: Set<Name> = []
    /// Size of the file in bytes.
    package var byteCount = 0
    /// The file format.
    package var format = FileFormat.current
  }

  /// The state, created before the first object. Only the holder of the lock uses it.
  private struct Work: @unchecked Sendable {
    var output: RealmOutput?
    var state: BuildState?
  }

  private let request: Request
  private let work: Mutex<Work>

  /// - Parameter output: empty, and used by nobody else until the builder has finished. The caller publishes it.
  package init(into output: RealmOutput, _ request: Request = Request()) {
    self.request = request
    work = Mutex(Work(output: output))
  }

  package func begin(_ schema: ObjectSchema, classes: [Int]) throws(BuildError) {
    let layout = try BuildLayout(
      schema, classes: classes, request.format, request.platform,
      hasVersion: request.schemaVersion != nil, kept: request.tables,
      copied: request.copied, indexes: request.indexes)
    try work.withLock { (work) throws(BuildError) in
      guard let output = work.output else { return }
      work.output = nil
      let writer = try inBuild(RealmFileWriter(into: output, format: request.format))
      work.state = BuildState(layout, request, writer)
    }
  }

  package func makeEncoder() -> RealmEncoder {
    RealmEncoder(
      work.withLock { $0.state?.layout }, separatesMarks: request.separatesMissingTargets,
      scratchByteCount: MemoryBudget.scratchByteCount(limit: request.memoryByteCount))
  }

  package func accept(
    _ output: EncodedObjects, of part: ObjectPart, isLast: Bool
  ) throws(BuildError) {
    try work.withLock { (work) throws(BuildError) in try work.state?.place(output.piece) }
  }

  package func finish() throws(BuildError) -> Report {
    try work.withLock { (work) throws(BuildError) in
      guard let state = work.state else { return Report() }
      return try state.finish()
    }
  }
}

/// Encodes the batches of parts for a new realm. Used by one thread.
package final class RealmEncoder: ObjectEncoder {
  package typealias Failure = BuildError

  /// A piece larger than `easyByteCount` is handed over if it is the part's turn; a piece larger than
  /// `fullByteCount` waits for the turn.
  private static let (easyByteCount, fullByteCount) = (4 << 20, 32 << 20)

  private let layout: BuildLayout?
  private let separatesMarks: Bool
  private let scratchByteCount: Int
  private var encoder: BatchEncoder?
  private var outlet: PartOutlet<EncodedObjects, BuildError>?

  init(_ layout: BuildLayout?, separatesMarks: Bool, scratchByteCount: Int) {
    (self.layout, self.separatesMarks) = (layout, separatesMarks)
    self.scratchByteCount = scratchByteCount
  }

  package func begin(_ part: ObjectPart, _ outlet: PartOutlet<EncodedObjects, BuildError>) {
    self.outlet = outlet
    encoder = layout.map(makeEncoder)
  }

  private func makeEncoder(_ layout: BuildLayout) -> BatchEncoder {
    BatchEncoder(layout, BuildPiece(), separatesMarks: separatesMarks)
  }

  package func encode(_ batch: ObjectBatch) throws(BuildError) {
    guard let encoder, let layout else { return }
    try encoder.add(batch)
    guard encoder.piece.byteCount > RealmEncoder.easyByteCount, let outlet else { return }
    if !outlet.isTurn {
      guard encoder.piece.byteCount > RealmEncoder.fullByteCount, outlet.wait() else { return }
    }
    encoder.piece.end(layout, scratchByteCount: scratchByteCount)
    try outlet.handOver(EncodedObjects(piece: encoder.piece))
    self.encoder = makeEncoder(layout)
  }

  package func end() throws(BuildError) -> EncodedObjects {
    defer { (encoder, outlet) = (nil, nil) }
    guard let encoder, let layout else { return EncodedObjects(piece: BuildPiece()) }
    encoder.piece.end(layout, scratchByteCount: scratchByteCount)
    return EncodedObjects(piece: encoder.piece)
  }

  package static func weight(of output: EncodedObjects) -> Int { output.piece.byteCount }
}

/// Encoded objects on their way into a new realm.
package struct EncodedObjects: Sendable {
  let piece: BuildPiece
}
