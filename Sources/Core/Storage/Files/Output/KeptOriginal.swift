#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The backup that `--in-place --backup` makes before it replaces a realm: a complete copy beside the realm,
/// named `<name>.before-<command>.realm`.
///
/// It is a copy, not a hard link: even if the process is killed, no change to the realm reaches its backup.
package enum KeptOriginal {
  /// The first unused path for a backup of the realm at `path`. The second backup gets the number 2.
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

  /// Makes a backup of the realm at `path`. The caller holds the lock of the realm.
  ///
  /// - Returns: the path of the backup.
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
        if !copy.shareBlocks(of: source) {
          var pieces = FilePieces(source)
          while let piece = try pieces.next() { try copy.write(piece) }
        }
      } catch {
        // Another process has created a file of this name.
        guard case .outputExists = error.kind else { throw error }
        continue
      }
      do throws(RealmFileError) {
        try copy.publish()
        return name
      } catch {
        // The file may already have its final name; then only the sync of the folder failed.
        if !copy.isFile { remove(name) }
        guard case .outputExists = error.kind else { throw error }
      }
    }
  }

  /// Removes the backup after a failed command.
  package static func remove(_ path: String) { _ = unsafe unlink(path) }
}
