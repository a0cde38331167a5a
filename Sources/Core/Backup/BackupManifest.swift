package import RealmStorage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The list of the realms in a backup, which is the first member of the archive (docs/backup.md).
public struct BackupManifest: Codable, Equatable, Sendable {
  /// Whether a realm was checked by the rules of `verify` before it was archived.
  public enum Verification: Codable, Equatable, Sendable {
    case done
    /// The key was missing.
    case notPossible
    /// The user disabled the check.
    case skipped

    public init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      do {
        self = try value.decode(Bool.self) ? .done : .notPossible
      } catch DecodingError.typeMismatch {
        guard try value.decode(String.self) == "skipped" else {
          throw DecodingError.dataCorruptedError(
            in: value, debugDescription: #"true, false or "skipped""#)
        }
        self = .skipped
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .done: try value.encode(true)
      case .notPossible: try value.encode(false)
      case .skipped: try value.encode("skipped")
      }
    }
  }

  /// A realm in the archive.
  public struct Realm: Codable, Equatable, Sendable {
    /// Name of the member: a relative path with `/` as separator. libarchive composes the characters of
    /// names in the archive, so names are compared as `String` values.
    public var path: String
    /// Bytes of the file.
    public var size: Int
    /// In hexadecimal digits.
    public var sha256: String
    /// Nil if the key was missing, like the next five.
    public var fileFormat: Int?
    public var version: Int?
    public var schemaVersion: UInt64?
    /// Whether the realm has the history of a sync client.
    public var synced: Bool?
    /// Number of objects of each class.
    public var objects: [String: Int]?
    /// The digest of the content, as by `hash`: 64 hexadecimal digits. Nil if the realm was not checked.
    public var contentHash: String?
    public var encrypted: Bool
    public var verified: Verification
    /// True for an unchanged copy of the file, false for a compacted copy.
    public var raw: Bool
    /// Permissions in octal digits, such as `0644`.
    public var mode: String
    /// Time of the last change.
    public var modified: String

    package init(
      path: String, size: Int, sha256: String, encrypted: Bool, verified: Verification, raw: Bool,
      mode: String, modified: String
    ) {
      (self.path, self.size, self.sha256) = (path, size, sha256)
      (self.encrypted, self.verified, self.raw) = (encrypted, verified, raw)
      (self.mode, self.modified) = (mode, modified)
    }

    /// Permissions and time; nil if one of them is malformed.
    package var attributes: FileAttributes? {
      guard let mode = Int(mode, radix: 8), (0...0o777).contains(mode),
        let time = UTCTime(modified)
      else { return nil }
      return FileAttributes(mode: mode, seconds: time.seconds, nanoseconds: time.nanoseconds)
    }
  }

  package static let memberName = "manifest.json"
  package static let checksumName = "manifest.sha256"
  /// Limit for the size of the manifest. A manifest of 100,000 realms has about 40 MB.
  static let byteCountLimit = 64 << 20
  private static let formatName = "realm-cli backup"

  public var format: String
  public var formatVersion: Int
  public var toolVersion: String
  public var createdAt: String
  /// The name that `prune` groups backups by.
  public var name: String
  public var realms: [Realm]

  package init(toolVersion: String, createdAt: UTCTime, name: String, realms: [Realm]) {
    (format, formatVersion) = (BackupManifest.formatName, 1)
    (self.toolVersion, self.createdAt) = (toolVersion, createdAt.text)
    (self.name, self.realms) = (name, realms)
  }

  /// The bytes of the member.
  ///
  /// - Throws: `unsupported` if JSON cannot represent them.
  package var bytes: [UInt8] {
    get throws(ArchiveError) {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
      do {
        return [UInt8](try encoder.encode(self)) + [0x0A]
      } catch {
        throw ArchiveError(.unsupported("the manifest cannot be written as JSON: \(error)"))
      }
    }
  }

  /// The last member of the archive for a manifest of `bytes`: a line for `sha256sum -c`.
  package static func checksum(of bytes: [UInt8]) throws(RealmFileError) -> [UInt8] {
    Array("\(try SHA256.digest(of: bytes))  \(memberName)\n".utf8)
  }

  /// Reads and checks the bytes of the member.
  ///
  /// - Throws: `notABackup`; `newerFormat`; `hostile` for paths that lead outside the target;
  ///   `damaged`.
  init(bytes: [UInt8]) throws(ArchiveError) {
    do {
      self = try JSONDecoder().decode(BackupManifest.self, from: Data(bytes))
    } catch {
      throw ArchiveError(.notABackup("its \(BackupManifest.memberName) cannot be decoded"))
    }
    guard format == BackupManifest.formatName else {
      throw ArchiveError(.notABackup("its manifest belongs to another program"))
    }
    guard formatVersion == 1 else {
      throw ArchiveError(.newerFormat(formatVersion))
    }
    guard UTCTime(createdAt) != nil else {
      throw ArchiveError(.damaged("the time of the manifest, \(createdAt), is not valid"))
    }
    var sum = 0
    var (paths, folders) = (Set<String>(), Set<String>())
    for realm in realms {
      let parts = try BackupPath.parts(of: realm.path)
      let (total, isTooMuch) = sum.addingReportingOverflow(realm.size)
      guard realm.size >= 0, !isTooMuch else {
        throw ArchiveError(.hostile("the size of \(realm.path) is impossible: \(realm.size) bytes"))
      }
      sum = total
      guard realm.attributes != nil else {
        throw ArchiveError(.damaged("the mode or time of \(realm.path) is not valid"))
      }
      guard paths.insert(realm.path).inserted else {
        throw ArchiveError(.hostile("the manifest names \(realm.path) twice"))
      }
      for count in 1..<max(1, parts.count) {
        folders.insert(parts[..<count].joined(separator: "/"))
      }
    }
    if let both = paths.first(where: folders.contains) {
      throw ArchiveError(.hostile("the manifest names \(both) as a realm and as a folder"))
    }
  }

  /// Bytes of all realms.
  public var byteCount: Int { realms.reduce(0) { $0 + $1.size } }
}

/// Names of realms in an archive.
package enum BackupPath {
  /// The components of `path`, if they stay inside any folder.
  ///
  /// - Throws: `hostile` for any other path, and for the names of files that coordinate processes.
  package static func parts(of path: String) throws(ArchiveError) -> [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let isSafe = parts.allSatisfy { part in
      !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
        && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" }
        && !part.hasPrefix(TemporaryName.prefix)
    }
    guard isSafe else {
      throw ArchiveError(.hostile("\(path) is not a path inside a folder"))
    }
    let isReserved = path == BackupManifest.memberName || path == BackupManifest.checksumName
    let isAuxiliary = parts.contains { part in
      [".lock", ".note", ".management"].contains(where: part.hasSuffix)
    }
    guard !isReserved, !isAuxiliary else {
      throw ArchiveError(.hostile("\(path) is not a valid name for a realm"))
    }
    return parts
  }
}
