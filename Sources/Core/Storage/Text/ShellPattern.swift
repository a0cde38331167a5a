#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Shell patterns for names of files, such as `*.realm`.
package enum ShellPattern {
  /// Whether `name` matches `pattern`. A `*` also matches slashes.
  package static func matches(_ name: String, _ pattern: String) -> Bool {
    unsafe fnmatch(pattern, name, 0) == 0
  }
}
