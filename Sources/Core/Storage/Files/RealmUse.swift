#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether a process has a realm open for writing, told by the lock that each of them holds on the
/// lock file beside it (chapter 1, section 6.4). Apps that open a realm read-only hold none.
public enum RealmUse {
  /// What the lock file says.
  public enum State: String, Sendable {
    /// No process has the realm open for writing.
    case free
    /// At least one process has.
    case inUse
    /// There is a lock file that cannot be examined; to be treated like ``inUse``.
    case unknown
  }

  /// A process that holds the lock.
  public struct Holder: Equatable, Sendable {
    public let processID: Int32
    /// Name of the program, empty where the system does not tell.
    public let name: String
  }

  /// Asks for the state of the realm at `path`, by taking the exclusive lock for an instant; the
  /// lock file is neither created nor changed.
  ///
  /// Where `path` is a symbolic link, the lock file beside its target counts too: an app may have
  /// the realm open by either name.
  public static func state(ofRealmAt path: String) -> State {
    let states = names(of: path).map(probe)
    if states.contains(.inUse) { return .inUse }
    return states.contains(.unknown) ? .unknown : .free
  }

  /// The processes that hold the lock, as far as the system tells: on Linux those of
  /// `/proc/locks`, elsewhere none.
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

  /// Makes sure that no process has the realm at `path` open, so that it may be replaced.
  ///
  /// - Throws: `inUse`, also where that cannot be found out.
  package static func checkIsFree(_ path: String) throws(RealmFileError) {
    guard state(ofRealmAt: path) == .free else {
      throw RealmFileError(.inUse(holders(ofRealmAt: path)), path: path)
    }
  }

  /// `path` and, for a symbolic link, what it points to.
  package static func names(of path: String) -> [String] {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let resolved = unsafe realpath(path, nil)
    else { return [path] }
    defer { unsafe free(resolved) }
    return [path, unsafe String(cString: resolved)]
  }

  /// The state by one name of the realm.
  private static func probe(_ path: String) -> State {
    let lock = path + ".lock"
    var number = openLock(lock, O_RDWR)
    // A lock may be taken on a descriptor for reading too, on local file systems.
    if number < 0, [EACCES, EPERM, EROFS].contains(errno) { number = openLock(lock, O_RDONLY) }
    guard number >= 0 else { return [ENOENT, ENOTDIR].contains(errno) ? .free : .unknown }
    // Closing releases the lock.
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
    defer { flock(descriptor.number, LOCK_UN) }
    return probeFIFO(path)
  }

  private static func openLock(_ path: String, _ mode: Int32) -> Int32 {
    unsafe open(path, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  }

  /// Apps built for iOS that run on a Mac hold a FIFO open instead of the shared lock.
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
    /// The process identifiers of the FLOCK entries for the file of `status` in a table like
    /// `/proc/locks`: `1: FLOCK  ADVISORY  READ 4711 fd:01:131085 0 EOF`.
    ///
    /// Some file systems show another device there than `stat` does, so where no entry has the
    /// device those with the inode number count.
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

    /// The parts of a device number, as the C library packs them.
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

    /// The text of a file of the proc file system, empty where it cannot be read.
    private static func contents(of path: String, limit: Int) -> String {
      guard let descriptor = try? FileDescriptor.openForReading(path),
        let bytes = try? descriptor.read(at: 0, count: limit)
      else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  #endif
}
