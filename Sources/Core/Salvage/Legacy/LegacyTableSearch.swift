import RealmLegacy
import RealmModel
import RealmStorage

/// Finds the tables of a damaged realm of formats 2 to 9 by their form, without refs to them.
///
/// A table has a spec and as many columns as the spec says; nothing else has this form (chapter 5, section 5). It does
/// not contain its place in the list of tables, by which links refer to it. Lists of older versions have the same places,
/// links and their backlinks confirm each other, and the tables of the SDKs have names of their own.
struct LegacyTableSearch {
  /// The most nodes of each form to look at, and the most lists and tables to keep.
  private static let (nodeLimit, listLimit, tableLimit) = (1 << 18, 1 << 8, 1 << 12)
  /// The most tables whose places are looked for.
  static let placeLimit = 1 << 10
  /// The most columns and names that are looked at: damaged nodes can share specs and columns.
  private static let workLimit = 1 << 18
  /// So many of the first elements of a list may be no tables, as tables next to each other can be lost together.
  private static let lostStart = 8
  /// After those, one of less than so many elements is a table in a list that is read to its end. A fourth is less than
  /// the half that the whole list needs, because tables that are found can be at its end.
  private static let elementsPerTable = 4

  /// The top array of a table.
  struct Table: Sendable {
    let ref: Ref
    let specRef: Ref
    let columns: Ref
    let spec: LegacySpec
    /// Number of rows; nil if the columns differ, or one has not the form of its type.
    let rowCount: Int?
  }

  /// A list of tables, most of which have the form of tables.
  private struct List {
    let ref: Ref
    let elements: [Ref]

    /// Number of whole tables that are found, and of their rows.
    func found(in tables: [Ref: Table]) -> (Int, Int) {
      let counts = elements.compactMap { tables[$0]?.rowCount }
      return (counts.count, counts.reduce(0) { $0.saturatingSum($1) })
    }
  }

  private let nodes: NodeReader
  private var tables: [Ref: Table] = [:]
  /// The last ones in the file come last.
  private var lists: [List] = []
  private var names: [(ref: Ref, texts: [[UInt8]])] = []
  private var specs: [Ref: LegacySpec?] = [:]
  private var work = LegacyTableSearch.workLimit

  /// - Parameter nodes: a reader of the whole file.
  /// - Throws: errors that are not damage.
  init(_ nodes: NodeReader) throws(RealmFileError) {
    self.nodes = nodes
    var (tops, arrays, names): ([Ref], [Ref], [Ref]) = ([], [], [])
    // Early libraries left other bytes before the headers.
    try NodeScan.run(nodes, in: 0..<nodes.logicalSize, withAnyFiller: true) { ref, header in
      if header.hasRefs, !header.isInner, !header.hasContext, header.count > 0, header.width > 7 {
        if header.count == LegacyTableSearch.topCount { tops.append(ref) }
        if header.count <= LegacyTableSearch.placeLimit { arrays.append(ref) }
      } else if !header.hasRefs, header.widthType == .multiply, header.count > 0,
        header.count <= LegacyTableSearch.placeLimit
      {
        names.append(ref)
      }
      return max(arrays.count, names.count) < LegacyTableSearch.nodeLimit
    }
    let mark = nodes.mark()
    for ref in tops where tables.count < LegacyTableSearch.tableLimit && work > 0 {
      if let table = try undamaged(table(at: ref)) { tables[ref] = table }
      nodes.release(to: mark)
    }
    for ref in arrays where lists.count < LegacyTableSearch.listLimit {
      if let list = try undamaged(list(at: ref)), let list { lists.append(list) }
      nodes.release(to: mark)
    }
    for ref in names where self.names.count < LegacyTableSearch.listLimit && work > 0 {
      if let texts = try undamaged(tableNames(at: ref)), let texts {
        self.names.append((ref, texts))
      }
      nodes.release(to: mark)
    }
  }

  // MARK: Forms

  /// Slots of the top array of a table: its spec and its columns.
  private static let topCount = 2

  /// - Throws: `damaged` if this is no table.
  private mutating func table(at ref: Ref) throws(RealmFileError) -> Table {
    let top = try nodes.lookUp(ref)
    let (specRef, columns) = (try top.ref(at: 0), try top.ref(at: 1))
    if specs[specRef] == nil { specs[specRef] = .some(try undamaged(spec(at: specRef))) }
    guard case .some(.some(let spec)) = specs[specRef] else { throw .damaged(.tableSlots, at: ref) }
    let array = try nodes.lookUp(columns)
    guard hasForm(array, of: spec) else { throw .damaged(.tableSlots, at: columns) }
    work -= spec.slotCount
    return Table(
      ref: ref, specRef: specRef, columns: columns, spec: spec,
      rowCount: try undamaged(rowCount(spec, array)))
  }

  /// - Throws: `damaged` if the columns do not have the same number of rows.
  private func rowCount(_ spec: LegacySpec, _ array: Node) throws(RealmFileError) -> Int {
    var all: Int?
    for column in spec.columns {
      let root = try array.ref(at: column.slot)
      let count = try column.rowCount(root: root, nodes)
      let hasForm = if count == 0 { true } else { try column.fits(root: root, nodes) }
      guard hasForm, all ?? count == count else { throw .damaged(.leafRows, at: root) }
      all = count
    }
    return all ?? 0
  }

  /// A spec with at least one column and all of its names.
  ///
  /// - Throws: `damaged` if this is no spec.
  func spec(at ref: Ref) throws(RealmFileError) -> LegacySpec {
    let reader = LegacySpecReader(
      nodes: nodes, tableCount: Int(UInt16.max), damage: .leaveOut)
    let spec = try nodes.traversing { () throws(RealmFileError) in try reader.spec(at: ref) }
    guard !spec.columns.isEmpty, spec.lostNames == nil else {
      throw .damaged(.specLengths, at: ref)
    }
    return spec
  }

  /// Whether a node is an array with the columns of a spec.
  func hasForm(_ node: Node, of spec: LegacySpec) -> Bool {
    node.hasRefs && !node.isInner && !node.hasContext && node.count == spec.slotCount
  }

  private func list(at ref: Ref) throws(RealmFileError) -> List? {
    let node = try nodes.lookUp(ref)
    var elements: [Ref] = []
    var found = 0
    for i in 0..<node.count {
      guard case .ref(let element) = node.element(at: i), element & 7 == 0 else { return nil }
      elements.append(element)
      if tables[element] != nil { found += 1 }
      // Long arrays of other refs end here.
      guard found * LegacyTableSearch.elementsPerTable > i - LegacyTableSearch.lostStart else {
        return nil
      }
    }
    let areMostTables = found > elements.count / 2
    return areMostTables && Set(elements).count == elements.count
      ? List(ref: ref, elements: elements) : nil
  }

  private mutating func tableNames(at ref: Ref) throws(RealmFileError) -> [[UInt8]]? {
    let column = try SpecLayout.names(at: ref, nodes)
    work -= column.count
    let texts = (0..<column.count).map { column[$0]?.bytes ?? [] }
    return texts.contains(where: { ObjectClass.isClass(tableName: Name($0)) })
      && texts.allSatisfy({ String(validating: $0, as: UTF8.self) != nil }) ? texts : nil
  }

  // MARK: What is known of a place

  /// The tables that lists have at a place, those of the last lists first.
  func tables(at place: Int, ofCount count: Int) -> [Table] {
    lists.reversed().compactMap { list in
      list.elements.count == count && place < count ? tables[list.elements[place]] : nil
    }
  }

  /// The names of so many tables; nil if nothing or several things are found.
  ///
  /// - Parameter known: the names of other versions, which are preferred.
  func names(count: Int, known: [Ref]) -> (ref: Ref, texts: [[UInt8]])? {
    let fitting = names.filter { $0.texts.count == count }
    let preferred = fitting.filter { known.contains($0.ref) }
    let chosen = preferred.isEmpty ? fitting : preferred
    return chosen.allSatisfy { $0.texts == chosen[0].texts } ? chosen.last : nil
  }

  /// The only names that are found, or the longest if each of the others is a part of them: tables are appended.
  private var allNames: [[UInt8]]? {
    let longest = names.map(\.texts).max { $0.count < $1.count }
    return longest.flatMap { longest in
      names.allSatisfy { longest.starts(with: $0.texts) } ? longest : nil
    }
  }

  /// The texts of names.
  func texts(at ref: Ref) -> [[UInt8]]? { names.first { $0.ref == ref }?.texts }

  // MARK: The newest version

  /// The list of tables of a version whose list is lost, with 0 for a table that is not found.
  ///
  /// - Parameters:
  ///   - isRootLost: whether the root is lost too, so that the list itself can be among the lists.
  ///   - texts: the names of the tables, if they are known.
  ///   - older: the lists of other versions.
  ///   - isInOrder: whether the file was written at once, so that its tables lie in the order of the list.
  ///   - isPossible: whether a node at this place can belong to the version.
  /// - Returns: the list, and whether it has anything that the other versions do not have.
  func parts(
    isRootLost: Bool, texts: [[UInt8]]?, older: [Ref], isInOrder: Bool,
    where isPossible: (Ref) -> Bool
  ) -> (SalvageRoot.Parts, isNewer: Bool) {
    var parts = SalvageRoot.Parts()
    // A list with fewer tables than names is that of an older version.
    let texts = texts ?? allNames
    let old = lists.filter { !isRootLost || older.contains($0.ref) }
    let newer = lists.filter { list in
      isRootLost && isPossible(list.ref)
        && list.elements.count == texts?.count ?? list.elements.count
        && !old.contains { $0.elements == list.elements }
    }
    // Nothing shows which of several is the newest: probably the one with the most objects.
    if let list = newer.max(by: { $0.found(in: tables) < $1.found(in: tables) }) {
      (parts.tables, parts.elements) = (list.ref, list.elements.map { Int64($0) })
      return (parts, true)
    }
    let known = Set(old.flatMap(\.elements))
    var newest: [Ref: Table] = [:]
    // Versions of a table share its spec. The one that no known list has is the newest.
    func age(_ table: Table) -> (Int, Int, Ref) {
      (known.contains(table.ref) ? 0 : 1, table.rowCount ?? -1, table.ref)
    }
    for table in tables.values.sorted(by: { age($0) < age($1) }) where isPossible(table.ref) {
      newest[table.specRef] = table
    }
    let found = Array(newest.values)
    let count = texts?.count ?? lists.map(\.elements.count).max() ?? found.count
    var places = LegacyTablePlaces(count: count, texts: texts)
    for place in 0..<count {
      let specs = Set(tables(at: place, ofCount: count).map(\.specRef))
      let fitting = found.filter { specs.contains($0.specRef) }
      if fitting.count == 1 { places.tables[place] = fitting[0] }
    }
    if max(count, found.count) <= LegacyTableSearch.placeLimit {
      places.fill(found, isInOrder: isInOrder, isCountKnown: texts != nil || !lists.isEmpty)
    }
    parts.elements = (0..<count).map { Int64(places.tables[$0]?.ref ?? 0) }
    return (parts, places.tables.contains { !known.contains($0.value.ref) })
  }
}

/// The places of tables in a list that is lost.
private struct LegacyTablePlaces {
  typealias Table = LegacyTableSearch.Table

  /// The most columns that are compared.
  private static let workLimit = 1 << 22

  let count: Int
  let texts: [[UInt8]]?
  var tables: [Int: Table] = [:]
  private var work = LegacyTablePlaces.workLimit

  /// Finds the places of more tables: where links, backlinks and names confirm one place only, or where there is one
  /// table for one place.
  ///
  /// - Parameters:
  ///   - isInOrder: whether the tables lie in the order of the list.
  ///   - isCountKnown: whether anything but the tables shows how many there are.
  mutating func fill(_ found: [Table], isInOrder: Bool, isCountKnown: Bool) {
    var rest = found.filter { table in !tables.values.contains { $0.ref == table.ref } }
      .sorted { $0.specRef < $1.specRef }
    if tables.isEmpty, rest.count == count {
      var inOrder = LegacyTablePlaces(
        count: count, texts: texts, inOrder: rest)
      let evidence = rest.indices.map { inOrder.evidence(of: rest[$0], at: $0) }
      if evidence.allSatisfy({ $0 != nil }), isInOrder || evidence.count(where: { $0 == 0 }) <= 1 {
        self = inOrder
        return
      }
    }
    while isCountKnown {
      let open = (0..<count).filter { tables[$0] == nil }
      let known = rest.compactMap { table -> (place: Int, table: Table)? in
        let places = open.filter { evidence(of: table, at: $0) ?? 0 > 0 }
        return places.count == 1 ? (places[0], table) : nil
      }
      let byPlace = Dictionary(grouping: known, by: \.place).filter { $1.count == 1 }
      for (place, found) in byPlace { tables[place] = found[0].table }
      if byPlace.isEmpty, open.count == 1, rest.count == 1,
        evidence(of: rest[0], at: open[0]) != nil
      {
        tables[open[0]] = rest[0]
      }
      let left = rest.filter { table in !tables.values.contains { $0.ref == table.ref } }
      guard left.count < rest.count else { return }
      rest = left
    }
  }

  private init(count: Int, texts: [[UInt8]]?, inOrder: [Table]) {
    self.init(count: count, texts: texts)
    for (place, table) in inOrder.enumerated() { tables[place] = table }
  }

  init(count: Int, texts: [[UInt8]]?) { (self.count, self.texts) = (count, texts) }

  /// How many links, backlinks and names confirm that a table is at a place; nil if one contradicts it.
  private mutating func evidence(of table: Table, at place: Int) -> Int? {
    guard work > 0 else { return nil }
    var evidence = 0
    func confirm(_ fits: Bool?, by other: Int? = nil) -> Bool {
      // A table can have links to and from another one in columns that would also fit each other.
      if fits == true, other != place { evidence += 1 }
      return fits ?? true
    }
    func spec(_ other: Int) -> LegacySpec? { other == place ? table.spec : tables[other]?.spec }
    if let texts, place < texts.count, let text = String(validating: texts[place], as: UTF8.self) {
      guard confirm(table.spec.fits(tableName: text)) else { return nil }
    }
    for column in table.spec.columns {
      switch column.kind {
      case .link(let target), .linkList(let target):
        guard target < count,
          confirm(
            spec(target)?.hasBacklinks(ofTable: place, column: column.position), by: target)
        else { return nil }
      case .backlinks(let origin, let position):
        guard origin < count, confirm(spec(origin)?.links(position, toTable: place), by: origin)
        else {
          return nil
        }
      default: continue
      }
    }
    work -= table.spec.columns.count
    for (other, known) in tables where other != place {
      work -= known.spec.columns.count
      for column in known.spec.columns {
        switch column.kind {
        case .link(place), .linkList(place):
          guard table.spec.hasBacklinks(ofTable: other, column: column.position) else { return nil }
        case .backlinks(place, let position):
          guard table.spec.links(position, toTable: other) else { return nil }
        default: continue
        }
      }
    }
    return evidence
  }
}

extension LegacySpec {
  fileprivate func hasBacklinks(ofTable table: Int, column: Int) -> Bool {
    columns.contains { if case .backlinks(table, column) = $0.kind { true } else { false } }
  }

  /// Whether the column at `position` has links to a table.
  fileprivate func links(_ position: Int, toTable table: Int) -> Bool {
    guard columns.indices.contains(position) else { return false }
    switch columns[position].kind {
    case .link(table), .linkList(table): return true
    default: return false
    }
  }

  /// Whether a table with this name can have the columns; nil if nothing shows it.
  fileprivate func fits(tableName: String) -> Bool? {
    let names = columns.map(\.name.text)
    let internalNames = ["pk": ["pk_table", "pk_property"], "metadata": ["version"]]
    if let own = internalNames[tableName] { return own.allSatisfy(names.contains) }
    return internalNames.values.contains(names) ? false : nil
  }
}
