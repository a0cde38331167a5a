/// A file or folder that the Realm libraries keep beside a realm (chapter 1, section 6.1).
public struct AuxiliaryFile: Equatable, Sendable {
  /// The purpose of the file. The raw values are part of the `--json` output.
  public enum Kind: String, Sendable, CaseIterable {
    /// `P.lock`: coordination of the processes that have the realm open.
    case lock
    /// `P.management`: a folder of mutexes and condition variables.
    case management
    /// `P.note`: a FIFO for notifications between processes.
    case note
    /// `P.tmp_compaction_space`: left by an interrupted compaction.
    case compactionSpace
    /// `<stem>vN.backup.realm`: the copy made before an upgrade from format N. The suffix `.part` means that the
    /// copy was interrupted.
    case formatBackup
    /// `P.backup-log`: a log of these copies.
    case backupLog
    /// `P.fresh` and the files beside it: the realm that a client reset downloads.
    case fresh
    /// `P.log`, `P.log_a`, `P.log_b`: commit logs of file formats before 6.
    case commitLog
  }

  public let kind: Kind
  public let path: String
  /// The format N of a format backup; nil for other kinds.
  public let fileFormat: Int?

  /// Whether this is a format backup that was interrupted.
  package var isPartial: Bool { path.hasSuffix(".part") }

  /// The name of a file in this folder of mutexes that the libraries do not create (chapter 1, section 6.1); nil if there is
  /// none, or if this is no such folder. A folder that cannot be read has none: it cannot be deleted either, which is an error.
  package var foreignName: String? {
    guard path.hasSuffix(".management"), let names = try? Folder.names(in: path) else { return nil }
    let foreign = names.first { name in
      guard let name else { return true }
      let isMutex =
        name.hasPrefix("access_control.") && (name.hasSuffix(".mx") || name.hasSuffix(".cv"))
      return !isMutex && name != "lock.fifo"
    }
    return foreign.map { $0 ?? "one whose name is not UTF-8" }
  }

  init(_ kind: Kind, _ path: String, fileFormat: Int? = nil) {
    (self.kind, self.path, self.fileFormat) = (kind, path, fileFormat)
  }
}

/// Recognises files beside a realm that are not realms themselves.
public enum AuxiliaryFiles {
  /// The suffixes that the libraries append to the path of a realm.
  private static let suffixes: [(suffix: String, kind: AuxiliaryFile.Kind)] = [
    (".lock", .lock), (".management", .management), (".note", .note),
    (".tmp_compaction_space", .compactionSpace), (".backup-log", .backupLog),
    (".fresh", .fresh), (".fresh.lock", .fresh), (".fresh.management", .fresh),
    (".fresh.note", .fresh),
    (".log", .commitLog), (".log_a", .commitLog), (".log_b", .commitLog),
  ]

  /// The auxiliary files that exist for the realm at `path`, in a fixed order. If it is a symbolic link, the files
  /// beside its target follow those beside the link.
  public static func list(forRealmAt path: String) -> [AuxiliaryFile] {
    // The names of a link and of its target can have the same stem.
    RealmUse.names(of: path).flatMap(list(forRealmNamed:)).reduce(into: []) { files, file in
      if !files.contains(where: { $0.path == file.path }) { files.append(file) }
    }
  }

  private static func list(forRealmNamed path: String) -> [AuxiliaryFile] {
    var candidates = suffixes.map { AuxiliaryFile($0.kind, path + $0.suffix) }
    for format in FileFormat.all.map(\.number) {
      let backup = stem(of: path) + "v\(format).backup.realm"
      candidates.append(AuxiliaryFile(.formatBackup, backup, fileFormat: format))
      candidates.append(AuxiliaryFile(.formatBackup, backup + ".part", fileFormat: format))
    }
    return candidates.filter { OutputFile.exists($0.path) }
  }

  /// The prefix of the names of format backups: `x.` for `x.realm`, `data.` for `data`.
  static func stem(of path: String) -> String {
    path.hasSuffix(".realm") ? String(path.dropLast("realm".count)) : path + "."
  }

  /// Whether a search for realms skips a file or folder of this name: auxiliary files, backups made by the
  /// libraries or by us, and our temporary files.
  ///
  /// - Parameter name: the last component of a path.
  package static func isAuxiliary(_ name: String) -> Bool {
    if name.hasPrefix(TemporaryName.prefix) { return true }
    if suffixes.contains(where: { name.hasSuffix($0.suffix) }) { return true }
    return isFormatBackup(name) || isOwnBackup(name)
  }

  /// Whether the name is `*.vN.backup.realm`, with or without the suffix `.part`.
  private static func isFormatBackup(_ name: String) -> Bool {
    let whole = name.hasSuffix(".part") ? name.dropLast(".part".count) : name[...]
    guard whole.hasSuffix(".backup.realm") else { return false }
    let front = whole.dropLast(".backup.realm".count)
    guard let version = front.split(separator: ".", omittingEmptySubsequences: false).last,
      version.count < front.count, version.first == "v"
    else { return false }
    return version.count > 1 && version.dropFirst().allSatisfy { ("0"..."9").contains($0) }
  }

  /// Whether the name is `*.before-<command>.realm`, with or without a number: a ``RealmBackup``.
  private static func isOwnBackup(_ name: String) -> Bool {
    guard name.hasSuffix(".realm") else { return false }
    return name.dropLast(".realm".count).split(separator: ".", omittingEmptySubsequences: false)
      .dropFirst().contains { $0.hasPrefix("before-") }
  }
}
