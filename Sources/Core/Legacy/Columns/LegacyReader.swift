package import RealmModel
package import RealmStorage
import Synchronization

/// Reads the nodes of a realm of formats 2 to 9 and its lists of distinct strings. Used by one thread.
package final class LegacyReader {
  package let nodes: NodeReader
  private let lists: LegacyStringLists
  /// What a damaged realm cannot have; nil for any other realm.
  let doubts: LegacyDoubts?

  package convenience init(_ nodes: NodeReader, _ lists: LegacyStringLists) {
    self.init(nodes, lists, nil)
  }

  init(_ nodes: NodeReader, _ lists: LegacyStringLists, _ doubts: LegacyDoubts?) {
    (self.nodes, self.lists, self.doubts) = (nodes, lists, doubts)
  }

  /// The distinct strings of an enumerated column, from the list at `root`. They are readable as long as
  /// ``listHold`` lives.
  ///
  /// - Throws: same as ``LegacyStringLists/strings(at:isNullable:)``.
  package func strings(at root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    try lists.strings(at: root, isNullable: isNullable)
  }

  /// Keeps the strings of the lists readable.
  private(set) lazy var listHold = Hold([lists])
}

/// The lists of distinct strings of a realm's enumerated columns, each read when it is first needed. Threads may
/// share them.
///
/// They take at most 24 bytes of memory per string. All lists together have at most as many strings as the file has
/// bytes, and their nodes have no more bytes than the file.
package final class LegacyStringLists: Sendable {
  private struct State {
    var lists: [Ref: Result<SliceColumn, RealmFileError>] = [:]
    /// Reads the lists; nil until the first one is needed.
    var nodes: NodeReader?
    /// Keeps the strings of the lists readable.
    var holds: [Hold] = []
    /// The nodes of all lists.
    var opened = OpenedBytes(of: "the lists of distinct strings")
    /// Number of strings in all lists.
    var stringCount = 0
  }

  private let snapshot: Snapshot
  private let state = Mutex(State())

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// The strings of the list at `root`, readable as long as this object lives.
  ///
  /// - Throws: `damaged` if the list cannot be read, or all lists together are larger than the file; the
  ///   errors of an encrypted source.
  func strings(at root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    let strings = state.withLock { state in
      if let known = state.lists[root] { return known }
      let strings = Result { () throws(RealmFileError) in
        try LegacyStringLists.read(root, isNullable: isNullable, snapshot, &state)
      }
      state.lists[root] = strings
      return strings
    }
    return try strings.get()
  }

  private static func read(
    _ root: Ref, isNullable: Bool, _ snapshot: Snapshot, _ state: inout State
  ) throws(RealmFileError) -> SliceColumn {
    let nodes = if let nodes = state.nodes { nodes } else { try snapshot.makeReader() }
    state.nodes = nodes
    let mark = nodes.mark()
    var byteCount = 0
    let strings = Result { () throws(RealmFileError) in
      try nodes.traversing { () throws(RealmFileError) in
        defer { byteCount = nodes.openedByteCount }
        return try list(root, isNullable: isNullable, nodes, &state.stringCount)
      }
    }
    do {
      try state.opened.add(byteCount, at: root, fileSize: nodes.logicalSize)
      let strings = try strings.get()
      state.holds.append(nodes.hold(since: mark))
      return strings
    } catch {
      nodes.release(to: mark)
      throw error
    }
  }

  private static func list(
    _ root: Ref, isNullable: Bool, _ nodes: NodeReader, _ stringCount: inout Int
  ) throws(RealmFileError) -> SliceColumn {
    var builder = ColumnBuilder(type: .string)
    var leaves = BPlusTreeLeaves(
      root: root, nodes: nodes, depthLimit: BPlusTreeLeaves.legacyDepthLimit)
    while let leaf = try leaves.next() {
      let values = try LegacyLeaf.decode(leaf, .strings, isNullable: isNullable, nodes)
      builder.append(values)
      stringCount += values.count
      guard stringCount <= max(1000, nodes.logicalSize) else {
        throw .damaged(
          .leafEnumeration, at: root,
          "the lists of distinct strings up to here have \(stringCount) strings, but the file has "
            + "\(nodes.logicalSize) bytes")
      }
    }
    guard case .scalar(.string(let strings)) = builder.batch else {
      throw .damaged(.leafEnumeration, at: root, "the list has no strings")
    }
    return strings
  }
}
