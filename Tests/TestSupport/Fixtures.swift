public import Foundation
package import RealmStorage

/// The root folder of the package.
public let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The golden files in `Tests/Fixtures/golden`, written by the reference implementation.
public enum Golden {
  /// The path of the file `name`, such as `people.realm`.
  public static func url(_ name: String) -> URL {
    packageFolder.appending(path: "Tests/Fixtures/golden").appending(path: name)
  }

  /// The path of the file `name`.
  public static func path(_ name: String) -> String { url(name).path }

  /// The bytes of the file `name`.
  public static func bytes(_ name: String) throws -> [UInt8] {
    try readFile(path(name))
  }

  /// The key of the realm `name`, given without the extension; nil if it is not encrypted.
  package static func key(_ name: String) throws -> RealmKey? {
    name.hasSuffix("-encrypted") ? try KeyFile.read(path("\(name).key")).key : nil
  }

  /// Names of all golden realms, sorted, without the extension.
  public static let names = realmNames(
    in: packageFolder.appending(path: "Tests/Fixtures/golden"))
}

/// The realms in `Tests/Fixtures/lived`: some hundred random operations by the reference, of file
/// formats 11 to 24.
public enum Lived {
  private static let folder = packageFolder.appending(path: "Tests/Fixtures/lived")

  /// The path of the file `name`, such as `life-5001.realm`.
  public static func path(_ name: String) -> String { folder.appending(path: name).path }

  /// The bytes of the file `name`.
  public static func bytes(_ name: String) throws -> [UInt8] {
    try readFile(path(name))
  }

  /// Names of all realms, sorted, without the extension.
  public static let names = realmNames(in: folder)
}

/// The files in `Tests/Fixtures/fuzzed`, on which the fuzzer found something.
public enum Fuzzed {
  /// The path of the file `name`, such as `width-zero-1.realm`.
  public static func path(_ name: String) -> String {
    packageFolder.appending(path: "Tests/Fixtures/fuzzed").appending(path: name).path
  }
}

/// Names of the realms in `folder`, sorted, without the extension; empty if there is no folder.
private func realmNames(in folder: URL) -> [String] {
  let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  return files.filter { $0.hasSuffix(".realm") }.map { String($0.dropLast(".realm".count)) }
    .sorted()
}

/// The bytes of the file at `path`.
public func readFile(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// Realms from public repositories, which are not part of the package; nil if they do not exist.
public let corpusFolder: URL? = {
  let folder = packageFolder.deletingLastPathComponent().appending(path: "shared/corpus")
  return FileManager.default.fileExists(atPath: folder.appending(path: "INDEX.md").path)
    ? folder : nil
}()

/// The folder of this process for all temporary folders, removed at its end: a test can end the process while it holds
/// one of them.
private let processFolder: URL = {
  atexit { try? FileManager.default.removeItem(at: processFolder) }
  return FileManager.default.temporaryDirectory.appending(
    path: "realm-cli-test-\(UUID().uuidString)")
}()

/// A folder for one test; the last reference removes it with its contents.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init() throws {
    url = processFolder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of `name` in the folder.
  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// Copies the golden file `file` into the folder, under the same name or `name`.
  ///
  /// - Returns: the path of the copy.
  @discardableResult
  public func copyGolden(_ file: String, as name: String? = nil) throws -> String {
    try write(try Golden.bytes(file), to: name ?? file)
  }

  /// The names in the folder, sorted.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  /// The contents of the folder: each file with its bytes and the time of its last change.
  public func contents() throws -> [String: FileState] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: url.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (
          name,
          FileState(
            bytes: FileManager.default.contents(atPath: path(name)),
            changed: attributes[.modificationDate] as? Date)
        )
      })
  }

  /// A file as a command found or left it.
  public struct FileState: Equatable, Sendable {
    public var bytes: Data?
    public var changed: Date?
  }

  /// Writes a file, and creates the folders in its name.
  ///
  /// - Returns: its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }
}
