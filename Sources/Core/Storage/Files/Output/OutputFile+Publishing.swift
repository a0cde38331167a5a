import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes an output visible under its name.
extension OutputFile {
  /// Syncs the bytes, gives the file its final name and syncs the folder.
  ///
  /// - Throws: `outputExists` if the target appeared meanwhile; `inputOutput`, `cannotCreate`.
  public func publish() throws(RealmFileError) {
    switch state {
    case .stream, .unlinked, .published: return
    case .nameless, .temporary: break
    }
    do throws(RealmFileError) {
      try setAttributes()
      try sync()
      try moveToTarget()
      state = .published
      try syncFolder()
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Gives the file its final name, in one step.
  private func moveToTarget() throws(RealmFileError) {
    if case .nameless = state {
      if try link(to: target) { return }
      guard replacing else { throw RealmFileError(.outputExists) }
      try takeTemporaryName()
    }
    guard case .temporary(let name) = state else { return }
    try rename(name.path)
    name.forget()
  }

  /// Gives a file without a name the name `name`, in one step.
  ///
  /// - Returns: false if a file of this name exists.
  /// - Throws: `cannotCreate`.
  private func link(to name: String) throws(RealmFileError) -> Bool {
    let linked = operations.run(.link) {
      unsafe csystem_link_nameless(descriptor.number, name)
    }
    guard case .failure(let error) = linked else { return true }
    guard error.number == EEXIST else {
      throw RealmFileError(.cannotCreate(SystemError(error.number, "give the output its name")))
    }
    return false
  }

  /// Gives a file without a name a temporary one.
  ///
  /// - Throws: `cannotCreate`.
  func takeTemporaryName() throws(RealmFileError) {
    for _ in 0..<TemporaryName.attempts {
      let name = TemporaryName(beside: target)
      do throws(RealmFileError) {
        if try link(to: name.path) {
          state = .temporary(name)
          return
        }
      } catch {
        name.forget()
        throw error
      }
      name.forget()
    }
    throw RealmFileError(.cannotCreate(SystemError(EEXIST, "give the output its name")))
  }

  /// Sets the permissions of the result and, if they come from another file, its owner, group and times.
  private func setAttributes() throws(RealmFileError) {
    if let original {
      // Only the superuser can change the owner; others may still be able to set the group.
      if fchown(descriptor.number, original.st_uid, original.st_gid) != 0 {
        _ = fchown(descriptor.number, uid_t.max, original.st_gid)
      }
      if keepsTimes {
        let times = [original.accessed, original.modified].map {
          timespec(tv_sec: Int($0.seconds), tv_nsec: Int($0.nanoseconds))
        }
        _ = unsafe futimens(descriptor.number, times)
      }
    }
    if let attributes {
      var time = timespec()
      (time.tv_sec, time.tv_nsec) = (attributes.seconds, attributes.nanoseconds)
      let times = [time, time]
      _ = unsafe futimens(descriptor.number, times)
    }
    try operations.must(.setAttributes) {
      .cannotCreate(SystemError($0, "set the permissions"))
    } _: {
      fchmod(descriptor.number, mode)
    }
  }

  private func sync() throws(RealmFileError) {
    try operations.must(.sync) {
      .inputOutput(SystemError($0, "sync the output"))
    } _: {
      csystem_sync(descriptor.number)
    }
  }

  /// Renames the temporary file to the target in one step.
  private func rename(_ temporary: String) throws(RealmFileError) {
    let renamed = operations.run(.rename) {
      replacing
        ? unsafe renameat(AT_FDCWD, temporary, AT_FDCWD, target)
        : unsafe csystem_rename_without_replacing(temporary, target)
    }
    guard case .failure(let error) = renamed else { return }
    guard replacing || error.number != EEXIST else { throw RealmFileError(.outputExists) }
    throw RealmFileError(.cannotCreate(SystemError(error.number, "rename the output")))
  }

  private func syncFolder() throws(RealmFileError) {
    let number = unsafe open(OutputFile.folder(of: target), O_RDONLY | O_CLOEXEC)
    // A folder that is writable but not readable cannot be synced; the file itself is synced.
    guard number >= 0 else { return }
    let folder = FileDescriptor(owning: number)
    let synced = operations.run(.syncFolder) { fsync(folder.number) }
    // EINVAL: the file system does not support syncing folders.
    if case .failure(let error) = synced, error.number != EINVAL {
      throw RealmFileError(.inputOutput(SystemError(error.number, "sync the folder")))
    }
  }
}
