public import RealmStorage

/// Names of archives in a folder of backups.
public enum BackupName {
  /// `<name>-<UTC time>`.
  public static func stem(_ name: String, at time: UTCTime) -> String {
    name + "-" + time.compactText
  }

  /// The default name for backups of `paths`: the name of the single path, or `backup`.
  public static func usual(forPaths paths: [String]) -> String {
    guard paths.count == 1, let last = paths[0].split(separator: "/").last, last != ".",
      last != ".."
    else { return "backup" }
    return last.hasSuffix(".realm") && last != ".realm" ? String(last.dropLast(6)) : String(last)
  }

  /// The name of the backup in the archive at `path`: the file name without its ending and time.
  public static func name(ofArchive path: String) -> String {
    let stem = ArchiveFormat.stem(of: path.split(separator: "/").last.map(String.init) ?? path)
    let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, last.count == 16, last.hasSuffix("Z") else {
      return stem
    }
    return parts.dropLast().joined(separator: "-")
  }

  /// Why `name` cannot be the start of a file name; nil if it can.
  public static func problem(of name: String) -> String? {
    if name.isEmpty || name.hasPrefix(".") || name.utf8.count > 180 {
      return "the name of a backup has 1 to 180 bytes and does not begin with a dot"
    }
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value != 0x7F && $0 != "/"
    }
    return isPlain ? nil : "the name of a backup has no slashes and no control characters"
  }
}
