import RealmBrowse
import RealmJobs
import RealmModel
import RealmStorage

/// The changes of a shell that are not saved yet. Used by one thread.
final class ShellDraft {
  private let draft = Draft(file: nil)
  private let realm: ShellRealm
  private let memoryByteCount: Int
  /// Whether the next save in place keeps the original.
  private var keepsOriginal: Bool
  /// The version with the changes laid over it, for the version and the revision of the draft that it was made for.
  private var laid: (view: RealmView, revision: Int, result: RealmView)?

  init(_ realm: ShellRealm, keepsOriginal: Bool, memoryByteCount: Int) {
    (self.realm, self.keepsOriginal) = (realm, keepsOriginal)
    self.memoryByteCount = memoryByteCount
  }

  /// The number of changed objects.
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  private var target: Draft.Target {
    var target = Draft.Target(
      path: realm.path, key: realm.readable.snapshot.key, jobs: realm.jobs,
      memoryByteCount: memoryByteCount)
    target.command = "shell"
    return target
  }

  /// The version that changes are made to.
  ///
  /// - Throws: an error while the shell shows the version before the newest one.
  private func view() throws -> RealmView {
    guard realm.version == .latest else {
      throw ErrorReport(
        usage: "the version before the newest one cannot be changed",
        hint: "`.refresh` shows the newest version")
    }
    return try realm.forDrafts()
  }

  /// The version that the shell shows, with the changes.
  ///
  /// - Throws: an error if others changed what the draft changes; the errors of reading the realm.
  func shown() throws -> RealmView {
    let view = try view()
    let revision = try draft.status(over: view).state.revision
    if let laid, laid.view === view, laid.revision == revision { return laid.result }
    guard let result = try draft.laidOver(view, target) else {
      throw ErrorReport(
        usage: "the realm has other values where the draft changes some",
        hint: "`.save` lists them; `.discard` drops the changes")
    }
    laid = (view, revision, result)
    return result
  }

  // MARK: Changes

  /// Makes a change, and counts again.
  private func changing<Result>(_ change: (RealmView) throws -> Result) throws -> Result {
    let view = try view()
    let result: Result
    do {
      result = try change(view)
    } catch {
      // What looks like damage may be a version that was overwritten.
      try realm.readable.snapshot.prove()
      throw error
    }
    count = try draft.status(over: view).state.count
    return result
  }

  func update(_ assignments: [String], _ request: EditRequest) throws -> (
    found: Int, changed: Int
  ) {
    let shown = try shown()
    return try changing { try draft.update(assignments, request, in: shown, over: $0) }
  }

  func delete(_ request: EditRequest) throws -> Int {
    let shown = try shown()
    return try changing { try draft.delete(request, in: shown, over: $0) }
  }

  func insert(_ object: String, ofClassAt position: Int) throws {
    try changing { try draft.insert(Array(object.utf8), ofClassAt: position, over: $0) }
  }

  /// - Returns: whether there was something to take back.
  func undo() throws -> Bool { try changing { try draft.undo(over: $0) } }

  /// - Returns: whether there was something to make again.
  func redo() throws -> Bool { try changing { try draft.redo(over: $0) } }

  func discard() throws { try changing { try draft.discard(over: $0) } }

  // MARK: Saving

  /// Saves the changes in the realm or in a new file. In the realm, the shell then shows the new version.
  ///
  /// - Parameters:
  ///   - path: the new file; nil for the realm.
  ///   - resolution: what to do about conflicts.
  /// - Throws: the errors of ``Draft/save(to:_:over:)``; the changes then stay.
  func save(as path: String?, _ resolution: PatchResolution) throws -> ApplyJob.Report {
    var report = try write(path)
    if report.isRefused, resolution != .fail {
      try realm.show(.latest)
      try changing { view in
        try draft.resolve(
          report.conflicts.map {
            DraftChoice(
              className: $0.className, identity: $0.identity, property: $0.property,
              takesDraft: resolution == .patch)
          }, over: view)
      }
      report = try write(path)
    }
    return report
  }

  private func write(_ path: String?) throws -> ApplyJob.Report {
    let destination: Draft.Destination =
      path.map { .copy(path: $0) } ?? .realm(keepsOriginal: keepsOriginal)
    let report = try changing { try draft.save(to: destination, target, over: $0) }
    guard path == nil, !report.isRefused else { return report }
    if report.rewrite != nil { keepsOriginal = false }
    try realm.show(.latest)
    return report
  }
}
