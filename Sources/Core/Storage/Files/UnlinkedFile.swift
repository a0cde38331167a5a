#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes files without a name, mode 0600: what is in them goes with the last descriptor, even when the
/// process is killed.
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
    // The six X are what mkstemp demands at the end, and replaces to make the name a new one.
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

  /// A new file that never has a name, where the system and the file system offer that.
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

  /// A copy of the whole of `file` that shares its blocks, where the file system can do that; nil
  /// elsewhere.
  ///
  /// - Parameter path: a path of the file: a clone is made in its folder on Linux, where it never has
  ///   a name, and in ``folder`` elsewhere.
  static func clone(of file: FileDescriptor, at path: String) -> FileDescriptor? {
    #if os(Linux)
      let parent = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
      guard let clone = makeNameless(in: parent) else { return nil }
      // FICLONE of linux/fs.h: _IOW(0x94, 9, int), the same on all architectures we run on.
      return ioctl(clone.number, 0x4004_9409, file.number) == 0 ? clone : nil
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
