#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The original that `--in-place --backup` keeps: a complete copy, `<name>.before-<command>.realm`
/// beside the realm, made before the realm is replaced.
///
/// A copy and not a second name of the same file: whenever the process is killed, no change of the
/// realm reaches its backup.
package enum RealmBackup {
  /// Bytes that are copied in one go.
  private static let pieceByteCount = 1 << 20

  /// The first name for a backup of the realm at `path` that nothing has yet: the second one is
  /// numbered 2.
  package static func name(of path: String, command: String) -> String {
    let stem = path.hasSuffix(".realm") ? String(path.dropLast(".realm".count)) : path
    var number = 1
    while true {
      let suffix = number == 1 ? "" : "-\(number)"
      let name = "\(stem).before-\(command)\(suffix).realm"
      if !OutputFile.exists(name) { return name }
      number += 1
    }
  }

  /// Makes a backup of the realm at `path`, of which the caller holds the lock.
  ///
  /// - Returns: its path.
  /// - Throws: `unreadable`, `cannotCreate`, `inputOutput`.
  package static func make(
    of path: String, command: String, _ operations: FileOperations
  ) throws(RealmFileError) -> String {
    let source = try FileDescriptor.openForReading(path)
    while true {
      let name = name(of: path, command: command)
      let copy: OutputFile
      do throws(RealmFileError) {
        copy = try OutputFile(
          path: name, replacing: false, copyOf: path, operations: operations)
        if !copy.clone(source) { try write(source, to: copy) }
      } catch {
        // Another process took the name meanwhile.
        guard case .outputExists = error.kind else { throw error }
        continue
      }
      do throws(RealmFileError) {
        try copy.publish()
        return name
      } catch {
        // It may have its name already, and only the folder is not synced.
        if !copy.isFile { remove(name) }
        guard case .outputExists = error.kind else { throw error }
      }
    }
  }

  private static func write(
    _ source: FileDescriptor, to copy: OutputFile
  ) throws(RealmFileError) {
    var offset = 0
    while true {
      let piece = try source.read(at: offset, count: pieceByteCount)
      if piece.isEmpty { return }
      try copy.write(piece)
      offset += piece.count
    }
  }

  /// Takes a backup back whose command failed.
  package static func remove(_ path: String) { _ = unsafe unlink(path) }
}

extension OutputFile {
  /// Whether anything is at `path`, be it a link that leads nowhere.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether a file is at `path` or where its links lead.
  package static func isRegular(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }

  /// Whether what is at `path` takes bytes in order only: a pipe or a device.
  package static func isStream(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT != S_IFREG && $0.st_mode & S_IFMT != S_IFDIR }
      ?? false
  }

  /// Whether `path` is a folder.
  package static func isFolder(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Whether nobody but its owner can read the file at `path`.
  package static func isPrivate(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & 0o077 == 0 } ?? false
  }
}
