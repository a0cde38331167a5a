import RealmStorage

/// What becomes of bytes that cannot be read: the request says whether the assembler throws, or leaves out
/// as little as it can and tells that.
///
/// A cluster that cannot be opened costs its objects, a leaf or a value is null, an element is not in its
/// collection. What is left out of one leaf as a whole, or of one collection, is told once.
extension BatchAssembler {
  func leavesOut(_ error: RealmFileError) -> Bool { request.damage == .leaveOut && error.isDamage }

  /// Notes that something is left out because of `error`.
  ///
  /// - Parameter owner: the object that it belongs to, where it is one.
  /// - Throws: `error` where damage is not left out, or where it says nothing about the file.
  func leaveOut(_ error: RealmFileError, of owner: ObjectKey? = nil) throws(RealmFileError) {
    let known = error.adding(
      className: place.className, property: place.property, objectKey: owner?.raw)
    guard request.damage == .leaveOut, let loss = Finding(known) else { throw error }
    ledger.add(loss: loss)
  }

  /// The values of `column` for the objects of `cluster`, which have `keys`.
  func leaf(
    _ column: Column, of cluster: Cluster, keys: [ObjectKey]
  ) throws(RealmFileError) -> LeafValues {
    let before = reader.nodes.openedByteCount
    do throws(RealmFileError) {
      return try reader.batch(column, of: cluster)
    } catch {
      guard leavesOut(error) else { throw error }
      reader.nodes.uncount(to: before)
      let readable = reader.readable(column, of: cluster, because: error)
      place.property = column.name.text
      if readable.failures.isEmpty {
        try leaveOut(readable.failure, of: keys.count == 1 ? keys[0] : nil)
      }
      for row in keys.indices {
        if let failure = readable.failures[row] { try leaveOut(failure, of: keys[row]) }
      }
      return readable.batch
    }
  }

  /// Tells why values of embedded objects cannot be read.
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
  /// - Parameter isTold: whether it was told that something of the collection is left out.
  func next(
    of elements: inout RealmReader.Elements, _ owner: ObjectKey, isTold: inout Bool
  ) throws(RealmFileError) -> LeafValues? {
    guard request.damage == .leaveOut else { return try elements.next() }
    var failure: RealmFileError?
    let batch = try elements.nextReadable(&failure)
    if let failure, !isTold {
      isTold = true
      try leaveOut(failure, of: owner)
    }
    return batch
  }

  /// The entries of a dictionary of `owner`, in the order in which they are given. Of a damaged one, an
  /// entry whose key cannot be read is left out, and a value that cannot be read is null; all is left
  /// out where it cannot be told which value a key has.
  func entries(
    root: Ref, hasIntegerKeys: Bool = false, of owner: ObjectKey
  ) throws(RealmFileError) -> RealmReader.Entries {
    try entries(root: root, hasIntegerKeys: hasIntegerKeys, of: owner, limit: .max)
      ?? RealmReader.Entries()
  }

  /// The same, nil for more than `limit` entries.
  func entries(
    root: Ref, hasIntegerKeys: Bool = false, of owner: ObjectKey, limit: Int
  ) throws(RealmFileError) -> RealmReader.Entries? {
    let before = reader.nodes.openedByteCount
    do throws(RealmFileError) {
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
