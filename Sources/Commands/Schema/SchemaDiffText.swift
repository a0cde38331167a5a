internal import RealmInterchange
internal import RealmMaintenance
internal import RealmModel

/// The text of `schema diff` for people.
struct SchemaDiffText {
  private let report: SchemaDiffJob.Report

  init(_ report: SchemaDiffJob.Report) { self.report = report }

  func text(_ palette: Palette) -> String {
    guard !report.changes.isEmpty else { return "the schemas are the same\n" }
    var table = Table([.left, .left, .left, .left])
    table.append(["", "change", "local realm", "synced realm"])
    for change in report.changes {
      let place = change.className.text + (change.property.map { ".\($0.text)" } ?? "")
      table.append([place, what(change.kind), local(change), synced(change)])
    }
    let lines = table.text { cell, row, column in
      guard row > 0 else { return palette.bold(cell) }
      let change = report.changes[row - 1]
      switch column {
      case 2 where change.local == .impossible: return palette.red(cell)
      case 2 where change.losesValues: return palette.yellow(cell)
      case 3 where change.synced == .impossible: return palette.red(cell)
      default: return cell
      }
    }
    return lines + total + "\n"
  }

  private func what(_ kind: SchemaChange.Kind) -> String {
    switch kind {
    case .classAdded: "class added"
    case .classRemoved: "class removed"
    case .classKind(let from, let to): "kind: \(from.notation) -> \(to.notation)"
    case .primaryKey(let from, let to):
      "primary key: \(from?.text ?? "none") -> \(to?.text ?? "none")"
    case .propertyAdded(let property): "added: \(property.notation(report.to.schema))"
    case .propertyRemoved(let property): "removed: \(property.notation(report.from.schema))"
    case .typeChanged(let from, let to), .madeOptional(let from, let to),
      .madeRequired(let from, let to):
      "\(from.notation(report.from.schema)) -> \(to.notation(report.to.schema))"
    case .index(let from, let to):
      "index: \(from?.notation ?? "none") -> \(to?.notation ?? "none")"
    }
  }

  private func local(_ change: SchemaChange) -> String {
    switch change.local {
    case .nothing: change.synced == .ignored ? "opens, keeps the class" : "opens"
    case .migration: change.losesValues ? "migration, loses values" : "migration"
    case .impossible: "impossible"
    }
  }

  private func synced(_ change: SchemaChange) -> String {
    switch change.synced {
    case .additive: "opens"
    case .ignored: "opens, keeps the \(change.property == nil ? "class" : "property")"
    case .impossible: "impossible"
    }
  }

  private var total: String {
    let counts = SchemaChange.Level.allCases.compactMap { level -> String? in
      let count = report.changes.count { $0.level == level }
      let name =
        switch level {
        case .additive: "additive"
        case .migration: "with a migration"
        case .impossibleWhenSynced: "impossible on a synced realm"
        case .impossible: "impossible"
        }
      return count == 0 ? nil : "\(count) \(name)"
    }
    return Text.count(report.changes.count, "change", "changes") + ": "
      + counts.joined(separator: ", ")
  }
}

extension Property {
  /// The type in the notation of schemas.
  func notation(_ schema: ObjectSchema) -> String {
    let notation = PropertyNotation(self, isPrimaryKey: false, schema)
    return notation.short ?? notation.long
  }
}

extension ObjectClass.Kind {
  var notation: String {
    switch self {
    case .topLevel: "topLevel"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}

extension PropertyIndex {
  var notation: String {
    switch self {
    case .search: "indexed"
    case .fulltext: "fulltext"
    }
  }
}
