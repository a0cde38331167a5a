package import RealmModel
package import RealmStorage

/// Decodes the specs of tables and subtables (chapter 5, section 5.2). Used by one thread.
package final class LegacySpecReader {
  /// Positions in a spec.
  private enum Slot {
    static let types = 0
    static let names = 1
    static let attributes = 2
    static let subspecs = 3
    static let enumerations = 4
    static let (least, most) = (3, 5)
  }

  /// Bits of an attribute (section 5.4). The other bits do not affect the layout.
  private enum Attribute {
    static let indexed: Int64 = 1
    static let nullable: Int64 = 16
    static let all: Int64 = 31
  }

  /// A table has fewer columns, and specs are nested in no more levels. No SDK nests subtables.
  static let (columnLimit, levelLimit) = (1 << 16, 100)
  /// The most columns of all specs. A column takes about 130 bytes of memory, but none in the file if the arrays of
  /// its spec have no bits.
  private static let totalColumnLimit = 1 << 18

  let nodes: NodeReader
  /// Whether to leave out what cannot be read: names, and columns whose targets or lists of strings are lost. Without
  /// types or attributes, nothing of a spec can be used.
  private let leavesOut: Bool
  /// Number of tables in the file.
  let tableCount: Int
  /// Number of columns in all specs so far.
  private var columnCount = 0
  private var specs: Set<Ref> = []

  /// - Parameters:
  ///   - tableCount: number of tables in the file.
  ///   - damage: what to do about a spec of which a part cannot be read.
  package init(nodes: NodeReader, tableCount: Int, damage: ObjectRequest.Damage = .stop) {
    (self.nodes, self.tableCount, leavesOut) = (nodes, tableCount, damage == .leaveOut)
  }

  /// Decodes a spec and the specs of its subtables.
  ///
  /// - Throws: `damaged` with a rule of group `spec`, or with rule `storage.node-overlap`; `unsupported` for too many
  ///   levels or columns.
  package func spec(at ref: Ref, level: Int = 0) throws(RealmFileError) -> LegacySpec {
    guard level <= LegacySpecReader.levelLimit else {
      throw RealmFileError(
        .unsupported(
          "subtables are nested more than \(LegacySpecReader.levelLimit) deep, the most that this version "
            + "reads"), offset: ref)
    }
    guard specs.insert(ref).inserted else {
      throw .damaged(
        .storageNodeOverlap, at: ref, "two specs share the node")
    }
    let node = try nodes.node(at: ref)
    guard node.hasRefs, !node.isInner, Slot.least...Slot.most ~= node.count else {
      throw .damaged(
        .specSlots, at: ref, "the spec has \(node.form), expected \(Slot.least) to \(Slot.most)")
    }
    let types = try integers(node, Slot.types)
    let attributes = try integers(node, Slot.attributes)
    let publicCount = types.count { $0 != LegacySpecReader.backlinkType }
    let (names, lostNames) = try names(of: node, publicCount)
    guard types.count == attributes.count, names.count <= types.count else {
      throw .damaged(
        .specLengths, at: ref,
        "there are \(types.count) types, \(attributes.count) attributes and \(names.count) names, "
          + "expected equal counts, or fewer names")
    }
    try count(types.count, at: ref)
    if leavesOut { try checkCodes(types, attributes, at: ref) }
    var subspecs = try entries(Slot.subspecs, of: node)
    var enumerations = try entries(Slot.enumerations, of: node)
    var columns: [LegacyColumn] = []
    var slot = 0
    for (i, type) in types.enumerated() {
      let isNullable = attributes[i] & Attribute.nullable != 0
      let isIndexed = attributes[i] & Attribute.indexed != 0
      let kind: LegacyColumn.Kind
      do throws(RealmFileError) {
        kind = try self.kind(type, ofColumn: i, at: ref, level, &subspecs, &enumerations)
      } catch {
        guard leavesOut, error.isDamage else { throw error }
        kind = .unreadable(error)
      }
      let column = LegacyColumn(
        name: i < names.count ? names[i] : Name([]), kind: kind, isNullable: isNullable,
        isIndexed: isIndexed, position: i, slot: slot)
      guard (type == LegacySpecReader.backlinkType) == (i >= names.count) else {
        throw .damaged(
          .specColumnKeys, at: ref,
          "column \(i) has type \(type), which \(i < names.count ? "has no" : "needs a") name")
      }
      columns.append(column)
      slot += isIndexed ? 2 : 1
    }
    return LegacySpec(columns: columns, lostNames: lostNames)
  }

  /// Adds the columns of a spec to those of the specs before it.
  ///
  /// - Throws: `damaged` with rule `spec.lengths`, or `unsupported`, if there are too many.
  func count(_ columns: Int, at ref: Ref) throws(RealmFileError) {
    // Arrays without bits can claim any number of columns, each of which takes memory.
    columnCount += columns
    guard columnCount <= 1000 + nodes.logicalSize / 2 else {
      throw .damaged(
        .specLengths, at: ref,
        "the tables up to here have \(columnCount) columns, but the file has \(nodes.logicalSize) bytes"
      )
    }
    guard columnCount <= LegacySpecReader.totalColumnLimit else {
      throw RealmFileError(
        .unsupported(
          "the tables up to here have \(columnCount) columns, but this version reads up to "
            + "\(LegacySpecReader.totalColumnLimit)"), offset: ref)
    }
  }

  /// The code of the type of backlinks, which have no names.
  private static let backlinkType: Int64 = 14
  /// The codes of all types (section 5.3).
  private static let types: Set<Int64> = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]

  /// The names of the columns, of which `count` have one. If they are lost and left out, names made of the positions.
  private func names(
    of spec: Node, _ count: Int
  ) throws(RealmFileError) -> ([Name], lost: RealmFileError?) {
    do throws(RealmFileError) {
      let ref = try spec.ref(at: Slot.names)
      let names = try LegacyNames.stored(at: ref, nodes)
      guard leavesOut, names.count != count || !names.allSatisfy(\.isValid) else {
        return (names, nil)
      }
      throw .damaged(
        .specNames, at: ref, "found \(names.count) names, expected \(count) in UTF-8")
    } catch {
      guard leavesOut, error.isDamage else { throw error }
      return ((0..<count).map { Name("property_\($0)") }, error)
    }
  }

  /// Checks that a damaged spec has types and attributes that exist, and that its backlinks come last.
  private func checkCodes(
    _ types: [Int64], _ attributes: [Int64], at spec: Ref
  ) throws(RealmFileError) {
    let named = types.prefix { $0 != LegacySpecReader.backlinkType }
    guard types.allSatisfy(LegacySpecReader.types.contains),
      types.dropFirst(named.count).allSatisfy({ $0 == LegacySpecReader.backlinkType })
    else {
      throw .damaged(
        .specTypes, at: spec, "the spec has an unknown type, or a type after backlinks")
    }
    guard attributes.allSatisfy({ $0 & ~Attribute.all == 0 }) else {
      throw .damaged(.specArray, at: spec, "the spec has unknown attributes")
    }
  }

  private func entries(_ slot: Int, of spec: Node) throws(RealmFileError) -> Entries {
    do throws(RealmFileError) {
      return Entries(try nodes.child(of: spec, at: slot), of: spec.ref)
    } catch {
      guard leavesOut, error.isDamage else { throw error }
      return Entries(nil, of: spec.ref)
    }
  }

  /// The integers in a slot of a spec, one for each column.
  ///
  /// - Throws: `damaged` with rule `spec.array`.
  func integers(_ spec: Node, _ slot: Int) throws(RealmFileError) -> [Int64] {
    let array = try nodes.node(at: try spec.ref(at: slot))
    guard array.isIntegers, array.count < LegacySpecReader.columnLimit else {
      throw .damaged(
        .specArray, at: array.ref,
        "slot \(slot) of the spec has \(array.form), expected an integer for each column")
    }
    return array.integers()
  }

  /// The elements of an array of a spec, which columns take in their order.
  private struct Entries {
    private let node: Node?
    private let spec: Ref
    private var next = 0

    init(_ node: Node?, of spec: Ref) { (self.node, self.spec) = (node, spec) }

    /// The next element.
    ///
    /// - Throws: `damaged` with rule `spec.array` if there is none.
    mutating func take(forColumn column: Int) throws(RealmFileError) -> RefElement {
      guard let node, node.hasRefs, !node.isInner, next < node.count else {
        throw .damaged(
          .specArray, at: node?.ref ?? spec,
          "the array has \(node?.form ?? "no elements"), expected one more for column \(column)")
      }
      next += 1
      return node.element(at: next - 1)
    }
  }

  private func kind(
    _ type: Int64, ofColumn column: Int, at spec: Ref, _ level: Int, _ subspecs: inout Entries,
    _ enumerations: inout Entries
  ) throws(RealmFileError) -> LegacyColumn.Kind {
    func ref(_ element: RefElement) throws(RealmFileError) -> Ref {
      guard case .ref(let ref) = element else {
        throw .damaged(.specArray, at: spec, "column \(column) has no ref, expected one")
      }
      return ref
    }
    func number(_ element: RefElement) throws(RealmFileError) -> Int {
      guard case .tagged(let number) = element else {
        throw .damaged(.specArray, at: spec, "column \(column) has no number, expected one")
      }
      return number
    }
    func table(_ element: RefElement) throws(RealmFileError) -> Int {
      let table = try number(element)
      guard table < tableCount else {
        throw .damaged(
          .linkOpposite, at: spec,
          "column \(column) links to table \(table), but there are \(tableCount) tables")
      }
      return table
    }
    switch type {
    case 0: return .values(.ints, .int)
    case 1: return .values(.bools, .bool)
    case 2: return .values(.strings, .string)
    case 3: return .enumerated(strings: try ref(try enumerations.take(forColumn: column)))
    case 4: return .values(.binaries, .binary)
    case 5:
      let place = try ref(try subspecs.take(forColumn: column))
      let own = try self.spec(at: place, level: level + 1)
      // Without one of its columns, a subtable would look like another type of property.
      if let lost = own.lostNames { throw lost }
      for case .unreadable(let lost) in own.columns.map(\.kind) { throw lost }
      return .subtable(own)
    case 6: return .mixed
    case 7: return .values(.seconds, .timestamp)
    case 8: return .timestamps
    case 9: return .values(.floats, .float)
    case 10: return .values(.doubles, .double)
    case 12: return .link(target: try table(try subspecs.take(forColumn: column)))
    case 13: return .linkList(target: try table(try subspecs.take(forColumn: column)))
    case 14:
      let origin = try table(try subspecs.take(forColumn: column))
      return .backlinks(
        origin: origin, column: try number(try subspecs.take(forColumn: column)))
    default:
      throw .damaged(.specTypes, at: spec, "column \(column) has the unknown type \(type)")
    }
  }
}
