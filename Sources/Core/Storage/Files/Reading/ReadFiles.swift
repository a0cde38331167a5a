import CSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files that a command has opened to read: realms, texts, plans, lists and keys. Its outputs must not replace them,
/// whatever names the user gave.
///
/// A program that uses the libraries may replace what it has read, so this is off until ``protect()``.
package enum ReadFiles {
  /// A file and the time of its last change: after that, its number can belong to another file.
  private struct Identity: Hashable {
    let device: dev_t
    let number: ino_t
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      (device, number) = (status.st_dev, status.st_ino)
      let changed = status.changed
      (seconds, nanoseconds) = (Int(changed.seconds), Int(changed.nanoseconds))
    }
  }

  /// Nil if the files are not protected.
  private static let identities = Mutex<Set<Identity>?>(nil)

  /// From now on, no output replaces a file that this process has read.
  package static func protect() {
    identities.withLock { $0 = $0 ?? [] }
  }

  /// Adds the file at `descriptor`, if it is a regular one.
  static func add(_ descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let identity = Identity(status)
    identities.withLock { _ = $0?.insert(identity) }
  }

  /// Checks that the file at `path` is none of them.
  ///
  /// - Throws: `outputIsRead`, without a path.
  static func checkIsNone(_ path: String) throws(RealmFileError) {
    guard let status = OutputFile.status(of: path) else { return }
    let identity = Identity(status)
    guard !identities.withLock({ $0?.contains(identity) ?? false }) else {
      throw RealmFileError(.outputIsRead)
    }
  }
}
