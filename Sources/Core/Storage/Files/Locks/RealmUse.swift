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

  /// The known processes that hold the lock: on Linux those in `/proc/locks`, elsewhere none.
  public static func holders(ofRealmAt path: String) -> [Holder] {
    #if os(Linux)
      let table = contents(of: "/proc/locks", limit: 1 << 22)
      return names(of: path).flatMap { name -> [Holder] in
        var status = stat()
        guard unsafe stat(name + ".lock", &status) == 0 else { return [] }
        return processes(locking: status, table: table).map {
          Holder(processID: $0, name: programName(of: $0))
        }
      }
    #else
      return []
    #endif
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

  /// The state by the FIFO that iOS apps running on macOS hold open instead of a lock.
  static func probeFIFO(_ path: String) -> State {
    #if os(macOS)
      let number = unsafe open(
        path + ".management/lock.fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      guard number < 0 else {
        close(number)
        return .inUse
      }
      return [ENOENT, ENOTDIR, ENXIO].contains(errno) ? .free : .unknown
    #else
      return .free
    #endif
  }

  #if os(Linux)
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
        if UInt64(place[0], radix: 16) == device.major, UInt64(place[1], radix: 16) == device.minor
        {
          exact.append(process)
        }
      }
      let found = exact.isEmpty ? sameInode : exact
      return Array(Set(found)).sorted()
    }

    /// The major part of a device number, as the C library packs it.
    private static func major(_ device: dev_t) -> UInt64 {
      let device = UInt64(device)
      return device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
    }

    private static func minor(_ device: dev_t) -> UInt64 {
      let device = UInt64(device)
      return device & 0xFF | device >> 12 & 0xFFFF_FF00
    }

    private static func programName(of process: Int32) -> String {
      let line = contents(of: "/proc/\(process)/comm", limit: 64)
      return String(line.prefix { $0 != "\n" })
    }

    /// The content of a file in `/proc`; empty if it cannot be read.
    private static func contents(of path: String, limit: Int) -> String {
      guard let descriptor = try? FileDescriptor.openForReading(path),
        let bytes = try? descriptor.read(at: 0, count: limit)
      else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  #endif
}
