import RealmJobs
import RealmModel
import RealmStorage

extension SchemaDiffJob.Report {
  var json: JSONObject {
    [
      "from": from.json, "to": to.json, "same": changes.isEmpty, "changes": changes.map(json),
    ]
  }

  /// Members are absent if the change has no property, or if there is nothing before or after.
  private func json(_ change: SchemaChange) -> JSONObject {
    let (before, after) = change.kind.sides(from: from.schema, to: to.schema)
    return .omittingNulls([
      "class": change.className.text, "property": change.property?.text, "change": change.kind.name,
      "from": before, "to": after, "local": change.local.rawValue,
      "synced": change.synced.rawValue, "losesValues": change.losesValues,
      "level": change.level.rawValue,
    ])
  }

  func text(_ palette: Palette) -> String {
    guard !changes.isEmpty else { return "the schemas are the same\n" }
    var table = Table([.left, .left, .left, .left])
    table.append(["", "change", "local realm", "synced realm"])
    for change in changes {
      let place = change.className.text + (change.property.map { ".\($0.text)" } ?? "")
      let words = change.kind.words(from: from.schema, to: to.schema)
      table.append([place, words, local(change), synced(change)])
    }
    let lines = table.text { cell, row, column in
      guard row > 0 else { return palette.bold(cell) }
      let change = changes[row - 1]
      switch column {
      case 2 where change.local == .impossible: return palette.red(cell)
      case 2 where change.losesValues: return palette.yellow(cell)
      case 3 where change.synced == .impossible: return palette.red(cell)
      default: return cell
      }
    }
    return lines + total + "\n"
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
      let count = changes.count { $0.level == level }
      let name =
        switch level {
        case .additive: "additive"
        case .migration: "with a migration"
        case .impossibleWhenSynced: "impossible on a synced realm"
        case .impossible: "impossible"
        }
      return count == 0 ? nil : "\(count) \(name)"
    }
    return Text.count(changes.count, "change") + ": "
      + counts.joined(separator: ", ")
  }
}

extension SchemaDiffJob.Side {
  fileprivate var json: JSONObject { ["path": path, "schemaVersion": version] }
}
