import RealmModel
package import RealmStorage

/// Finds tables by the form of their top arrays, without refs to them.
///
/// A table contains its key, whose low 16 bits are its place in the list of tables, and a content
/// version that grows with each commit that changes the table (chapter 3, section 2). So the newest
/// of several top arrays of a table is known. A list of tables is the newest one if it refers to the
/// newest top array of each.
package struct TableSearch {
  /// The most tables, lists and names to keep.
  private static let limit = 1 << 16
  /// The most lists of tables; each is compared with all tables.
  private static let listLimit = 1 << 10

  /// A top array of a table.
  package struct Top: Sendable {
    package let ref: Ref
    let key: TableKey
    let contentVersion: Int

    /// A table that takes the slot of a removed one has a higher tag, and so a higher key.
    fileprivate func isNewer(than other: Top) -> Bool {
      (key, contentVersion, ref) > (other.key, other.contentVersion, other.ref)
    }
  }

  /// A list of tables.
  private struct List {
    let ref: Ref
    let elements: [Int64]
  }

  private let nodes: NodeReader
  private var tops: [Int: [Top]] = [:]
  private var topRefs: [Ref: Top] = [:]
  private var lists: [List] = []
  private var names: [(ref: Ref, texts: [[UInt8]])] = []
  private var freeLists: [FreeList.Refs] = []

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - isPossible: whether a node at these bytes can be part of the version.
  /// - Throws: errors that are not damage.
  package init(
    _ nodes: NodeReader, where isPossible: (Range<Int>) -> Bool
  ) throws(RealmFileError) {
    self.nodes = nodes
    var candidates: [Ref] = []
    try NodeScan.run(nodes, in: 0..<nodes.logicalSize) { ref, header in
      guard isPossible(ref..<ref + header.nodeByteCount), let node = try? nodes.lookUp(ref) else {
        return true
      }
      if let top = TableSearch.top(node) {
        tops[top.key.slot, default: []].append(top)
        topRefs[ref] = top
      } else if node.hasRefs, !node.isInner, !node.hasContext, node.count < 1 << 16 {
        if node.count > 0, candidates.count < TableSearch.limit { candidates.append(ref) }
      } else if header.widthType == .multiply, names.count < TableSearch.limit,
        let texts = tableNames(node)
      {
        names.append((ref, texts))
      } else if node.isIntegers, node.count > 0, freeLists.count < TableSearch.limit,
        let list = freeList(node)
      {
        freeLists.append(list)
      }
      return topRefs.count < TableSearch.limit
    }
    for ref in candidates where lists.count < TableSearch.listLimit {
      guard let node = try? nodes.lookUp(ref), let list = list(node) else { continue }
      lists.append(list)
    }
  }

  // MARK: Forms

  private static func top(_ node: Node) -> Top? {
    typealias Slot = TableLayout.Slot
    guard node.hasRefs, !node.isInner, !node.hasContext, node.count >= Slot.minimumCount,
      node.count <= Slot.maximumCount
    else { return nil }
    func isRef(_ slot: Int) -> Bool {
      if case .ref(let ref) = node.element(at: slot) {
        ref >= FileHeader.byteCount && ref & 7 == 0
      } else {
        false
      }
    }
    func isTagged(_ slot: Int) -> Bool { node.integer(at: slot) & 1 != 0 }
    guard
      [Slot.spec, Slot.clusters, Slot.indexes, Slot.oppositeTables, Slot.oppositeColumns]
        .allSatisfy(isRef),
      [Slot.key, Slot.columnCounter, Slot.contentVersion].allSatisfy(isTagged),
      node.integer(at: Slot.oldColumns) == 0,
      [Slot.sequenceNumber, Slot.primaryKey].allSatisfy({
        node.integer(at: $0) == 0 || isTagged($0)
      })
    else { return nil }
    let key = TableKey(node.slotInteger(at: Slot.key))
    guard key < TableKey.null else { return nil }
    return Top(
      ref: node.ref, key: key, contentVersion: node.slotInteger(at: Slot.contentVersion))
  }

  /// A list whose readable tables are all in their own slots.
  private func list(_ node: Node) -> List? {
    var (elements, known): ([Int64], Int) = ([], 0)
    for slot in 0..<node.count {
      let element = node.integer(at: slot)
      elements.append(element)
      switch node.element(at: slot) {
      case .null: return nil
      case .tagged(let tag): guard tag <= 0x7FFF else { return nil }
      case .ref(let ref):
        if let top = topRefs[ref] {
          guard top.key.slot == slot else { return nil }
          known += 1
        } else if (try? nodes.lookUp(ref)).map({ $0.filler == NodeScan.filler }) ?? false {
          // A node of another form.
          return nil
        }
      }
    }
    return known > 0 ? List(ref: node.ref, elements: elements) : nil
  }

  private func tableNames(_ node: Node) -> [[UInt8]]? {
    guard node.count > 0, node.count < 1 << 16,
      let column = try? SpecLayout.names(at: node.ref, nodes)
    else { return nil }
    let texts = (0..<column.count).map { column[$0]?.bytes ?? [] }
    guard texts.contains(where: { ObjectClass.isClass(tableName: Name($0)) }),
      texts.allSatisfy({ String(validating: $0, as: UTF8.self) != nil })
    else { return nil }
    return texts
  }

  /// A free list: three arrays of equal lengths, one after the other (chapter 1, section 3.5).
  private func freeList(_ node: Node) -> FreeList.Refs? {
    guard node.integer(at: 0) >= FileHeader.byteCount,
      let lengths = try? nodes.lookUp(node.ref + node.header.nodeByteCount)
    else { return nil }
    let refs = FreeList.Refs(
      positions: node.ref, lengths: lengths.ref,
      versions: lengths.ref + lengths.header.nodeByteCount)
    guard let lists = try? FreeList.Lists(refs, logicalSize: nodes.logicalSize, nodes) else {
      return nil
    }
    var previous = Int64(0)
    for i in 0..<lists.count {
      let (offset, byteCount) = lists.chunk(i)
      guard offset & 7 == 0, byteCount & 7 == 0, offset >= previous, byteCount > 0,
        byteCount < Int64.max / 4, offset < Int64.max / 4
      else { return nil }
      previous = offset + byteCount
    }
    return refs
  }

  // MARK: The newest version

  /// The tables of the newest version that can be found, and their names.
  ///
  /// - Parameter known: the names of the tables, if the root has them.
  func newest(names known: Ref?) -> SalvageRoot.Parts {
    let last = tops.keys.max() ?? -1
    var parts = SalvageRoot.Parts()
    var best: [Int: Top] = [:]
    var vacancies: [Int: Int64] = [:]
    for (slot, found) in tops {
      // If a list says that the slot is vacant, for a later tag, it is newer than the table.
      let vacant =
        lists.compactMap { list -> Int? in
          guard slot < list.elements.count, list.elements[slot] & 1 != 0 else { return nil }
          return Int(list.elements[slot] >> 1)
        }.max() ?? 0
      if vacant > 0 { vacancies[slot] = Int64(vacant) << 1 | 1 }
      best[slot] = found.filter { $0.key.raw >> 16 >= vacant }.max { $1.isNewer(than: $0) }
    }
    let complete = lists.filter { list in
      list.elements.indices.allSatisfy { slot in
        guard let top = topRefs[Int(list.elements[slot])] else { return true }
        return top.ref == best[slot]?.ref
      } && best.keys.allSatisfy { $0 < list.elements.count && list.elements[$0] & 1 == 0 }
    }
    let knownCount = { (list: List) in list.elements.count { topRefs[Int($0)] != nil } }
    if let list = complete.max(by: { (knownCount($0), $0.ref) < (knownCount($1), $1.ref) }) {
      (parts.tables, parts.elements) = (list.ref, list.elements)
    } else {
      parts.elements = (0..<last + 1).map { slot in
        best[slot].map { Int64($0.ref) } ?? vacancies[slot] ?? 0
      }
    }
    // The names show how many tables a lost list had.
    let isList = parts.tables != nil
    let fitting = names.filter {
      (known ?? $0.ref) == $0.ref
        && (isList ? $0.texts.count == parts.elements.count : $0.texts.count > last)
    }
    if let name = fitting.last, fitting.allSatisfy({ $0.texts == name.texts }) {
      parts.tableNames = name.ref
      let missing = name.texts.count - parts.elements.count
      parts.elements += Array(repeating: 0, count: max(0, missing))
    }
    parts.hasNoFreeSpace = freeLists.isEmpty && hasOneVersion
    return parts
  }

  /// Whether no table has several top arrays.
  var hasOneVersion: Bool { tops.values.allSatisfy { $0.count == 1 } }

  /// The top arrays of a table, the newest first.
  package func tops(inSlot slot: Int) -> [Top] {
    (tops[slot] ?? []).sorted { $0.isNewer(than: $1) }
  }

  /// The free lists that contradict no node of a walk, the one with the most space first.
  func freeLists(fitting walk: DamageWalk) -> [FreeList.Refs] {
    var sizes: [(refs: FreeList.Refs, byteCount: Int)] = []
    for refs in freeLists {
      guard
        let lists = try? FreeList.Lists(
          refs, logicalSize: nodes.logicalSize, nodes, needsVersions: false)
      else { continue }
      let chunks = (0..<lists.count).map { i in
        let (offset, byteCount) = lists.chunk(i)
        let start = min(Int(offset), nodes.logicalSize)
        return start..<min(start + Int(byteCount), nodes.logicalSize)
      }
      guard chunks.allSatisfy({ !walk.isTaken($0) }) else { continue }
      sizes.append((refs, chunks.reduce(0) { $0 + $1.count }))
    }
    return sizes.sorted { $0.byteCount > $1.byteCount }.map(\.refs)
  }

  /// The newest content version of each table, by slot.
  func contentVersions(of root: SalvageRoot) -> [Int: Int] {
    guard let list = try? nodes.lookUp(root.tables), list.hasRefs else { return [:] }
    var versions: [Int: Int] = [:]
    for slot in 0..<min(list.count, 1 << 16) {
      if case .ref(let ref) = list.element(at: slot), let top = topRefs[ref] {
        versions[slot] = top.contentVersion
      }
    }
    return versions
  }

  /// Whether the tables of `parts` are newer than those of another version.
  func isNewer(_ parts: SalvageRoot.Parts, than root: SalvageRoot) -> Bool {
    let old = contentVersions(of: root)
    return parts.elements.indices.contains { slot in
      guard let top = topRefs[Int(parts.elements[slot])] else { return false }
      return old[slot].map { top.contentVersion > $0 } ?? true
    }
  }
}
