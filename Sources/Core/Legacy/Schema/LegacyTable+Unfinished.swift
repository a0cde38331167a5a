import RealmModel
import RealmStorage

/// Tables that an app began to upgrade to format 10 and did not finish (chapter 5, section 13). They have the top array and
/// the spec of that format, but no objects yet: these are still in the columns.
extension LegacyTable {
  /// - Parameter top: the top array of the table.
  /// - Returns: the spec, and the ref of the array of columns; nil if the columns are gone, or the objects were copied.
  /// - Throws: `damaged` with a rule of group `spec`; errors that are not damage.
  static func unfinished(
    _ top: Node, _ nodes: NodeReader
  ) throws(RealmFileError) -> (spec: LegacySpec, columns: Node)? {
    typealias Slot = TableLayout.Slot
    guard top.count >= Slot.minimumCount,
      case .ref(let columns) = top.element(at: Slot.oldColumns)
    else { return nil }
    let clusters = try nodes.lookUp(try top.ref(at: Slot.clusters))
    guard clusters.hasRefs, !clusters.isInner, clusters.count > 0,
      case .tagged(0) = clusters.element(at: 0)
    else { return nil }
    let array = try nodes.lookUp(columns)
    let spec = try ConvertedSpec(
      at: try top.ref(at: Slot.spec), targets: try targets(of: top, nodes), nodes)
    // The refs of search indexes go first.
    guard array.hasRefs, !array.isInner,
      array.count == spec.typeCount || array.count == spec.typeCount + spec.indexedCount
    else {
      throw .damaged(
        .tableSlots, at: columns,
        "the array of columns has \(array.form), expected \(spec.typeCount) for the columns")
    }
    return (try spec.legacy(hasIndexes: array.count > spec.typeCount), array)
  }

  /// The target tables of links, by column; nothing if the spec still has them.
  private static func targets(of top: Node, _ nodes: NodeReader) throws(RealmFileError) -> [Int64] {
    let opposites = try nodes.lookUp(try top.ref(at: TableLayout.Slot.oppositeTables))
    return opposites.isIntegers ? opposites.integers() : []
  }
}

/// A spec that was converted to format 10, whose types mean the columns of before.
private struct ConvertedSpec {
  /// Positions in the spec (chapter 3, section 3).
  private enum Slot {
    static let types = 0
    static let names = 1
    static let attributes = 2
    static let subspecs = 3
    static let enumerations = 4
    static let count = 6
  }

  private enum Attribute {
    static let indexed: Int64 = 1
    static let nullable: Int64 = 16
    static let list: Int64 = 32
  }

  private static let columnLimit = 1 << 16

  private let ref: Ref
  private let types: [Int64]
  private let attributes: [Int64]
  private let names: [Name]
  /// Targets and origins of links in the order of the columns, as before the conversion; nil if they were moved.
  private let subspecs: Node?
  private let enumerations: Node?
  private let targets: [Int64]

  init(at ref: Ref, targets: [Int64], _ nodes: NodeReader) throws(RealmFileError) {
    let spec = try nodes.lookUp(ref)
    guard spec.hasRefs, !spec.isInner, spec.count == Slot.count else {
      throw .damaged(.specSlots, at: ref, "the spec has \(spec.form), expected \(Slot.count)")
    }
    let types = try nodes.lookUp(try spec.ref(at: Slot.types))
    let attributes = try nodes.lookUp(try spec.ref(at: Slot.attributes))
    guard types.isIntegers, attributes.isIntegers, types.count == attributes.count,
      types.count < ConvertedSpec.columnLimit
    else {
      throw .damaged(
        .specLengths, at: ref, "the spec has \(types.form) as types and \(attributes.form)")
    }
    names = try LegacyNames.stored(at: try spec.ref(at: Slot.names), nodes)
    (self.ref, self.targets) = (ref, targets)
    (self.types, self.attributes) = (types.integers(), attributes.integers())
    subspecs = try nodes.child(of: spec, at: Slot.subspecs)
    enumerations = try nodes.child(of: spec, at: Slot.enumerations)
  }

  var typeCount: Int { types.count }
  var indexedCount: Int { attributes.count { $0 & Attribute.indexed != 0 } }

  /// The columns as they are stored.
  ///
  /// - Parameter hasIndexes: whether the array of columns has the refs of search indexes.
  func legacy(hasIndexes: Bool) throws(RealmFileError) -> LegacySpec {
    var columns: [LegacyColumn] = []
    var (slot, subspec) = (0, 0)
    for (i, type) in types.enumerated() {
      let isIndexed = attributes[i] & Attribute.indexed != 0
      let kind: LegacyColumn.Kind
      do throws(RealmFileError) {
        kind = try self.kind(type, ofColumn: i, &subspec)
      } catch {
        kind = .unreadable(error)
      }
      columns.append(
        LegacyColumn(
          name: i < names.count ? names[i] : Name([]), kind: kind,
          isNullable: attributes[i] & Attribute.nullable != 0, isIndexed: isIndexed, position: i,
          slot: slot))
      slot += isIndexed && hasIndexes ? 2 : 1
    }
    return LegacySpec(columns: columns)
  }

  private func kind(
    _ type: Int64, ofColumn i: Int, _ subspec: inout Int
  ) throws(RealmFileError) -> LegacyColumn.Kind {
    let isList = attributes[i] & Attribute.list != 0
    switch type {
    case 12, 13:
      let target = try target(ofColumn: i, &subspec)
      return isList || type == 13 ? .linkList(target: target) : .link(target: target)
    case 14:
      if subspecs == nil { return .backlinks(origin: 0, column: 0) }
      subspec += 2
      return .backlinks(origin: 0, column: 0)
    case 6: return .mixed
    default: break
    }
    guard let single = single(type, ofColumn: i) else {
      throw .damaged(.specTypes, at: ref, "column \(i) has the unknown type \(type)")
    }
    guard isList else { return single }
    // A list was a subtable with one column.
    return .subtable(
      LegacySpec(columns: [
        LegacyColumn(
          name: Name(Array("!ARRAY_VALUE".utf8)), kind: single,
          isNullable: attributes[i] & Attribute.nullable != 0, isIndexed: false, position: 0,
          slot: 0)
      ]))
  }

  private func single(_ type: Int64, ofColumn i: Int) -> LegacyColumn.Kind? {
    switch type {
    case 0: return .values(.ints, .int)
    case 1: return .values(.bools, .bool)
    case 2:
      if let enumerations, enumerations.hasRefs, i < enumerations.count,
        case .ref(let strings) = enumerations.element(at: i)
      {
        return .enumerated(strings: strings)
      }
      return .values(.strings, .string)
    case 4: return .values(.binaries, .binary)
    case 8: return .timestamps
    case 9: return .values(.floats, .float)
    case 10: return .values(.doubles, .double)
    default: return nil
    }
  }

  private func target(ofColumn i: Int, _ subspec: inout Int) throws(RealmFileError) -> Int {
    if let subspecs {
      defer { subspec += 1 }
      if subspecs.hasRefs, subspec < subspecs.count,
        case .tagged(let table) = subspecs.element(at: subspec)
      {
        return table
      }
    } else if i < targets.count, targets[i] >= 0, targets[i] < Int64(ConvertedSpec.columnLimit) {
      return Int(targets[i])
    }
    throw .damaged(.linkOpposite, at: ref, "the target of column \(i) is unknown")
  }
}
