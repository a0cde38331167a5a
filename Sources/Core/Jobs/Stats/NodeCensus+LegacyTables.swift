import RealmLegacy
import RealmModel
import RealmStorage

/// The tables of a realm of formats 2 to 9, and who owns the trees below them (chapter 5, section 5).
extension NodeCensus {
  /// Positions in the top array of a table, and in a spec.
  private enum Slot {
    static let (spec, columns) = (0, 1)
    static let enumerations = 4
  }

  /// Counts the top arrays of tables with columns, and adds the refs below them.
  ///
  /// - Parameter tables: the list of tables.
  mutating func add(
    _ realm: LegacyRealm, _ tables: Node, _ steps: inout [Step]
  ) throws(RealmFileError) {
    for (position, table) in realm.tables.enumerated() {
      do throws(RealmFileError) {
        try add(table, position, realm.layouts[position].columns, &steps)
      } catch {
        throw error.adding(className: realm.schema.classes[position].name.text)
      }
    }
  }

  /// - Parameter properties: the columns with properties, in the order of the properties.
  private mutating func add(
    _ table: LegacyTable, _ position: Int, _ properties: [LegacyColumn], _ steps: inout [Step]
  ) throws(RealmFileError) {
    let schema = owner(.schema, table: position)
    let top = try take(table.ref, schema)
    _ = try take(try top.ref(at: Slot.columns), schema)
    var lists: [Ref: Int] = [:]
    for column in table.spec.columns {
      let property = properties.firstIndex { $0.position == column.position }
      let step = add(column, root: table.roots[column.slot], position, property)
      steps.append(step)
      if case .enumerated(let strings) = column.kind { lists[strings] = step.owner }
      // The ref to a search index follows that to its column.
      guard column.isIndexed, case let index = table.roots[column.slot + 1], index != 0 else {
        continue
      }
      let owner = owner(.indexes, table: position, property: property)
      steps.append(Step(ref: index, role: .plain, owner: owner))
    }
    let spec = try take(try top.ref(at: Slot.spec), schema)
    for slot in 0..<spec.count {
      guard case .ref(let ref) = spec.element(at: slot) else { continue }
      guard slot == Slot.enumerations else {
        steps.append(Step(ref: ref, role: .plain, owner: schema))
        continue
      }
      // The lists of distinct values hold values of properties.
      let node = try take(ref, schema)
      for list in refs(of: node) {
        steps.append(Step(ref: list, role: .plain, owner: lists[list] ?? schema))
      }
    }
  }

  /// The root of a column.
  ///
  /// - Parameter property: nil for backlinks, and for columns that SDKs hide.
  private mutating func add(
    _ column: LegacyColumn, root: Ref, _ table: Int, _ property: Int?
  ) -> Step {
    if case .backlinks = column.kind {
      return Step(ref: root, role: .plain, owner: owner(.backlinks, table: table))
    }
    let (role, isCollection) = form(of: column)
    guard let property else {
      return Step(ref: root, role: .plain, owner: owner(.values, table: table))
    }
    let owners = self.column(role, table: table, property: property, isCollection: isCollection)
    return Step(ref: root, role: role, owner: owners.values)
  }

  /// How the nodes of a column are counted, and whether they hold collections.
  private func form(of column: LegacyColumn) -> (role: Role, isCollection: Bool) {
    switch column.kind {
    case .linkList, .subtable: (.plain, true)
    case .mixed: (.oldMixed, false)
    case .values(_, .string), .values(_, .binary): (.strings, false)
    default: (.plain, false)
    }
  }
}
