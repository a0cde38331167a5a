import RealmBuilding
import RealmInterchange
import RealmModel
import RealmStorage

/// An input of `hash` and `diff`: a realm of any format, or a text that `export` wrote.
struct ComparedInput {
  /// How to open an input.
  struct Request {
    var path: String
    var key: RealmKey?
    var version: Snapshot.Version = .latest
    /// Number of threads that read a text.
    var jobs: Int
    /// Maximum bytes of decrypted pages of an encrypted realm, and of links and index entries of a text.
    var memoryByteCount: Int
  }

  /// The realm itself, or a realm in an unlinked file with the objects of a text.
  let realm: ReadableRealm
  /// The path of the request.
  private let path: String

  /// - Throws: the errors of opening a realm; ``ImportError`` for a wrong text.
  init(_ request: Request, _ access: Snapshot.Access) throws {
    path = request.path
    guard !SchemaFile.isText(path: request.path) else {
      realm = .current(try ComparedInput.staged(request))
      return
    }
    let snapshot = try Snapshot(
      path: request.path, key: request.key, version: request.version, access: access,
      cacheByteCount: request.memoryByteCount)
    do {
      realm = try ReadableRealm(snapshot)
    } catch {
      // Apparent damage may be a change or truncation by another process.
      try snapshot.prove()
      throw error
    }
  }

  /// Whether the result may show the content of an encrypted realm.
  var isEncrypted: Bool { realm.snapshot.isEncrypted }

  /// Calls `body` with the way to open realms, and if one of them changes meanwhile, once more with copies.
  ///
  /// - Parameter canStartOver: called after a change; false if `body` has had effects.
  /// - Throws: the errors of `body`.
  static func run<Result>(
    canStartOver: () -> Bool = { true }, _ body: (Snapshot.Access) throws -> Result
  ) throws -> Result {
    do {
      return try body(.whole)
    } catch {
      guard error.fileKind == .changedWhileReading, canStartOver() else { throw error }
    }
    return try body(.copied)
  }

  /// The result of `body`, which reads `inputs`, once they are proven not to have changed meanwhile.
  ///
  /// - Throws: `changedWhileReading`; the errors of `body`, with the path of the first input if they have none.
  static func proving<Result>(
    _ inputs: [ComparedInput], _ body: () throws -> Result
  ) throws -> Result {
    do {
      let result = try body()
      for input in inputs { try input.realm.snapshot.prove() }
      return result
    } catch {
      if error.fileKind != nil { for input in inputs { try input.realm.snapshot.prove() } }
      throw error.adding(path: inputs.first?.path ?? "")
    }
  }

  /// A realm in an unlinked file with the objects of a text. Building it checks that primary keys are unique and that
  /// links have targets.
  private static func staged(_ request: Request) throws -> Realm {
    var options = ImportJob.Request()
    (options.jobs, options.memoryByteCount) = (request.jobs, request.memoryByteCount)
    let job = ImportJob(
      path: request.path, to: .new(request.path, replacing: false, key: nil), request: options)
    return try job.unlinkedRealm()
  }
}

extension ImportJob {
  /// A realm in an unlinked file with the objects of the input.
  ///
  /// - Throws: ``ImportError``; the errors of writing a realm.
  fileprivate func unlinkedRealm() throws -> Realm {
    let input = try open(request.options)
    let file = try OutputFile(unlinkedBy: .system)
    let builder = RealmBuilder(
      into: try RealmOutput(.file(file), key: nil), building(input.schemaVersion))
    _ = try build(input, builder) { _, _ in }
    return try Realm(
      try Snapshot(unlinked: file, key: nil, cacheByteCount: request.memoryByteCount))
  }
}
