import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage

/// Makes new nodes for lost ones of the schema of a version of formats 2 to 9: the list of tables and its names, and the top
/// array, the spec and the array of columns of each table.
///
/// A library writes children right before their parents. So if all of them were written by one commit, they end where the lost
/// node begins, in its order. Those that an earlier commit wrote are at the same place in the lists of older versions, which the
/// free list does not count as free. Others are lost: nothing shows which column they belong to.
struct LegacyTableRepair {
  /// The most nodes that are compared with columns.
  private static let workLimit = 1 << 16
  /// The most older versions of a table that are looked at.
  private static let olderLimit = 16

  private let nodes: NodeReader
  private let search: LegacyTableSearch
  private let lost: LostNodes
  private var walk: DamageWalk
  private let repairs: SalvageImage.Repairs
  /// The top arrays that can be read.
  private let tops: [Ref]
  /// The arrays of refs that nothing refers to.
  private let arrays: [Ref]
  /// The nodes that follow the only table that is followed by nodes without refs; nil if they were not looked for.
  private var run: [Ref]?
  private var work = LegacyTableRepair.workLimit

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - root: the version.
  ///   - roots: the versions of the file.
  ///   - walk: adopts the nodes that get a place again.
  /// - Returns: nil if nothing is replaced.
  /// - Throws: errors that are not damage.
  static func run(
    _ nodes: NodeReader, _ root: SalvageRoot, _ roots: [SalvageRoot], _ walk: inout DamageWalk
  ) throws(RealmFileError) -> SalvageImage.Repairs? {
    guard var elements = root.elements(nodes) else { return nil }
    let names = try undamaged(SpecLayout.names(at: root.tableNames, nodes))
    let areNamesLost = !walk.isTrusted(root.tableNames) || names?.count != elements.count
    let broken = elements.indices.filter { isBroken(Ref(elements[$0]), nodes, walk) }
    guard areNamesLost || !broken.isEmpty || root.tableElements != nil else { return nil }
    let tops = elements.map { Ref($0) }.filter { refs($0, nodes, walk) != nil }
    var repair = try LegacyTableRepair(nodes, walk, tops)
    var found = Set<Int>()
    for place in broken.prefix(LegacyTableSearch.placeLimit) {
      guard let table = try repair.table(place, Ref(elements[place]), count: elements.count) else {
        continue
      }
      elements[place] = Int64(table)
      found.insert(place)
    }
    var repairs = repair.repairs
    let isChanged = root.tableElements != nil || !found.isEmpty
    if isChanged { repairs.tables = repairs.nodes.append(refs: elements) }
    if areNamesLost {
      let known = roots.map(\.tableNames)
      if let texts = repair.search.names(count: elements.count, known: known)?.texts {
        repairs.tableNames = ShortStringLeaf.encode(
          SliceColumn(copying: texts), 0..<texts.count, longest: texts.map(\.count).max() ?? -1,
          into: repairs.nodes)
        found.formUnion(elements.indices)
      } else if root.tableNames == 0 {
        repairs.tableNames = repairs.nodes.append(integers: [])
      }
    }
    guard isChanged || repairs.tableNames != nil else { return nil }
    (walk, repairs.foundTables) = (repair.walk, found)
    return repairs
  }

  /// The trusted node at `ref`, if it has refs. A header of zeros is that of an empty node without refs.
  private static func refs(_ ref: Ref, _ nodes: NodeReader, _ walk: DamageWalk) -> Node? {
    guard walk.isTrusted(ref), let node = try? nodes.lookUp(ref), node.hasRefs, !node.isInner else {
      return nil
    }
    return node
  }

  private static func ref(_ node: Node?, _ index: Int) -> Ref {
    if let node, case .ref(let ref) = node.element(at: index) { ref } else { 0 }
  }

  /// Whether the top array of a table, its spec or its array of columns is lost.
  private static func isBroken(_ ref: Ref, _ nodes: NodeReader, _ walk: DamageWalk) -> Bool {
    guard let top = refs(ref, nodes, walk) else { return true }
    // An upgrade that did not finish has more.
    return top.count == 2 && (0..<2).contains { refs(self.ref(top, $0), nodes, walk) == nil }
  }

  private init(
    _ nodes: NodeReader, _ walk: DamageWalk, _ tops: [Ref]
  ) throws(RealmFileError) {
    (self.nodes, self.walk, self.tops) = (nodes, walk, tops)
    search = try LegacyTableSearch(nodes)
    lost = try LostNodes(nodes, walk)
    var arrays: [Ref] = []
    for (place, isChild) in zip(lost.places, lost.isChild)
    where !isChild && arrays.count < LegacyTableSearch.placeLimit {
      let node = try nodes.lookUp(place.lowerBound)
      if node.hasRefs, !node.isInner, !node.hasContext { arrays.append(node.ref) }
    }
    self.arrays = arrays
    repairs = SalvageImage.Repairs(walk)
  }

  private func refs(_ ref: Ref) -> Node? { LegacyTableRepair.refs(ref, nodes, walk) }
  private func ref(_ node: Node?, _ index: Int) -> Ref { LegacyTableRepair.ref(node, index) }

  /// A new top array for a table.
  ///
  /// - Parameters:
  ///   - place: its place in the list of tables, which has `count` elements.
  ///   - topRef: the top array, which may be lost; 0 if it is unknown.
  /// - Returns: nil if nothing is lost, or if nothing is found.
  private mutating func table(
    _ place: Int, _ topRef: Ref, count: Int
  ) throws(RealmFileError) -> Ref? {
    let top = refs(topRef)
    var (specRef, columnsRef) = (ref(top, 0), ref(top, 1))
    let older = search.tables(at: place, ofCount: count)
    if top == nil {
      columnsRef = lost.index(endingAt: topRef).map { lost.places[$0].lowerBound } ?? 0
    }
    if refs(specRef) == nil {
      guard try findSpec(&specRef, older, before: columnsRef) else { return nil }
    }
    let isColumnsRefKnown = top != nil
    if refs(columnsRef) != nil {
      return repairs.nodes.append(refs: [Int64(specRef), Int64(columnsRef)])
    }
    guard let spec = try undamaged(search.spec(at: specRef)) else { return nil }
    if !isColumnsRefKnown, try !fits(columnsRef, spec) { columnsRef = try onlyArray(spec) }
    if try fits(columnsRef, spec), try walk.adopt(columnsRef) {
      return repairs.nodes.append(refs: [Int64(specRef), Int64(columnsRef)])
    }
    guard
      let roots = try columns(spec, endingAt: isColumnsRefKnown ? columnsRef : 0, older)
    else { return nil }
    let array = repairs.nodes.append(refs: roots.map { Int64($0) })
    return repairs.nodes.append(refs: [Int64(specRef), Int64(array)])
  }

  // MARK: Specs

  /// Finds the spec of a table.
  ///
  /// - Parameters:
  ///   - spec: the lost spec, or 0 if the top array is lost; receives the one that is found.
  ///   - array: the array of columns.
  private mutating func findSpec(
    _ spec: inout Ref, _ older: [LegacyTableSearch.Table], before array: Ref
  ) throws(RealmFileError) -> Bool {
    if spec != 0 {
      guard let parts = try partsOfSpec(endingAt: spec) else { return false }
      spec = repairs.nodes.append(refs: parts)
      return true
    }
    for ref in older.map(\.specRef) {
      if !walk.isTrusted(ref) { guard try walk.adopt(ref) else { continue } }
      spec = ref
      return true
    }
    // A table that one commit wrote has its spec before its columns.
    guard let array = lost.index(of: array) else { return false }
    for i in lost.places.indices.prefix(array).reversed() where !lost.isChild[i] && work > 0 {
      work -= 1
      let ref = lost.places[i].lowerBound
      guard let found = try undamaged(search.spec(at: ref)) else { continue }
      guard try fits(lost.places[array].lowerBound, found), try walk.adopt(ref) else {
        return false
      }
      spec = ref
      return true
    }
    return false
  }

  /// The types, names and attributes of columns that end where a spec began, and the two arrays that may follow these.
  private mutating func partsOfSpec(endingAt end: Ref) throws(RealmFileError) -> [Int64]? {
    var (parts, place): ([Node], Ref) = ([], end)
    while parts.count < 5, work > 0, let i = lost.index(endingAt: place) {
      (place, work) = (lost.places[i].lowerBound, work - 1)
      guard !lost.isChild[i] else { continue }
      let node = try nodes.lookUp(place)
      parts.insert(node, at: 0)
      guard parts.count >= 3, !node.hasRefs else { continue }
      let (types, names, attributes) = (parts[0], parts[1], parts[2])
      guard types.isIntegers, attributes.isIntegers, types.count == attributes.count,
        types.count > 0,
        !names.hasRefs, names.header.widthType == .multiply, names.count <= types.count,
        parts.dropFirst(3).allSatisfy(\.hasRefs)
      else { continue }
      for part in parts { guard try walk.adopt(part.ref) else { return nil } }
      return parts.map { Int64($0.ref) }
    }
    return nil
  }

  // MARK: Columns

  /// Whether a tree has the form of a column.
  private mutating func fits(_ root: Ref, _ column: LegacyColumn) throws(RealmFileError) -> Bool {
    work -= 1
    guard work > 0 else { return false }
    return try column.fits(root: root, nodes)
  }

  /// Whether an array that nothing refers to has the columns of a spec.
  private mutating func fits(_ array: Ref, _ spec: LegacySpec) throws(RealmFileError) -> Bool {
    guard lost.index(of: array) != nil, case let node = try nodes.lookUp(array),
      search.hasForm(node, of: spec)
    else { return false }
    var found = false
    for column in spec.columns {
      guard case .ref(let root) = node.element(at: column.slot) else { return false }
      switch walk.condition(of: root) {
      case .lost:
        guard try fits(root, column) else { return false }
        found = true
      case .unreadable: continue
      case .other: return false
      }
    }
    return found
  }

  /// The only array that nothing refers to and that has the columns of a spec; 0 if there is none, or more than one.
  private mutating func onlyArray(_ spec: LegacySpec) throws(RealmFileError) -> Ref {
    guard walk.knowsFreeSpace else { return 0 }
    var found: [Ref] = []
    for array in arrays where try fits(array, spec) { found.append(array) }
    return found.count == 1 ? found[0] : 0
  }

  /// The refs of a lost array of columns, with 0 for those that are not found.
  ///
  /// - Parameters:
  ///   - end: where the array began; 0 if it is unknown.
  ///   - older: the table in other lists.
  /// - Returns: nil if no column is found.
  private mutating func columns(
    _ spec: LegacySpec, endingAt end: Ref, _ older: [LegacyTableSearch.Table]
  ) throws(RealmFileError) -> [Ref]? {
    guard walk.knowsFreeSpace else { return nil }
    var roots = Array(repeating: 0, count: spec.slotCount)
    var used = Set<Ref>()
    // A column that the last commits did not change is where it was.
    for table in older.prefix(LegacyTableRepair.olderLimit)
    where table.spec.slotCount == spec.slotCount {
      guard let array = try undamaged(nodes.lookUp(table.columns)) else { continue }
      for slot in roots.indices where roots[slot] == 0 {
        let ref = ref(array, slot)
        if let i = lost.index(of: ref), !lost.isChild[i], used.insert(ref).inserted {
          roots[slot] = ref
        }
      }
    }
    // The others end where the array began.
    let missing = roots.indices.filter { roots[$0] == 0 }
    var (written, place): ([Ref], Ref) = ([], end)
    while written.count < missing.count, work > 0, let i = lost.index(endingAt: place) {
      (place, work) = (lost.places[i].lowerBound, work - 1)
      if !lost.isChild[i], !used.contains(place) { written.append(place) }
    }
    if written.count == missing.count {
      let new = Dictionary(uniqueKeysWithValues: zip(missing, written.reversed()))
      var areColumns = true
      for column in spec.columns {
        if let root = new[column.slot], try !fits(root, column) { areColumns = false }
      }
      if areColumns { for (slot, ref) in new { roots[slot] = ref } }
    } else if used.isEmpty, !older.isEmpty {
      for (slot, ref) in zip(roots.indices, try firstColumns(spec)) { roots[slot] = ref }
    }
    var found = false
    for column in spec.columns {
      let root = roots[column.slot]
      if root != 0, try fits(root, column), try walk.adopt(root) {
        found = true
      } else {
        roots[column.slot] = 0
      }
      // The objects need no indexes.
      if column.isIndexed { roots[column.slot + 1] = 0 }
    }
    return found ? roots : nil
  }

  /// The first columns of a table all of whose columns the last commit wrote: they follow the table that it wrote before.
  ///
  /// - Returns: nothing unless exactly one table is followed by nodes without refs.
  private mutating func firstColumns(_ spec: LegacySpec) throws(RealmFileError) -> [Ref] {
    if run == nil { run = try followers() }
    let run = run ?? []
    var (found, rows): ([Ref], Int?) = ([], nil)
    for column in spec.columns {
      guard found.count < run.count, case let root = run[found.count],
        try fits(root, column),
        case let count = try column.rowCount(root: root, nodes), count == rows ?? count
      else { break }
      (rows, found) = (count, found + [root])
      if column.isIndexed, found.count < run.count { found.append(run[found.count]) }
    }
    return found
  }

  private func followers() throws(RealmFileError) -> [Ref] {
    var runs: [[Ref]] = []
    for top in tops {
      var (run, end): ([Ref], Ref) = ([], try nodes.lookUp(top).extent.upperBound)
      while let i = lost.index(of: end) {
        end = lost.places[i].upperBound
        if !lost.isChild[i] { run.append(lost.places[i].lowerBound) }
      }
      if !run.isEmpty { runs.append(run) }
    }
    return runs.count == 1 ? runs[0] : []
  }
}
