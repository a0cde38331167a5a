import RealmStorage

/// Lists, sets and dictionaries (chapter 2, section 6).
extension BatchAssembler {
  /// The collections of `column` at `roots`.
  ///
  /// - Returns: nil if `room` has too little space for the elements.
  func collections(
    _ column: Column, _ roots: [Ref], owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> CollectionColumn? {
    var flat = Flattened(column.type)
    flat.needsOwners = column.canHoldLinks
    for (row, root) in roots.enumerated() {
      do {
        let owner = owners[row]
        let isDone =
          switch column.collection {
          case .dictionary: try append(dictionary: root, of: column, owner, to: &flat, &room)
          case .set: try append(set: root, of: column, owner, to: &flat, &room)
          case .list, nil: try append(list: root, of: column, owner, to: &flat, &room)
          }
        guard isDone else { return nil }
      } catch {
        throw error.adding(objectKey: owners[row].raw)
      }
      flat.endRow(owners[row])
    }
    if flat.elements.hasForeignValue {
      // Only a damaged dictionary has values of another type than its column.
      try leaveOut(
        RealmFileError(
          .damaged(.dictionaryValueType),
          detail: "found a value of another type, expected \(column.type)"))
    }
    guard
      let elements = try elements(column, flat.elements.batch, owners: flat.owners, &room)
    else { return nil }
    return CollectionColumn(ends: flat.ends, elements: elements, keys: flat.keyColumn(column))
  }

  /// The elements of several collections, one collection after the other.
  struct Flattened {
    var elements: ColumnBuilder
    /// The keys of dictionaries; nil for lists and sets.
    var keys: ColumnBuilder?
    private(set) var ends: [Int] = []
    /// The object that each element belongs to; empty unless the caller needs owners.
    private(set) var owners: [ObjectKey] = []
    var needsOwners = true

    init(_ type: ColumnType) { elements = ColumnBuilder(type: type) }

    /// Ends the collection that belongs to `owner`.
    mutating func endRow(_ owner: ObjectKey) {
      let count = elements.count
      if needsOwners {
        owners += repeatElement(owner, count: count - (ends.last ?? 0))
      }
      ends.append(count)
    }

    func keyColumn(_ column: Column) -> ScalarColumn? {
      guard column.collection == .dictionary else { return nil }
      return (keys ?? ColumnBuilder(type: .string)).batch.scalars
    }
  }

  private func append(
    list root: Ref, of column: Column, _ owner: ObjectKey, to flat: inout Flattened,
    _ room: inout Room
  ) throws(RealmFileError) -> Bool {
    guard root != 0 else { return true }
    guard request.damage == .stop else {
      var elements = reader.elements(column, root: root)
      var isReported = false
      while let batch = try next(of: &elements, owner, isReported: &isReported) {
        guard room.take(batch.count) else { return false }
        flat.elements.append(batch)
      }
      return true
    }
    var leaves = BPlusTreeLeaves(root: root, nodes: reader.nodes)
    while let leaf = try leaves.next() {
      let count = flat.elements.count
      try flat.elements.append(leaf: leaf, isNullable: column.isNullable, reader.nodes)
      guard room.take(flat.elements.count - count) else { return false }
    }
    return true
  }

  /// Whether sets of `column` must have the order of format 24 but may be stored in another.
  private func isResorted(_ column: Column) -> Bool {
    switch request.normalization {
    case .stored: false
    case .format24: true
    case .referenceUpgrade:
      reader.realm.snapshot.fileFormat.byteOrder == .characters
        && [.string, .binary, .mixed].contains(column.type)
    }
  }

  private func append(
    set root: Ref, of column: Column, _ owner: ObjectKey, to flat: inout Flattened,
    _ room: inout Room
  ) throws(RealmFileError) -> Bool {
    let (start, before) = (flat.elements.count, reader.nodes.openedByteCount)
    guard try append(list: root, of: column, owner, to: &flat, &room) else { return false }
    guard isResorted(column), !flat.elements.isAscending(from: start) else { return true }
    // The nodes are read again, but count once.
    reader.nodes.uncount(to: before)
    guard let (members, duplicates) = try members(column, root) else { return true }
    flat.elements.removeAll(from: start)
    for member in members { flat.elements.append(member) }
    ledger.add(duplicateMembers: duplicates)
    return true
  }

  /// The members of a set in the requested order; nil if they are stored in that order.
  func membersInOrder(_ column: Column, _ root: Ref) throws(RealmFileError) -> [MixedValue]? {
    guard isResorted(column) else { return nil }
    var order = AscendingOrder()
    let isAscending = try reader.nodes.traversing { () throws(RealmFileError) in
      var elements = reader.elements(column, root: root)
      do throws(RealmFileError) {
        while let batch = try elements.next() {
          guard order.continues(with: batch, from: 0) else { return false }
        }
      } catch {
        // The members keep their stored order, and reading them reports the damage.
        guard leavesOut(error) else { throw error }
      }
      return true
    }
    guard !isAscending else { return nil }
    let found = try reader.nodes.traversing { () throws(RealmFileError) in
      try members(column, root)
    }
    guard let (members, duplicates) = found else { return nil }
    ledger.add(duplicateMembers: duplicates)
    return members
  }

  /// The members of a set in the order of format 24; nil for a damaged set if damage is left out, whose members keep
  /// their stored order.
  private func members(
    _ column: Column, _ root: Ref
  ) throws(RealmFileError) -> (members: [MixedValue], duplicates: Int)? {
    do {
      return try reader.members(
        column, root: root, keepingDuplicates: request.normalization == .referenceUpgrade)
    } catch {
      guard leavesOut(error) else { throw error }
      return nil
    }
  }

  private func append(
    dictionary root: Ref, of column: Column, _ owner: ObjectKey, to flat: inout Flattened,
    _ room: inout Room
  ) throws(RealmFileError) -> Bool {
    let found = try entries(
      root: root, hasIntegerKeys: column.hasIntegerKeys, of: owner, limit: room.elements)
    guard let entries = found, room.take(entries.keys.count) else { return false }
    if flat.keys == nil { flat.keys = ColumnBuilder(type: column.hasIntegerKeys ? .int : .string) }
    for key in entries.keys { flat.keys?.append(key) }
    for value in entries.values { flat.elements.append(value) }
    return true
  }

  /// The trees of a dictionary, to be read leaf by leaf. Nil if the dictionary must be read at once: if it is stored
  /// in another form or order than the requested one, or damage is left out.
  func treesInOrder(
    _ root: Ref, hasIntegerKeys: Bool
  ) throws(RealmFileError) -> RealmReader.DictionaryTrees? {
    guard request.damage == .stop,
      let trees = try reader.trees(root: root, hasIntegerKeys: hasIntegerKeys)
    else { return nil }
    guard request.normalization == .format24 else { return trees }
    let isAscending = try reader.nodes.traversing { () throws(RealmFileError) in
      var last: MixedValue?
      var keys = trees.keys
      while let batch = try keys.next() {
        for row in 0..<batch.count {
          let key = batch.value(at: row)
          if let last, !RealmReader.Entries.areAscending(last, key) { return false }
          last = key
        }
      }
      return true
    }
    return isAscending ? trees : nil
  }

  func normalized(_ entries: RealmReader.Entries) -> RealmReader.Entries {
    request.normalization == .format24 ? entries.sorted() : entries
  }

  // MARK: Nested in mixed values

  /// Lists nested in mixed values.
  ///
  /// - Returns: nil if `room` has too little space for the elements of several lists.
  func nestedLists(
    _ roots: [Ref], owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> CollectionColumn? {
    var flat = Flattened(.mixed)
    let before = room.elements
    for (i, root) in roots.enumerated() {
      var elements = reader.nestedElements(root: root)
      var isReported = false
      while let batch = try next(of: &elements, owners[i], isReported: &isReported) {
        guard room.take(batch.count) else {
          return runs(.nestedList, roots, owners, &room, before)
        }
        flat.elements.append(batch)
      }
      flat.endRow(owners[i])
    }
    return try nested(flat, .nestedList, roots, owners, &room, before)
  }

  /// Dictionaries nested in mixed values; see ``nestedLists(_:owners:_:)``.
  func nestedDictionaries(
    _ roots: [Ref], owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> CollectionColumn? {
    var flat = Flattened(.mixed)
    let before = room.elements
    var keys = ColumnBuilder(type: .string)
    for (i, root) in roots.enumerated() {
      let found = try entries(root: root, of: owners[i], limit: room.elements)
      guard let entries = found, room.take(entries.keys.count) else {
        return runs(.nestedDictionary, roots, owners, &room, before)
      }
      for key in entries.keys { keys.append(key) }
      for value in entries.values { flat.elements.append(value) }
      flat.endRow(owners[i])
    }
    var column = try nested(flat, .nestedDictionary, roots, owners, &room, before)
    if column?.runs == nil { column?.keys = keys.batch.scalars }
    return column
  }

  /// - Parameter before: the room for elements before the collections were read.
  private func nested(
    _ flat: Flattened, _ kind: RealmCollectionRuns.Kind, _ roots: [Ref], _ owners: [ObjectKey],
    _ room: inout Room, _ before: Int
  ) throws(RealmFileError) -> CollectionColumn? {
    guard case .mixed(let values) = flat.elements.batch,
      let elements = try mixed(values, owners: flat.owners, &room)
    else { return runs(kind, roots, owners, &room, before) }
    return CollectionColumn(ends: flat.ends, elements: .mixed(elements))
  }

  /// A collection in runs, which take no room; nil for several collections.
  private func runs(
    _ kind: RealmCollectionRuns.Kind, _ roots: [Ref], _ owners: [ObjectKey], _ room: inout Room,
    _ before: Int
  ) -> CollectionColumn? {
    guard roots.count == 1 else { return nil }
    room.elements = before
    return CollectionColumn(
      runs: RealmCollectionRuns(
        kind, root: roots[0], owner: owners[0], depth: room.depth, self))
  }
}
