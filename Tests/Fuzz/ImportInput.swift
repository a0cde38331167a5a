import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport

/// The input of an import: a file, or a folder of files.
struct ImportInput {
  /// Describes the input in messages.
  let name: String
  /// Path of the realm that was exported.
  let realm: String
  private var files: [(name: String, bytes: [UInt8])]
  private let isFolder: Bool

  var byteCount: Int { files.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameter fileName: its extension is that of the format.
  private init(_ name: String, of realm: String, fileName: String, _ bytes: [UInt8]) {
    (self.name, self.realm) = (name, realm)
    (files, isFolder) = ([(fileName, bytes)], false)
  }

  private init(_ name: String, of realm: String, folder: [(name: String, bytes: [UInt8])]) {
    (self.name, self.realm) = (name, realm)
    (files, isFolder) = (folder, true)
  }

  /// Changes one of the files.
  mutating func mutate(seed: Int) {
    guard !files.isEmpty else { return }
    let number = seed / 7 % files.count
    var mutation = TextMutation(of: files[number].bytes, seed: UInt64(seed))
    files[number].bytes = mutation.make()
  }

  /// Writes the files into `folder`.
  ///
  /// - Returns: the path to import.
  func write(to folder: TemporaryFolder) throws -> String {
    var root = folder.path("x")
    if isFolder {
      root += ".folder"
      try? FileManager.default.removeItem(atPath: root)
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }
    for file in files {
      let path = isFolder ? "\(root)/\(file.name)" : folder.path(file.name)
      try Data(file.bytes).write(to: URL(fileURLWithPath: path))
    }
    return isFolder ? root : folder.path(files[0].name)
  }

  // MARK: Exports

  /// The formats of one file, and those of a file for each class.
  private static let textFormats: [ObjectTextFormat] = [.json, .ndjson, .plain]
  private static let folderFormats: [(format: ObjectTextFormat, fileExtension: String)] = [
    (.ejson, "json"), (.csv, "csv"),
  ]

  /// The exports of the realm at `path`: files, folders, and each CSV file alone.
  static func exports(of path: String, key: RealmKey?) throws -> [ImportInput] {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    var inputs = try textFormats.map { format in
      let text = MemorySink()
      try export(path, key, format) { .text(text) }
      // Without an extension, the content decides the format.
      return ImportInput("\(name).\(format.rawValue)", of: path, fileName: "x", text.bytes)
    }
    for (format, fileExtension) in folderFormats {
      let files = try files(path, key, format, fileExtension)
      inputs.append(ImportInput("\(name).\(format.rawValue) folder", of: path, folder: files))
      guard format == .csv else { continue }
      for file in files where file.name.hasSuffix(".csv") {
        inputs.append(ImportInput("\(name).\(file.name)", of: path, fileName: "x.csv", file.bytes))
      }
    }
    return inputs
  }

  private static func files(
    _ path: String, _ key: RealmKey?, _ format: ObjectTextFormat, _ fileExtension: String
  ) throws -> [(name: String, bytes: [UInt8])] {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let root = folder.path("export")
    try export(path, key, format) {
      .folder(
        ExportFolder(path: root, replacing: false, isPrivate: false), fileExtension: fileExtension)
    }
    guard FileManager.default.fileExists(atPath: root) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: root).sorted().map { name in
      (name, try readFile("\(root)/\(name)"))
    }
  }

  private static func export(
    _ path: String, _ key: RealmKey?, _ format: ObjectTextFormat,
    to makeOutput: () -> ExportOutput
  ) throws {
    _ = try ExportJob(ExportJob.Request(format: .text(format))).run(
      open: { access in
        try Snapshot(path: path, key: key, access: access)
      },
      makeOutput: { _ in makeOutput() }, canStartOver: false, progress: { _, _ in })
  }
}
