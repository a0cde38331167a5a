import RealmBrowse
import RealmJobs
import RealmModel
import RealmStorage

/// The version of a realm that a shell shows.
///
/// It stays the same until the user asks for another one. If a process had the realm open, it is a copy; if not, and a process
/// changes the realm later, queries end in an error.
final class ShellRealm {
  let path: String
  private let keys: RealmKeys
  private let cacheByteCount: Int
  let jobs: Int
  private(set) var version: Snapshot.Version
  private(set) var readable: ReadableRealm
  /// The realm for queries; nil until the first one.
  private var current: Realm?
  /// The version for drafts; nil until the first change.
  private var view: RealmView?

  /// - Throws: the errors of opening a realm; ``KeyError``.
  init(
    path: String, keys: RealmKeys, version: Snapshot.Version, cacheByteCount: Int, jobs: Int
  ) throws {
    (self.path, self.keys, self.version) = (path, keys, version)
    (self.cacheByteCount, self.jobs) = (cacheByteCount, jobs)
    readable = try ShellRealm.open(path, keys, version, cacheByteCount)
  }

  private static func open(
    _ path: String, _ keys: RealmKeys, _ version: Snapshot.Version, _ cacheByteCount: Int
  ) throws -> ReadableRealm {
    func open(_ access: Snapshot.Access) throws -> ReadableRealm {
      let snapshot = try keys.snapshot(
        of: path, version: version, access: access, cacheByteCount: cacheByteCount)
      do throws(RealmFileError) {
        return try snapshot.proving { () throws(RealmFileError) in try ReadableRealm(snapshot) }
      } catch {
        throw error.adding(path: path)
      }
    }
    do {
      return try open(.whole)
    } catch {
      guard error.fileKind == .changedWhileReading else { throw error }
      return try open(.copied)
    }
  }

  /// Shows the newest version, or the one before it.
  ///
  /// - Throws: same as the initializer; the version shown then stays.
  func show(_ version: Snapshot.Version) throws {
    readable = try ShellRealm.open(path, keys, version, cacheByteCount)
    (self.version, current, view) = (version, nil, nil)
  }

  var isEncrypted: Bool { readable.snapshot.isEncrypted }

  /// The number of the version.
  var number: Int { readable.snapshot.top.version }

  /// Whether the file has another version than the one shown. So it is for a file that cannot be read any more.
  func hasOtherVersion() -> Bool {
    guard version == .latest else { return true }
    let newest = try? keys.open(path) { key in
      try Snapshot.withBriefSnapshot(path: path, key: key) { (snapshot) throws(RealmFileError) in
        snapshot.top.version
      }
    }
    return newest != number
  }

  /// The realm for queries.
  ///
  /// - Throws: the errors of converting a realm of formats 2 to 9.
  func forQueries() throws -> Realm {
    if let current { return current }
    let realm = try readable.current(jobs: jobs)
    current = realm
    return realm
  }

  /// The version for drafts.
  ///
  /// - Throws: the errors of reading the realm.
  func forDrafts() throws -> RealmView {
    if let view { return view }
    let made = try RealmView(readable.snapshot, jobs: jobs)
    view = made
    return made
  }
}
