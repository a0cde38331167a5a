import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The times of a file, which each system names in another way.
extension stat {
  var accessed: csystem_time {
    unsafe withUnsafePointer(to: self) { unsafe csystem_accessed($0) }
  }

  /// The time of the last change of the content.
  var modified: csystem_time {
    unsafe withUnsafePointer(to: self) { unsafe csystem_modified($0) }
  }

  /// The time of the last change of content or attributes.
  var changed: csystem_time {
    unsafe withUnsafePointer(to: self) { unsafe csystem_changed($0) }
  }
}
