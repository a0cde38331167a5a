import RealmModel
package import RealmStorage

extension ClientHistory {
  /// The oldest schema version whose changesets can be decoded.
  package static let oldestDecodedSchemaVersion = 11

  /// A changeset that was made on this client.
  package struct LocalChangeset {
    /// The version that it produced.
    package let version: Int
    /// Whether the server has not acknowledged it.
    package let isPending: Bool
    /// As it is stored, not empty. Readable during the call that receives it.
    let value: ByteSlice
    let isWrapped: Bool
    let place: Ref

    /// The unwrapped changeset.
    ///
    /// - Throws: `damaged` with rule `history.wrapper`; `unsupported` for a compression that cannot be
    ///   decoded.
    package func bytes() throws(RealmFileError) -> [UInt8] {
      guard isWrapped else { return value.bytes }
      do throws(StoredChangeset.Failure) {
        return try StoredChangeset(value).unwrapped()
      } catch {
        switch error {
        case .damaged(let why): throw .damaged(.historyWrapper, at: place, why)
        case .unsupported(let why): throw RealmFileError(.unsupported(why))
        }
      }
    }

    /// Size of the unwrapped changeset in bytes, as the wrapper states it.
    package func byteCount() throws(RealmFileError) -> Int {
      guard isWrapped else { return value.count }
      do throws(StoredChangeset.Failure) {
        return try StoredChangeset(value).byteCount
      } catch {
        throw .damaged(.historyWrapper, at: place)
      }
    }
  }

  /// Passes the changesets of this client to `body`, in the order of their versions.
  ///
  /// - Parameter snapshot: the one of the history.
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of `body`.
  package func forEachLocalChangeset(
    of snapshot: Snapshot, _ body: (LocalChangeset) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let nodes = try snapshot.makeReader()
    let root = try nodes.node(at: snapshot.top.history)
    let layout = ClientHistoryLayout(schemaVersion: schemaVersion)
    try ClientHistory.forEachLocalChangeset(
      changesets: try root.ref(at: layout.changesets), origins: try root.ref(at: layout.origins),
      base: baseVersion, acknowledged: uploadClientVersion, schemaVersion: schemaVersion, nodes,
      body)
  }

  /// - Parameters:
  ///   - base: version before the first entry.
  ///   - acknowledged: changesets above this version are pending (section 2.7).
  static func forEachLocalChangeset(
    changesets root: Ref, origins originsRoot: Ref, base: Int, acknowledged: Int,
    schemaVersion: Int, _ nodes: NodeReader,
    _ body: (LocalChangeset) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    try nodes.traversing { () throws(RealmFileError) in
      var origins = HistoryColumn(root: originsRoot, nodes: nodes)
      var version = base
      var leaves = BinaryColumn(root: root, nodes: nodes)
      while true {
        let mark = nodes.mark()
        defer { nodes.release(to: mark) }
        guard let values = try leaves.next() else { break }
        for value in values {
          guard let origin = try origins.next() else {
            throw .damaged(.historyLengths, at: root, "there are more changesets than origins")
          }
          // Not above the version of the snapshot: there are as many origins as entries.
          version += 1
          guard origin == 0, let value, !value.isEmpty else { continue }
          try body(
            LocalChangeset(
              version: version, isPending: version > acknowledged, value: value,
              isWrapped: schemaVersion >= newestSchemaVersion, place: root))
        }
      }
      guard try origins.next() == nil else {
        throw .damaged(.historyLengths, at: root, "there are more origins than changesets")
      }
    }
  }
}
