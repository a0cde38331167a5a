package import RealmJobs
import RealmStorage
import Synchronization

/// A realm that the user wants to look at. It is opened when the first page needs it.
///
/// A version stays open, and pages show it, until the user asks for a newer one. If no process had the realm open, its file
/// is read in place; when a process then writes to it, the version may be gone, and pages show the newest one.
package final class BrowsedRealm: Sendable {
  package let path: String
  private let keys: RememberedKey
  private let cacheByteCount: Int
  let jobs: Int
  private let state = Mutex(State())
  private let edits = Mutex<RealmEdits?>(nil)
  /// Held while the realm is opened, so that it is opened once.
  private let opening = Mutex(())

  private struct State {
    var latest: RealmView?
    var previous: RealmView?
    var tasks: [String: BackgroundTask] = [:]
  }

  /// - Parameters:
  ///   - cacheByteCount: maximum bytes of decrypted pages of an encrypted realm that are cached.
  ///   - jobs: number of threads for work on the whole realm.
  package init(path: String, keys: any RealmKeySource, cacheByteCount: Int, jobs: Int) {
    (self.path, self.keys) = (path, RememberedKey(keys))
    (self.cacheByteCount, self.jobs) = (cacheByteCount, jobs)
  }

  /// Calls `body` with the open version. If another process replaced this version meanwhile, opens the realm again and
  /// repeats the call.
  ///
  /// - Throws: the errors of opening the realm, and those of `body` for a version that is proven to be whole.
  func withView<R>(_ version: Snapshot.Version, _ body: (RealmView) throws -> R) throws -> R {
    for access in [Snapshot.Access.whole, .copied] {
      let view = try view(version, access)
      do {
        let result = try body(view)
        try view.snapshot.prove()
        return result
      } catch {
        // What looks like damage may be a version that was overwritten.
        do {
          try view.snapshot.prove()
        } catch {
          forget(view)
          if error.kind == .changedWhileReading, access == .whole { continue }
          throw error
        }
        throw error
      }
    }
    throw RealmFileError(.changedWhileReading, path: path)
  }

  /// The open version, which is opened first if there is none.
  private func view(
    _ version: Snapshot.Version, _ access: Snapshot.Access
  ) throws -> RealmView {
    try opening.withLock { _ in
      if let known = state.withLock({ version == .latest ? $0.latest : $0.previous }) {
        return known
      }
      let snapshot = try keys.open(path) { key in
        try Snapshot(
          path: path, key: key, version: version, access: access, cacheByteCount: cacheByteCount)
      }
      let view = try RealmView(snapshot, jobs: jobs)
      state.withLock { state in
        switch version {
        case .latest: state.latest = view
        case .previous: state.previous = view
        }
      }
      return view
    }
  }

  private func forget(_ view: RealmView) {
    state.withLock { state in
      if state.latest === view { state.latest = nil }
      if state.previous === view { state.previous = nil }
    }
  }

  /// Makes the next page show the newest version.
  func renew() {
    state.withLock { state in
      state.latest = nil
      state.previous = nil
      state.tasks = [:]
    }
  }

  /// Calls `body` with what saving the realm needs.
  ///
  /// - Throws: the errors of the key and of `body`.
  func withTarget<R>(_ body: (Draft.Target) throws -> R) throws -> R {
    try keys.open(path) { key in
      try body(
        Draft.Target(
          path: path, key: key, jobs: jobs, memoryByteCount: MemoryBudget.usualLimit))
    }
  }

  /// The newest version in the file, from its header and top array.
  ///
  /// - Throws: the errors of opening the realm.
  func newestVersion() throws -> Int {
    try keys.open(path) { key in
      try Snapshot.withBriefSnapshot(path: path, key: key, cacheByteCount: 1 << 20) { snapshot in
        snapshot.top.version
      }
    }
  }

  /// Facts about the realm.
  func info(_ version: Snapshot.Version, withDetail: Bool) throws -> InfoJob.Report {
    try keys.open(path) { key in
      try InfoJob(
        path: path, key: key, version: version, cacheByteCount: cacheByteCount,
        withDetail: withDetail
      ).run()
    }
  }

  /// What is edited and not saved yet.
  ///
  /// - Throws: the errors of naming the files that keep it.
  func edits(_ editing: Editing) throws(RealmFileError) -> RealmEdits {
    try edits.withLock { edits throws(RealmFileError) in
      if let edits { return edits }
      let made = try RealmEdits(editing, path: path)
      edits = made
      return made
    }
  }

  /// The work with this name; nil if it was not started.
  func startedTask(_ name: String, _ version: Snapshot.Version) -> BackgroundTask? {
    state.withLock { $0.tasks["\(name) \(version)"] }
  }

  /// The work with this name, which is started if it was not yet.
  ///
  /// - Parameter work: runs with the key of the realm on a thread of its own, and reports progress.
  func task<Report: Sendable>(
    _ name: String, _ version: Snapshot.Version,
    _ work: @escaping @Sendable (TaskContext) throws -> Report
  ) -> BackgroundTask {
    state.withLock { state in
      let name = "\(name) \(version)"
      if let known = state.tasks[name] { return known }
      let context = context(version)
      let task = BackgroundTask { progress in
        var context = context
        context.progress = progress
        return try work(context)
      }
      state.tasks[name] = task
      return task
    }
  }

  func context(_ version: Snapshot.Version) -> TaskContext {
    TaskContext(
      path: path, keys: keys, version: version, cacheByteCount: cacheByteCount, jobs: jobs)
  }

  /// Forgets the result of the work with this name, so that it is done again.
  func forgetTask(_ name: String, _ version: Snapshot.Version) {
    state.withLock { $0.tasks["\(name) \(version)"] = nil }
  }
}

/// What work on the whole realm needs.
struct TaskContext: Sendable {
  let path: String
  let keys: RememberedKey
  let version: Snapshot.Version
  let cacheByteCount: Int
  let jobs: Int
  /// Receives the amount of work done and the total.
  var progress: @Sendable (Int, Int) -> Void = { _, _ in }
}

/// The key of one realm, which is asked for until it opened the realm once: a command that prints it runs once.
final class RememberedKey: RealmKeySource {
  private let source: any RealmKeySource
  /// The key that opened the realm; none at first, nil in it for a realm without a key.
  private let known = Mutex<[RealmKey?]>([])

  init(_ source: any RealmKeySource) { self.source = source }

  func open<Realm>(_ path: String, _ open: (RealmKey?) throws -> Realm) throws -> Realm {
    if let key = known.withLock({ $0.first }) { return try open(key) }
    return try source.open(path) { key in
      let realm = try open(key)
      known.withLock { $0 = [key] }
      return realm
    }
  }
}
