import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds out whether a process has a realm open for writing. Each such process holds a lock on the lock file
/// beside the realm (chapter 1, section 6.4). Apps that open a realm read-only hold none.
public enum RealmUse {
  /// The state of a realm, from its lock file.
  public enum State: String, Sendable {
    /// No process has the realm open for writing.
    case free
    /// At least one process has the realm open for writing.
    case inUse
    /// The lock file cannot be examined. Treat it like ``inUse``.
    case unknown
  }

  /// A process that holds the lock.
  public struct Holder: Equatable, Sendable {
    public let processID: Int32
    /// The name of the program; empty if it is unknown.
    public let name: String
  }

  /// The state of the realm at `path`. Takes the exclusive lock for a moment; the lock file is neither created
  /// nor changed.
  ///
  /// If `path` is a symbolic link, the lock file beside its target counts too, because an app may have the realm
  /// open by either name.
  public static func state(ofRealmAt path: String) -> State {
    let states = names(of: path).map(probe)
    if states.contains(.inUse) { return .inUse }
    return states.contains(.unknown) ? .unknown : .free
  }

  /// The known processes that hold the lock: those in the system's table of locks, which only Linux has.
  public static func holders(ofRealmAt path: String) -> [Holder] {
    guard let table = unsafe csystem_lock_table().map({ unsafe contents(of: String(cString: $0)) })
    else { return [] }
    return names(of: path).flatMap { name -> [Holder] in
      guard let status = OutputFile.status(of: name + ".lock") else { return [] }
      return processes(locking: status, table: table).map {
        Holder(processID: $0, name: programName(of: $0))
      }
    }
  }

  /// Checks that no process has the realm at `path` open, so that it may be replaced.
  ///
  /// - Throws: `inUse`, also if the state is unknown.
  package static func checkIsFree(_ path: String) throws(RealmFileError) {
    guard state(ofRealmAt: path) == .free else {
      throw RealmFileError(.inUse(holders(ofRealmAt: path)), path: path)
    }
  }

  /// `path` and, for a symbolic link, its target.
  package static func names(of path: String) -> [String] {
    guard TargetFolder.isLink(path) else { return [path] }
    // A dangling link has no absolute path.
    let target = Folder.absolutePath(path)
    return target == path ? [path] : [path, target]
  }

  /// The state by one name of the realm.
  private static func probe(_ path: String) -> State {
    let lock = path + ".lock"
    var number = openLock(lock, O_RDWR)
    // A read-only descriptor can be locked too, on local file systems.
    if number < 0, [EACCES, EPERM, EROFS].contains(errno) { number = openLock(lock, O_RDONLY) }
    guard number >= 0 else {
      return [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) ? .free : .unknown
    }
    let descriptor = FileDescriptor(owning: number)
    guard let status = try? descriptor.status(), status.st_mode & S_IFMT == S_IFREG else {
      return .unknown
    }
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return .inUse
      default: return .unknown
      }
    }
    return withExtendedLifetime(FileLock(held: descriptor)) { probeFIFO(path) }
  }

  private static func openLock(_ path: String, _ mode: Int32) -> Int32 {
    unsafe open(path, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  }

  /// The state by the FIFO that iOS apps running on macOS hold open instead of a lock. Other systems have none.
  static func probeFIFO(_ path: String) -> State {
    let fifo = path + ".management/lock.fifo"
    let number = unsafe open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      return [ENOENT, ENOTDIR, ENAMETOOLONG, ENXIO].contains(errno) ? .free : .unknown
    }
    guard let status = try? FileDescriptor(owning: number).status() else { return .unknown }
    return status.st_mode & S_IFMT == S_IFIFO ? .inUse : .free
  }

  /// The process identifiers of the FLOCK entries for the file with `status` in a table with the format of
  /// `/proc/locks`: `1: FLOCK  ADVISORY  READ 4711 fd:01:131085 0 EOF`.
  ///
  /// Some file systems have another device there than in `stat`. If no entry has the device, all entries with
  /// the inode number count.
  static func processes(locking status: stat, table: String) -> [Int32] {
    let device = (major: major(status.st_dev), minor: minor(status.st_dev))
    var exact: [Int32] = []
    var sameInode: [Int32] = []
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      // Waiting requests have an arrow in field 1.
      guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0
      else { continue }
      let place = fields[5].split(separator: ":")
      guard place.count == 3, UInt64(place[2]) == UInt64(status.st_ino) else { continue }
      sameInode.append(process)
      if UInt64(place[0], radix: 16) == device.major, UInt64(place[1], radix: 16) == device.minor {
        exact.append(process)
      }
    }
    let found = exact.isEmpty ? sameInode : exact
    return Array(Set(found)).sorted()
  }

  /// The major part of a device number, as Linux packs it.
  private static func major(_ device: dev_t) -> UInt64 {
    let device = UInt64(truncatingIfNeeded: device)
    return device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
  }

  private static func minor(_ device: dev_t) -> UInt64 {
    let device = UInt64(truncatingIfNeeded: device)
    return device & 0xFF | device >> 12 & 0xFFFF_FF00
  }

  private static func programName(of process: Int32) -> String {
    var name = [CChar](repeating: 0, count: 64)
    unsafe csystem_program_name(process, &name, name.count)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The content of a table of locks; empty if it cannot be read.
  private static func contents(of path: String) -> String {
    guard let descriptor = try? FileDescriptor.openForReading(path),
      let bytes = try? descriptor.read(at: 0, count: 1 << 22)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
