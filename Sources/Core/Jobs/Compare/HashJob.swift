public import RealmCompare
import RealmModel
public import RealmStorage

/// Computes SHA-256 digests of the content of a realm, or of a text that `export` wrote. Reads one consistent version,
/// even while other processes write to the file, and changes nothing.
public struct HashJob: Sendable {
  /// What to read.
  public struct Request: Sendable {
    public var path: String
    public var key: RealmKey?
    public var version: Snapshot.Version = .latest
    /// Names of classes; nil for all.
    public var classes: [String]?
    /// Number of threads.
    public var jobs = 1
    /// Maximum bytes of digests in memory, and of decrypted pages of an encrypted realm.
    public var memoryByteCount = Snapshot.usualCacheByteCount

    public init(path: String) { self.path = path }
  }

  public struct Report: Sendable {
    /// The path of the request.
    public var path: String
    public var hash: ContentHash
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// - Parameter progress: receives the number of objects done and the total; called from several threads, one at a
  ///   time.
  /// - Throws: the errors of opening a realm; ``ImportError`` for a wrong text; `noSuchClass`, `embeddedClass`;
  ///   `damaged`; `changedWhileReading`.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let input = ComparedInput.Request(
      path: request.path, key: request.key, version: request.version, jobs: request.jobs,
      memoryByteCount: request.memoryByteCount)
    let hash = try ComparedInput.run { access in
      let opened = try ComparedInput(input, access)
      return try ComparedInput.proving([opened]) {
        let classes = try request.classes.map { names in
          try opened.realm.topLevelClasses(named: names, path: request.path)
        }
        return try HashJob.hash(
          of: opened.realm, classes: classes, jobs: request.jobs,
          memoryByteCount: request.memoryByteCount, progress)
      }
    }
    return Report(path: request.path, hash: hash)
  }

  /// - Parameter classes: positions of classes; nil for all.
  static func hash(
    of realm: ReadableRealm, classes: [Int]? = nil, jobs: Int, memoryByteCount: Int,
    _ progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(RealmFileError) -> ContentHash {
    let source = realm.source(ObjectRequest(), classes: classes)
    let total = source.objectCount
    return try ContentHash(of: source, jobs: jobs, memoryByteCount: memoryByteCount) {
      progress($0, total)
    }
  }
}

extension ReadableRealm {
  /// The positions of the classes with these names.
  ///
  /// - Throws: `noSuchClass` for a class that does not exist; `embeddedClass` for an embedded class, whose objects are
  ///   parts of others.
  func topLevelClasses(named names: [String], path: String) throws(RequestError) -> [Int] {
    for name in names {
      guard let objectClass = schema.objectClass(named: name) else {
        throw RequestError(.noSuchClass(name), path: path)
      }
      guard objectClass.kind != .embedded else {
        throw RequestError(.embeddedClass(name), path: path)
      }
    }
    return schema.topLevelClasses.filter { names.contains(schema.classes[$0].name.text) }
  }
}
