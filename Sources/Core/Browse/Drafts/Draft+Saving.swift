import RealmInterchange
package import RealmJobs
import RealmModel
package import RealmStorage

extension Draft {
  /// Where a draft is saved.
  package enum Destination: Sendable {
    /// The realm itself.
    case realm(keepsOriginal: Bool)
    /// A new file.
    case copy(path: String)

    /// The destination of a job.
    var rewritten: RealmDestination {
      switch self {
      case .realm(let keepsOriginal): .inPlace(backup: keepsOriginal)
      case .copy(let path): .file(path, replacing: false)
      }
    }
  }

  /// What saving needs to know about the realm.
  package struct Target: Sendable {
    package var path: String
    package var key: RealmKey?
    /// Number of threads.
    package var jobs: Int
    /// The most bytes of links, index entries and records in memory.
    package var memoryByteCount: Int
    /// The command that a kept original is named after.
    package var command = "browse"

    package init(path: String, key: RealmKey?, jobs: Int, memoryByteCount: Int) {
      (self.path, self.key, self.jobs) = (path, key, jobs)
      self.memoryByteCount = memoryByteCount
    }
  }

  /// Saves the draft with the job of `apply`. If the realm has conflicting changes, nothing is written; the report lists them.
  ///
  /// - Throws: the errors of ``ApplyJob/run(progress:)``; the draft then stays.
  package func save(
    to destination: Destination, _ target: Target, over view: RealmView
  ) throws -> ApplyJob.Report {
    var report: ApplyJob.Report?
    try save(over: view) { (_, text) in
      let made = try job(text, destination, target).run()
      report = made
      if case .realm = destination { return !made.isRefused }
      return false
    }
    guard let report else { throw RealmFileError(.changedWhileReading, path: target.path) }
    return report
  }

  /// Finds out what saving the draft in the realm would do, and which changes conflict with those of others.
  ///
  /// - Throws: the errors of ``ApplyJob/run(progress:)``.
  package func trial(_ target: Target, over view: RealmView) throws -> ApplyJob.Report {
    let text = try patch(over: view)
    return try job(text, .realm(keepsOriginal: false), target, isDryRun: true).run()
  }

  func job(
    _ text: [UInt8], _ destination: Destination, _ target: Target, isDryRun: Bool = false
  ) throws -> ApplyJob {
    var request = ApplyJob.Request()
    (request.jobs, request.memoryByteCount) = (target.jobs, target.memoryByteCount)
    return ApplyJob(
      try Patch(text: text, name: "the draft"), to: target.path, key: target.key,
      destination: destination.rewritten, request: request, command: target.command,
      isDryRun: isDryRun)
  }
}

/// What to do about a conflict between a draft and the realm: a value that both changed.
package struct DraftChoice: Sendable {
  package var className: String
  /// The identity of the object as Realm JSON.
  package var identity: String
  package var property: String
  /// Whether saving takes the value of the draft; otherwise the realm keeps its own.
  package var takesDraft: Bool

  package init(className: String, identity: String, property: String, takesDraft: Bool) {
    (self.className, self.identity, self.property) = (className, identity, property)
    self.takesDraft = takesDraft
  }
}

extension Draft {
  /// Changes the draft so that it has no conflict with the realm at the chosen values.
  ///
  /// - Parameter view: the newest version of the realm.
  /// - Throws: the errors of reading the realm, and of keeping the draft.
  package func resolve(_ choices: [DraftChoice], over view: RealmView) throws {
    try edit(over: view) { edit in
      for object in edit.state.sorted {
        let owner = view.schema.classes[object.classPosition]
        let identity = edit.text(object.identity)
        let own = choices.filter { $0.className == owner.name.text && $0.identity == identity }
        guard !own.isEmpty else { continue }
        var takesDraft: [Int: Bool] = [:]
        for choice in own {
          if let property = owner.position(ofPropertyNamed: choice.property) {
            takesDraft[property] = choice.takesDraft
          }
        }
        try edit.resolve(object, takesDraft)
      }
    }
  }
}

extension DraftEdit {
  /// Changes the change of an object so that it has no conflict with the stored object.
  ///
  /// - Parameter takesDraft: whether the draft keeps its value of a property, for those with a conflict.
  fileprivate mutating func resolve(_ object: DraftObject, _ takesDraft: [Int: Bool]) throws {
    let address = object.address
    guard let key = try stored.key(address) else {
      // What an added object links to may be gone; any other object has nothing left to change.
      guard object.kind == .added else { return forget(address) }
      return try set(
        .added, object.key, old: [:], new: try withoutMissingTargets(object.new), address)
    }
    let whole = try stored.object(key, address.classPosition)
    if object.kind == .removed {
      guard takesDraft.values.allSatisfy(\.self) else { return forget(address) }
      return try restore(
        PatchLine(
          classPosition: address.classPosition, identity: address.identity,
          old: try currentValues(object.old.keys, of: whole), new: nil))
    }
    var new = object.new
    for (property, isKept) in takesDraft where !isKept { new[property] = nil }
    new = try withoutMissingTargets(new)
    var old = try currentValues(new.keys, of: whole)
    for (property, value) in object.old where takesDraft[property] == nil { old[property] = value }
    try set(.changed, key, old: old, new: new, address)
  }

  private func currentValues(
    _ properties: Dictionary<Int, RealmValue>.Keys, of whole: ObjectBatch
  ) throws(RealmFileError) -> [Int: RealmValue] {
    var values: [Int: RealmValue] = [:]
    for property in properties { values[property] = try stored.value(property, of: whole) }
    return values
  }

  private func withoutMissingTargets(
    _ values: [Int: RealmValue]
  ) throws(RealmFileError) -> [Int: RealmValue] {
    var values = values
    for (property, value) in values {
      for link in value.allLinks where !link.isUnresolved {
        guard try !hasTarget(link) else { continue }
        values[property] = values[property]?.withoutLinks(to: DraftAddress(of: link))
      }
    }
    return values
  }
}
