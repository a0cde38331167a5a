import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The attributes of a file that a backup keeps in addition to its bytes.
package struct FileAttributes: Equatable, Sendable {
  /// The nine permission bits.
  package var mode: Int
  /// The time of the last change, since 1970 in UTC.
  package var seconds: Int
  package var nanoseconds: Int

  package init(mode: Int, seconds: Int, nanoseconds: Int) {
    (self.mode, self.seconds, self.nanoseconds) = (mode, seconds, nanoseconds)
  }

  /// The attributes of the file at `path`; symbolic links are followed.
  ///
  /// - Throws: `unreadable`, with the path.
  package init(ofFileAt path: String) throws(RealmFileError) {
    let status: stat
    do throws(RealmFileError) {
      status = try FileDescriptor.openForReading(path).status()
    } catch {
      throw error.adding(path: path)
    }
    mode = Int(status.st_mode & 0o777)
    let time = status.modified
    (seconds, nanoseconds) = (Int(time.seconds), Int(time.nanoseconds))
  }
}
