import CSystem

/// Facts about the file system of a folder.
enum FileSystem {
  /// Whether only processes of this machine use the file system of `folder`, so that all of them see locks, and a file
  /// without a name can get one. False if that is unknown.
  static func isLocal(_ folder: String) -> Bool { unsafe csystem_is_local(folder) != 0 }
}
