package import RealmStorage
import Synchronization

/// Builds a new realm of format 24 of objects: bottom-up, as they come.
///
/// Workers encode the leaves of batches; they are placed in the file in order, and what only all objects together
/// tell waits: the keys of objects that links name by primary key, backlinks, search indexes, and the nodes of the
/// cluster trees, which come last. Memory: 8 bytes a leaf, 16 a link and 24 an entry of an index, apart from the
/// bytes of long strings in indexes; links and entries beyond ``Request/memoryByteCount`` go to a file without a
/// name.
///
/// Objects keep the keys that they come with, which must ascend; others get the keys that the reference would give
/// them (chapter 3, section 4.2). Embedded objects that come with their owners get new ones.
public final class RealmBuilder: ObjectSink {
  public typealias Failure = BuildError

  /// What is asked for besides the objects.
  public struct Request: Sendable {
    /// The schema version that SDKs read; nil for a realm that has none.
    public var schemaVersion: UInt64?
    /// Links to objects that do not come are no errors: by primary key they lead to tombstones, as if the objects
    /// were to come later; by object key they stay as they are.
    public var allowsMissingTargets = false
    /// Bytes of links and entries of indexes that are kept in memory.
    public var memoryByteCount = 256 << 20
    /// Threads that build indexes.
    public var jobs = 1

    public init() {}
  }

  /// What was built.
  public struct Report: Sendable {
    /// Objects of each class, in the order of the tables.
    public var counts: [(objectClass: ObjectClass, objects: Int)] = []
    /// Names of the classes whose objects came with keys.
    package var classesWithKeys: Set<Name> = []
    /// Bytes of the file.
    public var byteCount = 0
  }

  /// What is made of the output when the objects begin to come. Used by one thread at a time: who holds the lock.
  private struct Work: @unchecked Sendable {
    var output: RealmOutput?
    var state: BuildState?
  }

  private let request: Request
  private let work: Mutex<Work>

  /// - Parameter output: nothing was appended to it, and nobody else uses it until the builder has finished;
  ///   publishing it is the caller's.
  package init(into output: RealmOutput, _ request: Request = Request()) {
    self.request = request
    work = Mutex(Work(output: output))
  }

  public func begin(_ schema: ObjectSchema, classes: [Int]) throws(BuildError) {
    let layout = try BuildLayout(schema, classes: classes, hasVersion: request.schemaVersion != nil)
    try work.withLock { (work) throws(BuildError) in
      guard let output = work.output else { return }
      work.output = nil
      work.state = try inBuild { () throws(RealmFileError) in
        BuildState(layout, request, try RealmFileWriter(into: output, format: BuildState.format))
      }
    }
  }

  public func makeEncoder() -> RealmEncoder { RealmEncoder(work.withLock { $0.state?.layout }) }

  public func accept(
    _ output: EncodedObjects, of part: ObjectPart, isLast: Bool
  ) throws(BuildError) {
    try work.withLock { (work) throws(BuildError) in try work.state?.place(output.piece) }
  }

  public func finish() throws(BuildError) -> Report {
    try work.withLock { (work) throws(BuildError) in
      guard let state = work.state else { return Report() }
      return try state.finish()
    }
  }
}

/// Encodes the batches of parts for a new realm. Belongs to one thread.
public final class RealmEncoder: ObjectEncoder {
  public typealias Failure = BuildError

  /// Bytes of a piece that is handed over where it is the part's turn, and of one that waits for it.
  private static let (easyByteCount, fullByteCount) = (4 << 20, 32 << 20)

  private let layout: BuildLayout?
  private var encoder: BatchEncoder?
  private var outlet: PartOutlet<EncodedObjects, BuildError>?

  init(_ layout: BuildLayout?) { self.layout = layout }

  public func begin(_ part: ObjectPart, _ outlet: PartOutlet<EncodedObjects, BuildError>) {
    self.outlet = outlet
    encoder = layout.map { BatchEncoder($0, BuildPiece()) }
  }

  public func encode(_ batch: ObjectBatch) throws(BuildError) {
    guard let encoder, let layout else { return }
    try encoder.add(batch)
    guard encoder.piece.byteCount > RealmEncoder.easyByteCount, let outlet else { return }
    if !outlet.isTurn {
      guard encoder.piece.byteCount > RealmEncoder.fullByteCount, outlet.wait() else { return }
    }
    try outlet.handOver(EncodedObjects(piece: encoder.piece))
    self.encoder = BatchEncoder(layout, BuildPiece())
  }

  public func end() throws(BuildError) -> EncodedObjects {
    defer { (encoder, outlet) = (nil, nil) }
    return EncodedObjects(piece: encoder?.piece ?? BuildPiece())
  }

  public static func weight(of output: EncodedObjects) -> Int { output.piece.byteCount }
}

/// Objects on their way into a new realm.
public struct EncodedObjects: Sendable {
  let piece: BuildPiece
}
