#if os(Linux)
  import Glibc
  import Testing

  @testable import RealmStorage

  @Suite("Temporary files")
  struct UnlinkedFileTests {
    @Test("an error of writing one names the folder of temporary files")
    func fullDisk() throws {
      let full = FileDescriptor(owning: unsafe open("/dev/full", O_RDWR | O_CLOEXEC))
      #expect(
        throws: RealmFileError(
          .inputOutput(SystemError(ENOSPC, "write a temporary file")), path: UnlinkedFile.folder)
      ) {
        try unsafe [UInt8](repeating: 1, count: 10).withUnsafeBytes {
          try unsafe UnlinkedFile.write($0, at: 5, of: full)
        }
      }
    }
  }
#endif
