import RealmModel
import RealmStorage

/// Tables that an app began to upgrade to format 10 and did not finish (chapter 5, section 13). They have the top array and
/// the spec of that format, but no objects yet: these are still in the columns.
extension LegacyTable {
  /// - Parameters:
  ///   - top: the top array of the table.
  ///   - specs: the reader of the specs of all tables, which counts the columns.
  /// - Returns: the spec, and the ref of the array of columns; nil if the columns are gone, or the objects were copied.
  /// - Throws: `damaged` with a rule of group `spec`; errors that are not damage.
  static func unfinished(
    _ top: Node, _ specs: LegacySpecReader
  ) throws(RealmFileError) -> (spec: LegacySpec, columns: Node)? {
    typealias Slot = TableLayout.Slot
    let nodes = specs.nodes
    guard top.count >= Slot.minimumCount,
      case .ref(let columns) = top.element(at: Slot.oldColumns)
    else { return nil }
    let clusters = try nodes.lookUp(try top.ref(at: Slot.clusters))
    guard clusters.hasRefs, !clusters.isInner, clusters.count > 0,
      case .tagged(0) = clusters.element(at: 0)
    else { return nil }
    let array = try nodes.lookUp(columns)
    let spec = try ConvertedSpec(
      at: try top.ref(at: Slot.spec), targets: try targets(of: top, nodes), specs)
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
    let isUsed = opposites.isIntegers && opposites.count < LegacySpecReader.columnLimit
    return isUsed ? opposites.integers() : []
  }
}

/// A spec that was converted to format 10, whose types mean the columns of before.
private struct ConvertedSpec {
  private typealias Slot = SpecLayout.Slot
  private typealias Attribute = ColumnKey.Attribute

  /// The type code of lists of links (chapter 5, section 5.3).
  private static let linkListCode: Int64 = 13

  private let ref: Ref
  private let types: [Int64]
  private let attributes: [Int]
  private let names: [Name]
  /// Targets and origins of links in the order of the columns, as before the conversion; nil if they were moved.
  private let subspecs: Node?
  private let enumerations: Node?
  private let targets: [Int64]
  private let tableCount: Int

  init(
    at ref: Ref, targets: [Int64], _ specs: LegacySpecReader
  ) throws(RealmFileError) {
    let nodes = specs.nodes
    let spec = try nodes.lookUp(ref)
    guard spec.hasRefs, !spec.isInner, spec.count == Slot.count else {
      throw .damaged(.specSlots, at: ref, "the spec has \(spec.form), expected \(Slot.count)")
    }
    types = try specs.integers(spec, Slot.types)
    attributes = try specs.integers(spec, Slot.attributes).map { Int($0) }
    guard types.count == attributes.count else {
      throw .damaged(
        .specLengths, at: ref,
        "there are \(types.count) types and \(attributes.count) attributes, expected equal counts")
    }
    try specs.count(types.count, at: ref)
    names = try LegacyNames.stored(at: try spec.ref(at: Slot.names), nodes)
    (self.ref, self.targets, tableCount) = (ref, targets, specs.tableCount)
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
    let columnType = ColumnType(rawValue: Int(type))
    switch columnType {
    case .link:
      let target = try target(ofColumn: i, &subspec)
      return isList ? .linkList(target: target) : .link(target: target)
    case nil where type == ConvertedSpec.linkListCode:
      return .linkList(target: try target(ofColumn: i, &subspec))
    case .backlink:
      // Its table and column of origin.
      if subspecs != nil { subspec += 2 }
      return .backlinks(origin: 0, column: 0)
    case .mixed: return .mixed
    default: break
    }
    guard let columnType, let single = single(columnType, ofColumn: i) else {
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

  private func single(_ type: ColumnType, ofColumn i: Int) -> LegacyColumn.Kind? {
    switch type {
    case .int: return .values(.ints, .int)
    case .bool: return .values(.bools, .bool)
    case .string:
      if let enumerations, enumerations.hasRefs, i < enumerations.count,
        case .ref(let strings) = enumerations.element(at: i)
      {
        return .enumerated(strings: strings)
      }
      return .values(.strings, .string)
    case .binary: return .values(.binaries, .binary)
    case .timestamp: return .timestamps
    case .float: return .values(.floats, .float)
    case .double: return .values(.doubles, .double)
    case .mixed, .decimal, .link, .backlink, .objectId, .typedLink, .uuid: return nil
    }
  }

  private func target(ofColumn i: Int, _ subspec: inout Int) throws(RealmFileError) -> Int {
    var target: Int?
    if let subspecs {
      defer { subspec += 1 }
      if subspecs.hasRefs, subspec < subspecs.count,
        case .tagged(let table) = subspecs.element(at: subspec)
      {
        target = table
      }
    } else if i < targets.count {
      target = Int(targets[i])
    }
    guard let target, 0..<tableCount ~= target else {
      throw .damaged(
        .linkOpposite, at: ref,
        "the target of column \(i) is \(target.map { "table \($0)" } ?? "unknown"), expected one of "
          + "\(tableCount) tables")
    }
    return target
  }
}
