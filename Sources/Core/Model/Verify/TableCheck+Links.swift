import RealmStorage

/// Link columns and their backlink columns (chapter 3, section 11, rules L1, L2, L3 and L6).
extension TableCheck {
  mutating func checkLinks(of table: Table) {
    for column in table.columns {
      switch column.type {
      case .link: checkLink(column, of: table)
      case _ where column.opposite != nil: checkOpposite(of: column, table)
      default: break
      }
    }
    for column in table.backlinkColumns { checkBacklink(column, of: table) }
  }

  private mutating func checkLink(_ column: Column, of table: Table) {
    let name = column.name.text
    guard let key = column.target, let target = schema.table(key) else {
      // A table that cannot be read has its own finding.
      guard column.target.map({ !exists($0) }) ?? true else { return }
      return add(
        .linkOpposite, at: table.ref, property: name, "its links lead to no class")
    }
    let isPaired = target.backlinkColumns.contains {
      $0.key == column.opposite && $0.origin == table.key && $0.originColumn == column.key
    }
    if !isPaired {
      add(
        .linkOpposite, at: table.ref, property: name,
        "class \(target.className.text) has no backlink column for it")
    }
    if target.kind == .asymmetric || target.kind == .embedded && column.collection == .set {
      add(.linkAsymmetric, at: table.ref, property: name)
    }
  }

  /// Early files of format 10 have zeros where a column has no opposite one.
  private mutating func checkOpposite(of column: Column, _ table: Table) {
    let isPaired = schema.tables.contains {
      $0.backlinkColumns.contains { $0.key == column.opposite && $0.originColumn == column.key }
    }
    add(
      .linkOpposite, isPaired ? nil : .warning, at: table.ref, property: column.name.text,
      "a property without links names an opposite column")
  }

  private mutating func checkBacklink(_ column: BacklinkColumn, of table: Table) {
    let isMixed = column.originColumn.type == .mixed
    guard let origin = schema.table(column.origin) else {
      guard !exists(column.origin) else { return }
      // Removing a table with mixed links leaves this behind (section 12).
      return add(
        .linkBacklinkColumn, isMixed ? .warning : nil, at: table.ref,
        "a backlink column belongs to a class that was removed")
    }
    guard let link = origin.columns.first(where: { $0.key == column.originColumn }) else {
      return add(
        .linkBacklinkColumn, isMixed ? .warning : nil, at: table.ref,
        "a backlink column belongs to a property of class \(origin.className.text) that was "
          + "removed")
    }
    let isPaired =
      link.type == .mixed
      || link.type == .link && link.target == table.key && link.opposite == column.key
    if !isPaired {
      add(
        .linkBacklinkColumn, at: table.ref,
        "a backlink column and \(origin.className.text).\(link.name.text) do not name each other")
    }
  }

  /// True where there is a table with `key`, readable or not.
  private func exists(_ key: TableKey) -> Bool {
    guard let entries = try? nodes.lookUp(top.tables), key.slot < entries.count,
      case .ref(let ref) = entries.element(at: key.slot), let table = try? nodes.lookUp(ref),
      SchemaReader.Slot.key < table.count
    else { return false }
    return table.slotInteger(at: SchemaReader.Slot.key) == key.raw
  }
}
