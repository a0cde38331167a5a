import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program of this process, run again with other arguments.
package enum OwnProgram {
  /// Runs the program to its end. It has the standard streams of this process.
  ///
  /// - Parameters:
  ///   - arguments: without the name of the program.
  ///   - hasInput: whether it may read from standard input.
  /// - Returns: its exit status, as a shell has it; nil if it could not be started.
  package static func run(_ arguments: [String], hasInput: Bool) -> Int32? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard unsafe csystem_own_path(&path, path.count) == 0 else { return nil }
    var strings = unsafe (["realm-cli"] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for i in unsafe strings.indices { unsafe free(strings[i]) } }
    let status = unsafe csystem_run(path, &strings, hasInput ? 1 : 0)
    return status < 0 ? nil : status
  }
}
