import RealmModel
import RealmStorage

/// Checks link columns and their backlink columns (chapter 3, section 11, rules L1, L2, L3 and L6).
extension SchemaRules {
  mutating func checkLinks(of table: Table, _ schema: Schema) {
    for column in table.columns {
      about(table.ref, class: table.className.text, property: column.name.text)
      if column.type == .link {
        checkLink(column, of: table, schema)
      } else if let opposite = column.opposite {
        checkOpposite(opposite, of: column, schema)
      }
    }
    about(table.ref, class: table.className.text)
    for column in table.backlinkColumns { checkBacklink(column, of: table, schema) }
  }

  private mutating func checkLink(_ column: Column, of table: Table, _ schema: Schema) {
    guard let key = column.target, let target = schema.table(key) else {
      // A table that cannot be read has a finding of its own.
      guard column.target.map({ !lostSlots.contains($0.slot) }) ?? true else { return }
      return findings.add(.linkOpposite, "the target class of the property does not exist")
    }
    let isPaired = target.backlinkColumns.contains {
      $0.key == column.opposite && $0.origin == table.key && $0.originColumn == column.key
    }
    if !isPaired {
      findings.add(
        .linkOpposite, "class \(target.className.text) has no backlink column for the property")
    }
    if target.kind == .asymmetric || target.kind == .embedded && column.collection == .set {
      findings.add(
        .linkAsymmetric,
        "the \(column.collection == .set ? "set" : "property") links to \(target.className.text), "
          + "whose objects are \(target.kind)")
    }
  }

  /// Checks the opposite of a column that holds no links. Early files of format 10 have 0 there.
  private mutating func checkOpposite(
    _ opposite: ColumnKey, of column: Column, _ schema: Schema
  ) {
    let isPaired = schema.tables.contains {
      $0.backlinkColumns.contains { $0.key == opposite && $0.originColumn == column.key }
    }
    findings.add(
      .linkOpposite, isPaired ? nil : .warning,
      "the property holds no links, but has the opposite column \(opposite.raw)")
  }

  private mutating func checkBacklink(
    _ column: BacklinkColumn, of table: Table, _ schema: Schema
  ) {
    let isMixed = column.originColumn.type == .mixed
    guard let origin = schema.table(column.origin) else {
      guard !lostSlots.contains(column.origin.slot) else { return }
      // The reference leaves the column behind when it removes a table with mixed links (section 12).
      return findings.add(
        .linkBacklinkColumn, isMixed ? .warning : nil,
        "a backlink column belongs to a class that does not exist")
    }
    guard let link = origin.columns.first(where: { $0.key == column.originColumn }) else {
      return findings.add(
        .linkBacklinkColumn, isMixed ? .warning : nil,
        "a backlink column belongs to a property of class \(origin.className.text) that does not "
          + "exist")
    }
    let isPaired =
      link.type == .mixed
      || link.type == .link && link.target == table.key && link.opposite == column.key
    if !isPaired {
      findings.add(
        .linkBacklinkColumn,
        "a backlink column and \(origin.className.text).\(link.name.text) do not name each other")
    }
  }
}
