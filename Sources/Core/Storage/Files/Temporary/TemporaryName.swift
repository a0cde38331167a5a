import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The name of a file that is not complete: `.realm-cli-<process>-<random>-<name of the result>`.
///
/// A signal that ends the process removes the file. If the process is killed, the file stays until
/// ``TemporaryFile`` removes it.
package struct TemporaryName {
  /// The start of every name of a temporary file.
  package static let prefix = ".realm-cli-"
  /// Maximum number of names to try for one file. A second attempt is already improbable.
  static let attempts = 10
  /// Common file systems limit names to 255 bytes; prefix and numbers take at most 36.
  private static let nameLimit = 200

  let path: String
  /// The slot in the table of files that a signal handler removes.
  private let slot: Int32

  /// Chooses a name in the folder of `target`. It is registered before the file exists, so that a signal at any time
  /// removes it.
  init(beside target: String) {
    let slash = target.lastIndex(of: "/")
    var name = target[(slash.map(target.index(after:)) ?? target.startIndex)...]
    while name.utf8.count > TemporaryName.nameLimit { name.removeLast() }
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    path =
      OutputFile.folder(of: target) + "/\(TemporaryName.prefix)\(getpid())-\(random)-\(name)"
    slot = unsafe csystem_register_unfinished(path)
  }

  /// Keeps the file, or the absence of one, if a signal ends the process.
  func forget() { csystem_forget_unfinished(slot) }

  /// Removes the file.
  func remove() {
    _ = unsafe unlink(path)
    forget()
  }

  /// Whether `name`, the last component of a path, has exactly the form of these names.
  static func matches(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let parts = name.dropFirst(prefix.count)
      .split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty else { return false }
    let (process, random) = (parts[0], parts[1])
    // Leading zeros and upper case never occur.
    return Int32(process).map { $0 > 0 && String($0) == process } ?? false
      && UInt64(random, radix: 36).map { String($0, radix: 36) == random } ?? false
  }
}
