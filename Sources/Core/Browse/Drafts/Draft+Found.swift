import RealmInterchange
package import RealmJobs
import RealmModel
import RealmStorage

/// Edits that statements and queries describe. Each is one step to undo.
extension Draft {
  /// The version with the draft laid over it, as it would be saved: in an unlinked file, for queries and expressions. The version
  /// itself, if the draft is empty; nil if others changed what the draft changes.
  ///
  /// - Throws: the errors of ``ApplyJob/run(progress:)``.
  package func laidOver(_ view: RealmView, _ target: Target) throws -> RealmView? {
    guard !(try status(over: view).state.isEmpty) else { return view }
    // Not in place, so that realms of formats that are only read can be shown, too.
    let job = try job(try patch(over: view), .copy(path: target.path), target)
    let realm = try job.staged(over: view.snapshot)
    try view.snapshot.prove()
    return try realm.map { try RealmView($0.snapshot, jobs: target.jobs) }
  }

  /// Sets properties of the objects that a query finds to the values of expressions.
  ///
  /// - Parameters:
  ///   - assignments: each `property = expression`.
  ///   - laid: the version with the draft laid over it.
  /// - Returns: the numbers of objects that were found, and that get other values.
  /// - Throws: ``QueryTextError``, ``DraftError``; ``MigrationError`` for objects that cannot get their value; `embeddedClass`;
  ///   the errors of reading and of keeping the draft.
  package func update(
    _ assignments: [String], _ request: EditRequest, in laid: RealmView, over view: RealmView
  ) throws -> (found: Int, changed: Int) {
    let found = try ObjectsToEdit(request, in: laid.realm)
    try Draft.check(found.keys.count, request)
    let properties = try found.properties(assignments)
    let owner = view.schema.classes[found.classPosition]
    if let primaryKey = owner.primaryKey, properties.contains(primaryKey) {
      throw DraftError(
        .primaryKey, className: owner.name.text, property: owner.properties[primaryKey].name.text)
    }
    let before = try StoredObjects(laid)
    let after = try StoredObjects(
      try RealmView(try found.updated(assignments).snapshot, jobs: request.jobs))
    var lines: [PatchLine] = []
    for key in found.keys {
      try Cancellation.current?.check()
      let objects = (
        old: try before.object(key, found.classPosition),
        new: try after.object(key, found.classPosition)
      )
      var new: [Int: RealmValue] = [:]
      for property in properties {
        let value = try after.value(property, of: objects.new)
        if try before.value(property, of: objects.old) != value { new[property] = value }
      }
      guard !new.isEmpty else { continue }
      let identity = try before.address(key, found.classPosition).identity
      lines.append(
        PatchLine(
          classPosition: found.classPosition, identity: identity, old: [:], new: new))
    }
    try make(lines, over: view)
    return (found.keys.count, lines.count)
  }

  /// Removes the objects that a query finds.
  ///
  /// - Parameter laid: the version with the draft laid over it.
  /// - Returns: the number of objects.
  /// - Throws: ``QueryTextError``, ``DraftError``; `embeddedClass`; the errors of reading and of keeping the draft.
  package func delete(
    _ request: EditRequest, in laid: RealmView, over view: RealmView
  ) throws -> Int {
    let found = try ObjectsToEdit(request, in: laid.realm)
    try Draft.check(found.keys.count, request)
    let stored = try StoredObjects(laid)
    let lines = try found.keys.map { key in
      PatchLine(
        classPosition: found.classPosition,
        identity: try stored.address(key, found.classPosition).identity, old: [:], new: nil)
    }
    try make(lines, over: view)
    return found.keys.count
  }

  /// Adds an object.
  ///
  /// - Parameters:
  ///   - object: an object of Realm JSON. What it leaves out gets its default.
  ///   - position: position of its class in the schema of the view.
  /// - Throws: ``ImportError`` with the offset in the object; ``DraftError``; the errors of reading and of keeping the draft.
  package func insert(
    _ object: [UInt8], ofClassAt position: Int, over view: RealmView
  ) throws {
    try edit(over: view) { edit in
      let (identity, values) = try edit.values.object(object, ofClassAt: position)
      let owner = view.schema.classes[position]
      guard owner.primaryKey == nil || identity != nil else {
        throw DraftError(.noIdentity, className: owner.name.text)
      }
      guard owner.kind != .embedded else { throw RequestError(.embeddedClass(owner.name.text)) }
      if owner.primaryKey == nil, let identity {
        let line = PatchLine(classPosition: position, identity: identity, old: nil, new: values)
        return try edit.make(line)
      }
      _ = try edit.add(identity, values, toClassAt: position)
    }
  }

  /// Makes changes that were found by reading the version.
  private func make(_ lines: [PatchLine], over view: RealmView) throws {
    try edit(over: view) { edit in
      try edit.make(lines)
      try view.snapshot.prove()
    }
  }

  private static func check(_ count: Int, _ request: EditRequest) throws(DraftError) {
    if let seen = request.expected, seen != count {
      throw DraftError(.otherCount(seen: seen, found: count), className: request.className)
    }
    guard count <= DraftEdit.objectLimit else {
      throw DraftError(.tooManyObjects(limit: DraftEdit.objectLimit), className: request.className)
    }
  }
}
