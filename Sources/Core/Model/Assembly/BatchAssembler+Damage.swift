import RealmStorage

/// Handles bytes that cannot be read as the request says: the assembler throws, or it leaves out as little as
/// possible and reports each loss.
///
/// A cluster that cannot be opened loses its objects. A value, or all values of a leaf, become null. An element
/// is missing from its collection. The loss of a whole leaf, and losses in one collection, are reported once.
extension BatchAssembler {
  func leavesOut(_ error: RealmFileError) -> Bool { request.damage == .leaveOut && error.isDamage }

  /// Notes that something is left out because of `error`.
  ///
  /// - Parameter owner: the object that the loss belongs to; nil if it belongs to no single object.
  /// - Throws: `error` if it is not damage, or if the request does not leave out damage.
  func leaveOut(_ error: RealmFileError, of owner: ObjectKey? = nil) throws(RealmFileError) {
    try leaveOut(error, of: owner.map { [$0] } ?? [])
  }

  /// Notes that a part of each of several objects is left out because of `error`.
  func leaveOut(_ error: RealmFileError, of owners: [ObjectKey]) throws(RealmFileError) {
    let known = error.adding(
      className: place.className, property: place.property,
      objectKey: owners.count == 1 ? owners[0].raw : nil)
    guard request.damage == .leaveOut, let loss = Finding(known) else { throw error }
    ledger.add(loss: loss, of: owners)
  }

  /// The values of `column` for the objects of `cluster`; `keys` are the keys of these objects.
  func leaf(
    _ column: Column, of cluster: Cluster, keys: [ObjectKey]
  ) throws(RealmFileError) -> LeafValues {
    let before = reader.nodes.openedByteCount
    do {
      return try reader.batch(column, of: cluster, damage: request.damage)
    } catch {
      guard leavesOut(error) else { throw error }
      reader.nodes.uncount(to: before)
      let readable = try reader.readable(column, of: cluster, because: error)
      place.property = column.name.text
      if readable.failures.isEmpty {
        try leaveOut(readable.failure, of: keys)
      }
      for row in keys.indices {
        if let failure = readable.failures[row] { try leaveOut(failure, of: keys[row]) }
      }
      return readable.batch
    }
  }

  /// Reports why values of embedded objects cannot be read.
  func leaveOut(
    _ losses: ObjectGatherer.Losses, of owners: [ObjectKey]
  ) throws(RealmFileError) {
    guard !losses.isEmpty else { return }
    for row in owners.indices {
      if let error = losses[row] { try leaveOut(error, of: owners[row]) }
    }
  }

  // MARK: Collections

  /// The next elements of a collection of `owner`.
  ///
  /// - Parameter isReported: whether a loss in the collection was already reported.
  func next(
    of elements: inout RealmReader.Elements, _ owner: ObjectKey, isReported: inout Bool
  ) throws(RealmFileError) -> LeafValues? {
    guard request.damage == .leaveOut else { return try elements.next() }
    var failure: RealmFileError?
    let batch = try elements.nextReadable(&failure)
    if let failure, !isReported {
      isReported = true
      try leaveOut(failure, of: owner)
    }
    return batch
  }

  /// The entries of a dictionary of `owner`, in the requested order.
  ///
  /// In a damaged dictionary, an entry with an unreadable key is left out, and an unreadable value is
  /// null. All entries are left out if keys cannot be matched with their values.
  ///
  /// - Returns: nil if there are more than `limit` entries.
  func entries(
    root: Ref, hasIntegerKeys: Bool = false, of owner: ObjectKey, limit: Int
  ) throws(RealmFileError) -> RealmReader.Entries? {
    let before = reader.nodes.openedByteCount
    do {
      return try reader.entries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit)
        .map(normalized)
    } catch {
      try leaveOut(error, of: owner)
      reader.nodes.uncount(to: before)
      return normalized(
        try reader.readableEntries(root: root, hasIntegerKeys: hasIntegerKeys))
    }
  }
}
