package import RealmModel
import RealmStorage

/// Changes to the objects of a synced realm, for its history.
package struct ObjectEdits: Sendable {
  /// Objects of one class with new values of some properties.
  package struct Update: Sendable {
    let classPosition: Int
    /// Positions of the properties, without the primary key.
    let properties: [Int]
    let keys: KeyList

    package init(classPosition: Int, properties: [Int], keys: KeyList) {
      (self.classPosition, self.properties, self.keys) = (classPosition, properties, keys)
    }
  }

  /// The realm before the changes.
  let before: Realm
  /// The realm after the changes, with the same classes at the same positions, and with the same object keys.
  let after: Realm
  let updates: [Update]
  /// The deleted objects of top-level classes, by position of their class. Embedded objects go with their owners.
  let deleted: [Int: KeyList]

  package init(
    before: Realm, after: Realm, updates: [Update] = [], deleted: [Int: KeyList] = [:]
  ) {
    (self.before, self.after) = (before, after)
    (self.updates, self.deleted) = (updates, deleted)
  }

  /// Records the changes in the order of the reference: before an object is deleted, the links to it are removed.
  ///
  /// - Throws: the errors of reading both realms and of writing.
  func record(in run: inout ChangesetRun) throws(RealmFileError) {
    for update in updates { try record(update, in: &run) }
    guard !deleted.isEmpty else { return }
    let links = try LinksToDeleted(before, deleted)
    try links.forEachRemoval { (removal) throws(RealmFileError) in try run.append(removal) }
    for (position, keys) in deleted.sorted(by: { $0.key < $1.key }) {
      try record(deletionOf: keys, ofClass: position, in: &run)
    }
    try run.endInstructions()
  }

  private func record(_ update: Update, in run: inout ChangesetRun) throws(RealmFileError) {
    let table = after.schema.tables[update.classPosition]
    guard let primaryKey = table.primaryKey else { return }
    var request = ObjectRequest()
    request.properties[update.classPosition] = Set(update.properties).union([primaryKey])
    try after.forEachBatch(of: update.keys, in: table, request) { (batch) throws(RealmFileError) in
      for row in 0..<batch.count {
        try run.add(ChangedObject(batch, row: row, changed: update.properties))
      }
    }
    try run.endObjects()
  }

  private func record(
    deletionOf keys: KeyList, ofClass position: Int, in run: inout ChangesetRun
  ) throws(RealmFileError) {
    let table = before.schema.tables[position]
    guard let primaryKey = table.primaryKey else { return }
    var request = ObjectRequest()
    request.properties[position] = [primaryKey]
    let name = Instruction.InternedName(table.className.bytes)
    try before.forEachBatch(of: keys, in: table, request) { (batch) throws(RealmFileError) in
      guard case .scalar(let values) = batch.columns[primaryKey] else { return }
      for row in 0..<batch.count {
        try run.append(
          .eraseObject(table: name, key: Instruction.ObjectIdentity(values[row])))
      }
    }
  }
}

extension Realm {
  /// Passes the objects with `keys` to `body`, batch by batch.
  ///
  /// - Throws: the errors of reading the objects and of `body`.
  func forEachBatch(
    of keys: KeyList, in table: Table, _ request: ObjectRequest,
    _ body: (ObjectBatch) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let fetcher = try ObjectFetcher(self, request)
    var next = 0
    while next < keys.keys.count {
      let some = keys.keys[next...].prefix(ObjectBatch.capacity).map { ObjectKey($0) }
      let batch = try fetcher.fetch(some, of: table)
      next += batch.count
      try body(batch)
    }
  }
}
