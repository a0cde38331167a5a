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
    if let nameless = makeNameless(in: folder) { return nameless }
    // mkstemp requires six X at the end, and replaces them to make the name unique.
    var template = Array((folder + "/" + AuxiliaryFiles.temporaryPrefix + "XXXXXX").utf8CString)
    let number = unsafe template.withUnsafeMutableBufferPointer { name -> Int32 in
      guard let start = name.baseAddress else { return -1 }
      let number = unsafe mkstemp(start)
      if number >= 0 { unsafe unlink(start) }
      return number
    }
    guard number >= 0 else {
      throw RealmFileError(
        .cannotCreate(SystemError(errno, "create a temporary file")), path: folder)
    }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return FileDescriptor(owning: number)
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

  /// A new file that never has a name, if the system and the file system support that.
  static func makeNameless(in folder: String) -> FileDescriptor? {
    #if os(Linux)
      // O_TMPFILE, which the C library shows to GNU sources only.
      let flags = 0o20_000_000 | O_DIRECTORY
      let number = unsafe open(folder, O_RDWR | O_CLOEXEC | flags, 0o600)
      return number < 0 ? nil : FileDescriptor(owning: number)
    #else
      return nil
    #endif
  }

  /// A copy of `file` that shares its blocks; nil if the file system does not support that.
  ///
  /// - Parameter path: a path of the file. On Linux, the copy is in the same folder, elsewhere in ``folder``.
  static func clone(of file: FileDescriptor, at path: String) -> FileDescriptor? {
    #if os(Linux)
      let parent = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
      guard let clone = makeNameless(in: parent) else { return nil }
      return clone.shareBlocks(of: file) ? clone : nil
    #elseif os(macOS)
      let name = "\(folder)/\(AuxiliaryFiles.temporaryPrefix)\(UInt64.random(in: 0 ... .max))"
      guard unsafe fclonefileat(file.number, AT_FDCWD, name, 0) == 0 else { return nil }
      let number = unsafe open(name, O_RDONLY | O_CLOEXEC)
      unsafe unlink(name)
      return number < 0 ? nil : FileDescriptor(owning: number)
    #else
      return nil
    #endif
  }
}
