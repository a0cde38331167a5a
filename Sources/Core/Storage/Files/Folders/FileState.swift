import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The size and time of a file: if both are as they were, the file has not changed.
package struct FileState: Equatable, Sendable {
  /// In bytes.
  package let size: Int
  /// The time of the last change.
  package let modified: UTCTime

  package init(size: Int, modified: UTCTime) {
    (self.size, self.modified) = (size, modified)
  }

  /// The state of the file at `path`; symbolic links are followed. Nil if there is no such file.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let time = status.modified
    size = Int(status.st_size)
    modified = UTCTime(seconds: Int(time.seconds), nanoseconds: Int(time.nanoseconds))
  }
}
