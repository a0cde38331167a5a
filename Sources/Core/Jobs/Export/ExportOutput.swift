import RealmInterchange
import RealmModel
public import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The destination of an export.
public enum ExportOutput {
  /// One file or stream.
  case text(any OutputSink)
  /// A file for each class, with this extension, in a folder.
  case folder(ExportFolder, fileExtension: String)
  /// A database, which needs a regular file.
  case database(OutputFile)
}

/// Files in a folder, which appear when all of them are written.
public final class ExportFolder {
  private let path: String
  private let replacing: Bool
  private let isPrivate: Bool
  private var files: [OutputFile] = []
  /// The folder, if it was created for the export.
  private let created = CreatedFolders()
  private var isPublished = false

  /// - Parameters:
  ///   - path: a folder, which is created if it does not exist.
  ///   - replacing: whether files that exist are replaced.
  ///   - isPrivate: whether nobody but the owner may read the files.
  public init(path: String, replacing: Bool, isPrivate: Bool) {
    (self.path, self.replacing, self.isPrivate) = (path, replacing, isPrivate)
  }

  deinit {
    guard !isPublished else { return }
    // The temporary files go first: they are in the folder.
    files = []
    created.removeEmpty()
  }

  /// Opens a file.
  ///
  /// - Parameter name: the name of a class; characters that paths cannot have are escaped as in a URL.
  /// - Throws: `outputExists`, `cannotCreate`.
  func file(named name: String, fileExtension: String) throws(RealmFileError) -> OutputFile {
    try TargetFolder.make([], in: path, created: created)
    let file = try OutputFile(
      path: "\(path)/\(ExportFolder.escaped(name)).\(fileExtension)", replacing: replacing,
      isPrivate: isPrivate)
    files.append(file)
    return file
  }

  /// Publishes all files, in the order in which they were opened.
  func publish() throws(RealmFileError) {
    for file in files { try file.publish() }
    created.keep()
    isPublished = true
  }

  private static func escaped(_ name: String) -> String {
    var escaped = ""
    for (i, scalar) in name.unicodeScalars.enumerated() {
      let isForbidden =
        scalar.value < 0x20 || "/\\:%".unicodeScalars.contains(scalar) || (i == 0 && scalar == ".")
      if isForbidden {
        escaped += "%" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 2)
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped.isEmpty ? "%00" : escaped
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}

/// Passes output on only once everything that was read is proven to belong to the version of the snapshot.
final class ProvenOutput: TextOutputs, @unchecked Sendable {
  private let output: ExportOutput
  private let snapshot: Snapshot
  /// Sinks that were given out. One thread at a time requests them.
  private var sinks: [ProvenSink] = []

  init(_ output: ExportOutput, for snapshot: Snapshot) {
    (self.output, self.snapshot) = (output, snapshot)
    if case .text(let sink) = output { sinks = [ProvenSink(sink, for: snapshot)] }
  }

  /// Runs `write` with a snapshot and the output for it. If the realm changes meanwhile, runs it again with
  /// a copy of the realm.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the given access.
  ///   - makeOutput: makes the output for what is read from the snapshot. Called again for the second
  ///     time; the first output is then dropped.
  ///   - canStartOver: false if output cannot be taken back once written, as on standard output.
  /// - Throws: what the closures throw; `changedWhileReading` if the realm changed after output was written
  ///   that cannot be taken back.
  static func run<Report>(
    open: (Snapshot.Access) throws -> Snapshot,
    makeOutput: (Snapshot) throws -> ExportOutput,
    canStartOver: Bool,
    write: (Snapshot, ProvenOutput) throws -> Report
  ) throws -> Report {
    let first = try open(.whole)
    let proven = ProvenOutput(try makeOutput(first), for: first)
    do {
      return try attempt(first, proven, write)
    } catch {
      guard error.fileKind == .changedWhileReading, canStartOver || !proven.hasWritten else {
        throw error
      }
    }
    let copy = try open(.copied)
    return try attempt(copy, ProvenOutput(try makeOutput(copy), for: copy), write)
  }

  /// Runs `write` with the output for a snapshot that the caller keeps.
  ///
  /// - Throws: what `write` throws; `changedWhileReading`.
  static func run<Report>(
    in snapshot: Snapshot, to output: ExportOutput, write: (ProvenOutput) throws -> Report
  ) throws -> Report {
    try attempt(snapshot, ProvenOutput(output, for: snapshot)) { _, output in try write(output) }
  }

  private static func attempt<Report>(
    _ snapshot: Snapshot, _ output: ProvenOutput,
    _ write: (Snapshot, ProvenOutput) throws -> Report
  ) throws -> Report {
    do {
      return try write(snapshot, output)
    } catch {
      guard let kind = error.fileKind, kind != .brokenPipe else { throw error }
      // Apparent damage may be a change or truncation by another process.
      try snapshot.prove()
      throw error.adding(path: snapshot.path)
    }
  }

  /// True once any bytes were passed on.
  var hasWritten: Bool { sinks.contains(where: \.hasWritten) }

  func output(
    for objectClass: ObjectClass?
  ) throws(RealmFileError) -> (any OutputSink & Sendable)? {
    guard case .folder(let folder, let fileExtension) = output else { return sinks.first }
    guard let objectClass else { return nil }
    let file = try folder.file(named: objectClass.name.text, fileExtension: fileExtension)
    let sink = ProvenSink(file, for: snapshot)
    sinks.append(sink)
    return sink
  }

  /// Writes the file with the schema of the objects, if the output is a folder.
  func write(schema classes: [Int], of schema: ObjectSchema) throws(RealmFileError) {
    guard case .folder(let folder, _) = output else { return }
    let file = ProvenSink(try folder.file(named: "schema", fileExtension: "json"), for: snapshot)
    sinks.append(file)
    try file.write(RealmJSONSchema.document(classes, of: schema))
  }

  /// The output, if there is one for everything.
  ///
  /// - Throws: `cannotCreate` for a folder or a database.
  func single() throws(RealmFileError) -> any OutputSink & Sendable {
    guard case .text = output, let sink = sinks.first else {
      throw RealmFileError(.cannotCreate(SystemError(EISDIR, "write a script to this")))
    }
    return sink
  }

  /// The file for the database.
  ///
  /// - Throws: `cannotCreate` if the output is not a regular file, or if a journal beside it would be
  ///   mistaken for one of the new database.
  func database() throws(RealmFileError) -> DatabaseFile {
    guard case .database(let file) = output, let unfinished = try file.unfinishedPath() else {
      throw RealmFileError(.cannotCreate(SystemError(ESPIPE, "write a database to this")))
    }
    for ending in ["-journal", "-wal"] where OutputFile.exists(file.finalPath + ending) {
      throw RealmFileError(
        .cannotCreate(SystemError(EBUSY, "replace a database that has this journal")),
        path: file.finalPath + ending)
    }
    return DatabaseFile(unfinishedPath: unfinished, path: file.finalPath)
  }

  func publish() throws(RealmFileError) {
    switch output {
    case .text: try sinks.first?.publish()
    case .folder(let folder, _): try folder.publish()
    case .database(let file):
      try snapshot.prove()
      try file.publish()
    }
  }
}
