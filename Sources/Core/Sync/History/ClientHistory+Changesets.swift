import RealmModel
package import RealmStorage

extension ClientHistory {
  /// The oldest schema version whose changesets are decoded.
  package static let oldestDecodedSchemaVersion = 11

  /// The changeset of an entry.
  package struct EntryChangeset {
    /// The version that the entry produced.
    package let version: Int
    /// Whether the changeset was made on this client.
    let isLocal: Bool
    /// Whether the changeset was made on this client and is not acknowledged by the server.
    package let isPending: Bool
    /// The stored changeset, not empty. Readable during the call that receives it.
    let value: HistoryValue
    /// The ref of the column of changesets, for errors.
    let column: Ref

    /// The unwrapped changeset.
    ///
    /// - Throws: `damaged` with rule `history.wrapper`, or with a rule of group `leaf`; `unsupported` for a
    ///   changeset that is too large, or whose compression cannot be decoded.
    package func bytes() throws(RealmFileError) -> [UInt8] {
      switch try value.unwrapped() {
      case .success(let changeset): return changeset.bytes
      case .failure(.damaged(let why)):
        throw .damaged(.historyWrapper, at: column, "the changeset of version \(version): \(why)")
      case .failure(.unsupported(let why)): throw RealmFileError(.unsupported(why))
      }
    }

    /// The size of the unwrapped changeset in bytes, from its wrapper; nil if there is no valid wrapper. Reads only
    /// the wrapper.
    ///
    /// - Throws: `damaged` with a rule of group `leaf`.
    package func byteCount() throws(RealmFileError) -> Int? {
      if case .success(let count)? = try value.byteCount() { count } else { nil }
    }
  }

  /// Calls `body` with the changesets made on this client, in the order of their versions.
  ///
  /// - Parameter snapshot: the snapshot of this history.
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of `body`.
  package func forEachLocalChangeset(
    of snapshot: Snapshot, _ body: (EntryChangeset) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let nodes = try snapshot.makeReader()
    let root = try nodes.node(at: snapshot.top.history)
    let layout = ClientHistoryLayout(schemaVersion: schemaVersion)
    try ClientHistory.forEachChangeset(
      changesets: try root.ref(at: layout.changesets), origins: try root.ref(at: layout.origins),
      base: baseVersion, acknowledged: uploadClientVersion, schemaVersion: schemaVersion, nodes
    ) { (changeset) throws(RealmFileError) in
      if changeset.isLocal { try body(changeset) }
    }
  }

  /// Calls `body` with the changesets that are not empty, in the order of their versions.
  ///
  /// - Parameters:
  ///   - base: the version before the first entry.
  ///   - acknowledged: local changesets after this version are pending (chapter 4, section 2.7).
  static func forEachChangeset(
    changesets root: Ref, origins originsRoot: Ref, base: Int, acknowledged: Int,
    schemaVersion: Int, _ nodes: NodeReader,
    _ body: (EntryChangeset) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    try nodes.traversing { () throws(RealmFileError) in
      var origins = HistoryColumn(root: originsRoot, nodes: nodes)
      var version = base
      var values = BinaryValues(root: root, nodes: nodes)
      while let value = try values.next() {
        guard let origin = try origins.next() else {
          throw .damaged(.historyLengths, at: root, "there are more changesets than origins")
        }
        // At most the version of the snapshot, because there are as many origins as entries.
        version += 1
        let changeset = HistoryValue(value, schemaVersion: schemaVersion)
        guard try changeset.byteCount() != nil else { continue }
        let isLocal = origin == 0
        try body(
          EntryChangeset(
            version: version, isLocal: isLocal, isPending: isLocal && version > acknowledged,
            value: changeset, column: root))
      }
      guard try origins.next() == nil else {
        throw .damaged(.historyLengths, at: root, "there are more origins than changesets")
      }
    }
  }
}
