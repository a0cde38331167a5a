import RealmStorage

/// Embedded objects (chapter 3, section 6.5).
extension BatchAssembler {
  /// The embedded objects with the keys of a link column.
  ///
  /// - Returns: nil if `room` has too little space for the elements.
  func embedded(
    _ keys: [ObjectKey], _ target: Table, _ column: Column, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    var owned = Owned()
    var rows: [Int] = []
    rows.reserveCapacity(keys.count)
    for (i, key) in keys.enumerated() {
      // A link to a tombstone has no object.
      guard !key.isNull, !key.isUnresolved else {
        rows.append(-1)
        continue
      }
      rows.append(owned.keys.count)
      owned.keys.append(key)
      owned.owners.append(owners[i])
    }
    let isThere = try find(&owned, in: target, column, room)
    if isThere.contains(false) {
      var count = 0
      for row in rows.indices where rows[row] >= 0 {
        let isThere = isThere[rows[row]]
        rows[row] = isThere ? count : -1
        if isThere { count += 1 }
      }
    }
    // A class can embed itself. The recursion ends where no objects are left.
    guard !owned.keys.isEmpty else {
      let none = ObjectBatch(
        classPosition: target.position, count: 0, keys: [],
        columns: Array(repeating: nil, count: target.columns.count), owner: nil)
      return .embedded(EmbeddedColumn(rows: rows, objects: none))
    }
    let before = request.damage == .leaveOut ? ledger.lostCount : 0
    let objects = try room.descend(at: target.ref) {
      (room: inout Room) throws(RealmFileError) -> ObjectBatch? in
      try self.objects(owned, of: target, &room)
    }
    if request.damage == .leaveOut {
      ledger.addOwners(
        owned.owners, of: owned.keys, target.className.text, since: before,
        ownerClass: place.className, property: column.name.text)
    }
    return objects.map { .embedded(EmbeddedColumn(rows: rows, objects: $0)) }
  }

  /// Embedded objects, each with its owner and its place in the realm.
  private struct Owned {
    var keys: [ObjectKey] = []
    var owners: [ObjectKey] = []
    var places: [ObjectPlace] = []

    mutating func keep(where isKept: [Bool]) {
      func kept<T>(_ values: [T]) -> [T] { zip(values, isKept).filter(\.1).map(\.0) }
      (keys, owners, places) = (kept(keys), kept(owners), kept(places))
    }
  }

  /// Finds embedded objects, notes their owners, and removes the objects that cannot be read.
  ///
  /// - Returns: whether each object stays.
  /// - Throws: why an object cannot be read, if damage is not left out.
  private func find(
    _ owned: inout Owned, in table: Table, _ column: Column, _ room: Room
  ) throws(RealmFileError) -> [Bool] {
    var isThere = Array(repeating: true, count: owned.keys.count)
    guard !isThere.isEmpty else { return isThere }
    func leaveOut(_ row: Int, _ error: RealmFileError) throws(RealmFileError) {
      try self.leaveOut(error, of: owned.owners[row])
      isThere[row] = false
    }
    do throws(RealmFileError) {
      guard !room.isDeepest else { throw BatchAssembler.tooDeep(at: table.ref) }
      let gatherer = gatherer(of: table)
      var losses = ObjectGatherer.Losses()
      owned.places = try gatherer.places(of: owned.keys, &losses)
      var clusters = gatherer.clusterRefs(of: owned.places)
      for (row, place) in owned.places.enumerated() where !place.exists {
        try leaveOut(row, losses[row] ?? dangling(owned.keys[row], table, owned.owners[row]))
      }
      if request.damage == .leaveOut, notesOwners {
        for (row, isFree) in ledger.unclaimed(owned.places, in: clusters).enumerated()
        where !isFree && isThere[row] {
          try leaveOut(row, EmbeddedClaims.error(at: clusters[row], owner: owned.owners[row]))
        }
      }
      if isThere.contains(false) {
        owned.keep(where: isThere)
        clusters = gatherer.clusterRefs(of: owned.places)
      }
      if notesOwners {
        try ledger.claim(owned.places, in: clusters, owners: owned.owners, column)
      }
    } catch {
      // The class cannot be read, or the objects are nested too deeply, so none can be read.
      for row in isThere.indices where isThere[row] { try leaveOut(row, error) }
      owned = Owned()
    }
    return isThere
  }

  private func objects(
    _ owned: Owned, of table: Table, _ room: inout Room
  ) throws(RealmFileError) -> ObjectBatch? {
    let isWanted = wantedColumns(of: table)
    let gatherer = gatherer(of: table)
    let outer = place
    place.className = table.className.text
    defer { place = outer }
    var columns: [ColumnValues?] = []
    columns.reserveCapacity(table.columns.count)
    for (i, column) in table.columns.enumerated() {
      guard isWanted[i] else {
        columns.append(nil)
        continue
      }
      do {
        var losses = ObjectGatherer.Losses()
        let batch = try gatherer.values(column, of: owned.places, &losses)
        place.property = column.name.text
        try leaveOut(losses, of: owned.keys)
        guard let values = try values(column, batch, owners: owned.keys, &room) else { return nil }
        columns.append(values)
      } catch {
        throw error.adding(className: table.className.text)
      }
    }
    return ObjectBatch(
      classPosition: table.position, count: owned.keys.count, keys: owned.keys, columns: columns,
      owner: nil)
  }
}
