#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Creates temporary files without a name, with mode 0600. They disappear with their last descriptor, even if
/// the process is killed.
package enum UnlinkedFile {
  /// The folder for temporary files: `TMPDIR`, or `/tmp`.
  package static var folder: String {
    guard let value = unsafe getenv("TMPDIR"), unsafe value.pointee != 0 else { return "/tmp" }
    return unsafe String(cString: value)
  }

  /// A new empty file in ``folder``, open for reading and writing.
  ///
  /// - Throws: `cannotCreate`, with the folder as path.
  package static func make() throws(RealmFileError) -> FileDescriptor {
    let nameless = openNameless(in: folder)
    if nameless >= 0 { return FileDescriptor(owning: nameless) }
    // Where files get a name for a moment, a process can be killed in it.
    TemporaryFile.cleanUp(folder)
    var problem = EEXIST
    for _ in 0..<TemporaryName.attempts where problem == EEXIST {
      let name = TemporaryName(beside: folder + "/data")
      let number = unsafe open(name.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if number >= 0 {
        name.remove()
        return FileDescriptor(owning: number)
      }
      problem = errno
      name.forget()
    }
    throw RealmFileError(
      .cannotCreate(SystemError(problem, "create a temporary file")), path: folder)
  }

  /// Writes all of `buffer` to a file made by ``make()``.
  ///
  /// - Throws: `inputOutput`, with the folder as path.
  @unsafe
  static func write(
    _ buffer: UnsafeRawBufferPointer, at offset: Int, of file: FileDescriptor
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try unsafe file.write(buffer, at: offset)
    } catch {
      guard case .inputOutput(let cause) = error.kind else { throw error }
      throw RealmFileError(
        .inputOutput(SystemError(cause.number, "write a temporary file")), path: folder)
    }
  }

  /// Opens a new file without a name, like `open`. Fails with `EOPNOTSUPP` or another number if the system or the file
  /// system does not support that.
  ///
  /// - Parameter mode: the permissions; the system applies the umask.
  static func openNameless(in folder: String, mode: mode_t = 0o600) -> Int32 {
    #if os(Linux)
      // O_TMPFILE, which the C library shows to GNU sources only.
      let flags = 0o20_000_000 | O_DIRECTORY
      return unsafe open(folder, O_RDWR | O_CLOEXEC | flags, mode)
    #else
      errno = EOPNOTSUPP
      return -1
    #endif
  }

  /// A copy of `file` that shares its blocks; nil if the file system does not support that.
  ///
  /// - Parameter path: a path of the file. On Linux, the copy is in the same folder, elsewhere in ``folder``.
  static func clone(of file: FileDescriptor, at path: String) -> FileDescriptor? {
    #if os(Linux)
      let parent = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
      let number = openNameless(in: parent)
      guard number >= 0 else { return nil }
      let clone = FileDescriptor(owning: number)
      return clone.shareBlocks(of: file) ? clone : nil
    #elseif canImport(Darwin)
      let name = TemporaryName(beside: folder + "/data")
      defer { name.remove() }
      guard unsafe fclonefileat(file.number, AT_FDCWD, name.path, 0) == 0 else { return nil }
      let number = unsafe open(name.path, O_RDONLY | O_CLOEXEC)
      return number < 0 ? nil : FileDescriptor(owning: number)
    #else
      return nil
    #endif
  }
}
