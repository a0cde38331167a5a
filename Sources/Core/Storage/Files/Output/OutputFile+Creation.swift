import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Creates the file for the bytes of an output.
extension OutputFile {
  /// Opens a pipe or a device for writing.
  ///
  /// - Throws: `cannotCreate`, also for a folder.
  static func openStream(
    _ path: String, isFolder: Bool
  ) throws(RealmFileError) -> FileDescriptor {
    let number = isFolder ? -1 : unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard number >= 0 else {
      let reason = SystemError(isFolder ? EISDIR : errno, "write to this path")
      throw RealmFileError(.cannotCreate(reason), path: path)
    }
    return FileDescriptor(owning: number)
  }

  /// A new file for the bytes.
  struct Created {
    let state: State
    let descriptor: FileDescriptor
    /// The permissions that the system gave it, after the umask.
    let mode: mode_t

    init(_ state: State, _ descriptor: FileDescriptor) throws(RealmFileError) {
      (self.state, self.descriptor) = (state, descriptor)
      mode = try descriptor.status().st_mode & 0o777
      // Until it is published, only the owner can read it.
      fchmod(descriptor.number, 0o600)
    }
  }

  /// Creates a file in the folder of `target`, without a name if possible, and locks it.
  ///
  /// - Throws: `cannotCreate`, `inputOutput`, with `path`.
  static func create(
    beside target: String, path: String, mode: mode_t, _ operations: FileOperations
  ) throws(RealmFileError) -> Created {
    do throws(RealmFileError) {
      if let nameless = try createNameless(in: folder(of: target), mode, operations) {
        return nameless
      }
      return try createTemporary(beside: target, mode, operations)
    } catch {
      throw error.adding(path: path)
    }
  }

  /// The error numbers of a system, a file system or a sandbox without files that have no name.
  private static let namelessUnsupported: Set = [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, EPERM]

  /// Nil if there are no files without a name, or if it is not certain that they can get one later.
  private static func createNameless(
    in folder: String, _ mode: mode_t, _ operations: FileOperations
  ) throws(RealmFileError) -> Created? {
    guard FileSystem.isLocal(folder) else { return nil }
    let opened = operations.run(.createNameless) {
      unsafe csystem_open_nameless(folder, mode)
    }
    let descriptor: FileDescriptor
    switch opened {
    case .success(let number): descriptor = FileDescriptor(owning: number)
    case .failure(let error):
      if namelessUnsupported.contains(error.number) { return nil }
      throw RealmFileError(.cannotCreate(SystemError(error.number, "create the file")))
    }
    // The lock counts from the moment in which the file has a temporary name.
    guard csystem_can_link_nameless(descriptor.number) != 0, descriptor.lock() else { return nil }
    return try Created(.nameless, descriptor)
  }

  private static func createTemporary(
    beside target: String, _ mode: mode_t, _ operations: FileOperations
  ) throws(RealmFileError) -> Created {
    var problem = EEXIST
    for _ in 0..<TemporaryName.attempts where problem == EEXIST {
      let name = TemporaryName(beside: target)
      let opened = operations.run(.create) {
        unsafe open(name.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      }
      switch opened {
      case .success(let number):
        let descriptor = FileDescriptor(owning: number)
        // Until the file is locked, another run takes it for an abandoned one.
        guard descriptor.lock(), exists(name.path) else {
          name.remove()
          continue
        }
        do throws(RealmFileError) {
          return try Created(.temporary(name), descriptor)
        } catch {
          name.remove()
          throw error
        }
      case .failure(let error):
        name.forget()
        problem = error.number
      }
    }
    throw RealmFileError(.cannotCreate(SystemError(problem, "create the file")))
  }
}
