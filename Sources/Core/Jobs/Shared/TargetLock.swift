import RealmStorage

/// Locks the realm that a result replaces.
enum TargetLock {
  /// Exclusive access to the realm at `target`; nil if there is no file.
  ///
  /// - Throws: `inUse`.
  static func take(
    _ target: String, _ operations: FileOperations
  ) throws(RealmFileError) -> RealmLock? {
    try RealmUse.checkIsFree(target)
    return OutputFile.isRegular(target)
      ? try RealmLock(realm: target, operations: operations) : nil
  }
}
