public import RealmModel
public import RealmStorage
import Synchronization

/// SHA-256 digests of the content of a realm, not of its bytes (docs/hash.md).
///
/// They are equal for a realm and its compacted, encrypted, upgraded, restored, or exported and imported copies, and
/// differ as soon as one value differs. The object keys of classes with primary keys do not matter.
public struct ContentHash: Sendable {
  /// The digest of the objects of a class.
  public struct OfClass: Sendable {
    public let name: Name
    /// Number of objects.
    public let objects: Int
    /// 64 hexadecimal digits.
    public let digest: String
  }

  /// The digest of the classes and properties: 64 hexadecimal digits.
  public let schema: String
  /// The digests of all classes of the source except embedded ones, whose objects belong to their owners; in the
  /// order of the source.
  public let classes: [OfClass]
  /// The digest of all the others: 64 hexadecimal digits. Nil if the source leaves out classes.
  public let all: String?

  /// Computes the digests of the objects of `source`, which gives links as identities, embedded objects inside their
  /// owners, and sets and dictionaries as format 24 stores them.
  ///
  /// - Parameters:
  ///   - jobs: number of threads.
  ///   - memoryByteCount: maximum bytes of digests in memory; the others go to an unlinked file.
  ///   - progress: receives the number of objects done, from different threads, one call at a time.
  /// - Throws: the errors of the source and of temporary files.
  public init(
    of source: some ObjectSource<RealmFileError>, jobs: Int = 1, memoryByteCount: Int = 256 << 20,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws(RealmFileError) {
    let sink = HashSink(memoryByteCount: memoryByteCount)
    do throws(RoadError<RealmFileError, RealmFileError>) {
      self = try ObjectRoad(from: source, to: sink, jobs: jobs).run(progress: progress)
    } catch {
      throw error.failure
    }
  }

  fileprivate init(
    _ schema: ObjectSchema, _ classes: [(position: Int, objects: Int, digest: [UInt8])]
  ) throws(RealmFileError) {
    let schemaDigest = try SchemaDigest.digest(of: schema, classes: schema.appClasses)
    self.schema = schemaDigest.hexadecimal
    self.classes = classes.map {
      OfClass(
        name: schema.classes[$0.position].name, objects: $0.objects, digest: $0.digest.hexadecimal)
    }
    guard Set(classes.map(\.position)) == Set(schema.topLevelClasses) else {
      all = nil
      return
    }
    var bytes = EncodedBytes()
    bytes.append(Array("realm-hash 1 realm\n".utf8))
    bytes.append(schemaDigest)
    let byPosition = Dictionary(
      classes.map { ($0.position, $0.digest) }, uniquingKeysWith: { first, _ in first })
    for position in schema.sortedByName(classes.map(\.position)) {
      bytes.append(string: schema.classes[position].name.bytes)
      bytes.append(byPosition[position] ?? [])
    }
    all = try bytes.withBytes(0..<bytes.count) { (bytes) throws(RealmFileError) in
      try SHA256().digestBytes(of: bytes).hexadecimal
    }
  }
}

/// Collects the digests of objects, sorts them for each class, and makes the digests of the classes.
private final class HashSink: ObjectSink {
  typealias Failure = RealmFileError

  private struct State {
    var schema = ObjectSchema(classes: [])
    var classes: [Int] = []
    var digests: [Int: (objects: Int, digest: [UInt8])] = [:]
    /// The class whose objects arrive, and their digests.
    var current: (position: Int, runs: SortedRuns)?
  }

  /// Digests of more bytes are as fast in a file: they are read back in order, once.
  private static let mostByteCount = 16 << 20

  private let budget: MemoryBudget
  private let state = Mutex(State())

  init(memoryByteCount: Int) {
    budget = MemoryBudget(limit: min(memoryByteCount, HashSink.mostByteCount))
  }

  func begin(_ schema: ObjectSchema, classes: [Int]) {
    state.withLock { ($0.schema, $0.classes) = (schema, classes) }
  }

  func makeEncoder() -> HashEncoder { HashEncoder(state.withLock { $0.schema }) }

  func accept(_ output: [UInt64], of part: ObjectPart, isLast: Bool) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      if state.current?.position != part.classPosition {
        try finishClass(&state)
        let runs = SortedRuns(width: ObjectDigest.width, budget: budget)
        state.current = (part.classPosition, runs)
      }
      try state.current?.runs.append(output)
    }
  }

  func finish() throws(RealmFileError) -> ContentHash {
    try state.withLock { (state) throws(RealmFileError) in
      try finishClass(&state)
      var all: [(position: Int, objects: Int, digest: [UInt8])] = []
      for position in state.classes {
        if state.digests[position] == nil {
          state.current = (position, SortedRuns(width: ObjectDigest.width, budget: budget))
          try finishClass(&state)
        }
        if let (objects, digest) = state.digests[position] {
          all.append((position, objects, digest))
        }
      }
      return try ContentHash(state.schema, all)
    }
  }

  private func finishClass(_ state: inout State) throws(RealmFileError) {
    guard let (position, runs) = state.current else { return }
    state.current = nil
    try runs.finish()
    let hash = try SHA256()
    var bytes = EncodedBytes()
    bytes.append(Array("realm-hash 1 class\n".utf8))
    bytes.append(string: state.schema.classes[position].name.bytes)
    bytes.append(UInt64(runs.count))
    while true {
      try bytes.withBytes(0..<bytes.count) { (bytes) throws(RealmFileError) in
        try hash.add(bytes)
      }
      bytes.removeAll()
      let words = try runs.next()
      guard !words.isEmpty else { break }
      for word in words { bytes.append(word.byteSwapped) }
    }
    state.digests[position] = (runs.count, try hash.finishBytes())
  }
}

/// Computes the digests of the objects of parts.
private struct HashEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  private let schema: ObjectSchema
  private var digests: DigestsBox?
  private var words: [UInt64] = []

  /// Holds the digests, which cannot be copied.
  private final class DigestsBox {
    var digests: ObjectDigests
    init(_ schema: ObjectSchema) throws(RealmFileError) { digests = try ObjectDigests(schema) }
  }

  init(_ schema: ObjectSchema) { self.schema = schema }

  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<[UInt64], RealmFileError>) {
    words = []
  }

  mutating func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    if digests == nil { digests = try DigestsBox(schema) }
    words.reserveCapacity(words.count + ObjectDigest.width * batch.count)
    try digests?.digests.forEach(in: batch) { _, digest in
      words.append(digest.words.0)
      words.append(digest.words.1)
      words.append(digest.words.2)
    }
  }

  mutating func end() throws(RealmFileError) -> [UInt64] { words }

  static func weight(of output: [UInt64]) -> Int { 8 * output.count }
}
