import RealmModel
import RealmStorage

/// The nodes of a legacy realm and its lists of distinct strings. Used by one thread.
final class LegacyReader {
  let nodes: NodeReader
  private let snapshot: Snapshot
  /// The distinct strings of enumerated columns, by the ref of their list.
  private var lists: [Ref: Result<SliceColumn, RealmFileError>] = [:]
  /// Reads the lists, which outlive all scopes of ``nodes``; nil until the first one is needed.
  private var listNodes: NodeReader?
  /// Keep the strings of the lists readable.
  private(set) var listHolds: [Hold] = []
  /// Bytes of the nodes of all lists, and number of strings in them.
  private var (listByteCount, stringCount) = (0, 0)

  /// - Throws: the errors of an encrypted source.
  convenience init(_ snapshot: Snapshot) throws(RealmFileError) {
    self.init(snapshot, try snapshot.makeReader())
  }

  init(_ snapshot: Snapshot, _ nodes: NodeReader) {
    (self.snapshot, self.nodes) = (snapshot, nodes)
  }

  /// The distinct strings of an enumerated column, in the list at `root`. They are readable as long as
  /// ``listHolds``.
  ///
  /// - Throws: `damaged` if the list cannot be read, or all lists together are larger than the file; the
  ///   errors of an encrypted source.
  func strings(at root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    if let known = lists[root] { return try known.get() }
    do throws(RealmFileError) {
      let strings = try read(root, isNullable: isNullable)
      lists[root] = .success(strings)
      return strings
    } catch {
      lists[root] = .failure(error)
      throw error
    }
  }

  private func read(_ root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    let nodes = if let listNodes { listNodes } else { try snapshot.makeReader() }
    listNodes = nodes
    let mark = nodes.mark()
    do throws(RealmFileError) {
      let strings = try nodes.traversing { () throws(RealmFileError) in
        defer { listByteCount += nodes.openedByteCount }
        return try list(root, isNullable: isNullable, nodes)
      }
      guard listByteCount <= nodes.logicalSize else {
        throw .damaged(
          .storageNodeOverlap, at: root,
          "the lists of distinct strings up to here lie in \(listByteCount) bytes of nodes, but the "
            + "file has \(nodes.logicalSize)")
      }
      listHolds.append(nodes.hold(since: mark))
      return strings
    } catch {
      nodes.release(to: mark)
      throw error
    }
  }

  private func list(
    _ root: Ref, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) -> SliceColumn {
    var builder = ColumnBuilder(type: .string)
    var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    while let leaf = try leaves.next() {
      let values = try LegacyLeaf.decode(leaf, .strings, isNullable: isNullable, nodes)
      builder.append(values)
      stringCount += values.count
      guard stringCount <= max(1000, nodes.logicalSize) else {
        throw .damaged(
          .leafEnumeration, at: root,
          "the lists of distinct strings up to here have \(stringCount) strings, more than the file "
            + "has bytes")
      }
    }
    guard case .scalar(.string(let strings)) = builder.batch else {
      throw .damaged(.leafEnumeration, at: root, "the list has no strings")
    }
    return strings
  }
}
