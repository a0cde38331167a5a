#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file or folder that the Realm libraries keep beside a realm (chapter 1, section 6.1).
public struct AuxiliaryFile: Equatable, Sendable {
  /// The purpose of the file. The raw values are part of the `--json` output.
  public enum Kind: String, Sendable, CaseIterable {
    /// `P.lock`: coordination of the processes that have the realm open.
    case lock
    /// `P.management`: folder of mutexes and condition variables.
    case management
    /// `P.note`: FIFO for notifications between processes.
    case note
    /// `P.tmp_compaction_space`: left by an interrupted compaction.
    case compactionSpace
    /// `<stem>vN.backup.realm`: the copy made before an upgrade from format N. With the suffix
    /// `.part`: an interrupted copy.
    case formatBackup
    /// `P.backup-log`: a text log about these copies.
    case backupLog
    /// `P.fresh` and its companions: the realm that a client reset downloads.
    case fresh
    /// `P.log`, `P.log_a`, `P.log_b`: commit logs of file formats before 6.
    case commitLog
  }

  public let kind: Kind
  public let path: String
  /// The N of a format backup.
  public let fileFormat: Int?

  /// True for a format backup that was not finished.
  package var isPartial: Bool { path.hasSuffix(".part") }

  init(_ kind: Kind, _ path: String, fileFormat: Int? = nil) {
    (self.kind, self.path, self.fileFormat) = (kind, path, fileFormat)
  }
}

/// Recognises the files beside a realm that are not realms of their own.
public enum AuxiliaryFiles {
  /// Prefix of the names of our own temporary files. Such a file, left by a crash, is never treated
  /// as a realm.
  package static let temporaryPrefix = ".realm-cli-"

  /// The process that made the temporary file `name`: the number after the prefix; nil for other
  /// names.
  static func process(ofTemporary name: String) -> Int32? {
    guard name.hasPrefix(temporaryPrefix) else { return nil }
    let rest = name.dropFirst(temporaryPrefix.count)
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard rest.dropFirst(digits.count).first == "-", let number = Int32(digits), number > 0 else {
      return nil
    }
    return number
  }

  /// Suffixes that the libraries append to the path of a realm.
  private static let suffixes: [(suffix: String, kind: AuxiliaryFile.Kind)] = [
    (".lock", .lock), (".management", .management), (".note", .note),
    (".tmp_compaction_space", .compactionSpace), (".backup-log", .backupLog),
    (".fresh", .fresh), (".fresh.lock", .fresh), (".fresh.management", .fresh),
    (".fresh.note", .fresh),
    (".log", .commitLog), (".log_a", .commitLog), (".log_b", .commitLog),
  ]

  /// The auxiliary files that exist for the realm at `path`, in a fixed order. A symbolic link is a second name of
  /// its target: the files beside the target follow those beside the link.
  public static func list(forRealmAt path: String) -> [AuxiliaryFile] {
    // The names of a link and of its target can have the same stem.
    RealmUse.names(of: path).flatMap(list(forRealmNamed:)).reduce(into: []) { files, file in
      if !files.contains(where: { $0.path == file.path }) { files.append(file) }
    }
  }

  private static func list(forRealmNamed path: String) -> [AuxiliaryFile] {
    var candidates = suffixes.map { AuxiliaryFile($0.kind, path + $0.suffix) }
    for format in FileHeader.readableFormats.sorted() {
      let backup = stem(of: path) + "v\(format).backup.realm"
      candidates.append(AuxiliaryFile(.formatBackup, backup, fileFormat: format))
      candidates.append(AuxiliaryFile(.formatBackup, backup + ".part", fileFormat: format))
    }
    return candidates.filter { candidate in
      var status = stat()
      return unsafe lstat(candidate.path, &status) == 0
    }
  }

  /// The prefix of the names of format backups: `x.` for `x.realm`, `data.` for `data`.
  static func stem(of path: String) -> String {
    path.hasSuffix(".realm") ? String(path.dropLast("realm".count)) : path + "."
  }

  /// Whether the search of a folder for realms skips a file or folder of this name: auxiliary
  /// files, backups of the libraries, our own backups and temporary files.
  ///
  /// - Parameter name: the last component of a path.
  package static func isAuxiliary(_ name: String) -> Bool {
    if name.hasPrefix(temporaryPrefix) { return true }
    if suffixes.contains(where: { name.hasSuffix($0.suffix) }) { return true }
    return isFormatBackup(name) || isOwnBackup(name)
  }

  /// `*.vN.backup.realm`, also with the suffix `.part`.
  private static func isFormatBackup(_ name: String) -> Bool {
    let whole = name.hasSuffix(".part") ? name.dropLast(".part".count) : name[...]
    guard whole.hasSuffix(".backup.realm") else { return false }
    let front = whole.dropLast(".backup.realm".count)
    guard let version = front.split(separator: ".", omittingEmptySubsequences: false).last,
      version.count < front.count, version.first == "v"
    else { return false }
    return version.count > 1 && version.dropFirst().allSatisfy { ("0"..."9").contains($0) }
  }

  /// `*.before-<command>.realm` and numbered ones: the originals kept by `--in-place --backup`.
  private static func isOwnBackup(_ name: String) -> Bool {
    guard name.hasSuffix(".realm") else { return false }
    return name.dropLast(".realm".count).split(separator: ".", omittingEmptySubsequences: false)
      .dropFirst().contains { $0.hasPrefix("before-") }
  }
}
