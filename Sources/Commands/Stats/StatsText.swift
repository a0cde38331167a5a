import RealmBuilding
import RealmJobs
import RealmModel
import RealmStorage

/// The text of `stats` for people.
struct StatsText {
  private(set) var text: String

  init(_ report: StatsReport, by division: StatsCommand.Division, palette: Palette) {
    text = palette.bold(report.path.printable) + "\n"
    let after = Text.size(report.compactedByteCount)
    text += "  \(Text.size(report.fileByteCount)); \(after) after compact\n\n"
    text += StatsText.kinds(report).text(indent: "  ")
    switch division {
    case .kind: break
    case .class: text += "\n" + StatsText.classes(report).text(indent: "  ")
    case .property: text += "\n" + StatsText.properties(report).text(indent: "  ")
    }
    let largest = [
      ("largest objects", report.largestObjects, false),
      ("largest values", report.largestValues, false),
      ("largest collections", report.largestCollections, true),
    ]
    for (title, entries, areElements) in largest where !entries.isEmpty {
      text += "\n  \(title)\n" + StatsText.large(entries, areElements).text(indent: "    ")
    }
    if !report.concerns.isEmpty { text += "\n" }
    for concern in report.concerns {
      let level =
        concern.level == .warning ? palette.yellow("warning:") : palette.dim("note:")
      text += "  \(level) \(concern.sentence.printable)\n"
    }
  }

  /// A size, and its share of the file.
  private static func size(_ byteCount: Int, of report: StatsReport) -> [String] {
    let share = Double(byteCount) * 100 / Double(max(1, report.fileByteCount))
    let percent =
      switch share {
      case ..<0.05: byteCount == 0 ? "" : "< 0.1 %"
      case ..<9.95: "\(Double(Int((share * 10).rounded())) / 10) %"
      default: "\(Int(share.rounded())) %"
      }
    return [Text.size(byteCount), percent]
  }

  private static func kinds(_ report: StatsReport) -> Table {
    var table = Table([.left, .right, .right])
    for part in report.parts {
      table.append([part.use.words] + size(part.byteCount, of: report))
    }
    table.append(["file", Text.size(report.fileByteCount), ""])
    return table
  }

  private static func classes(_ report: StatsReport) -> Table {
    var table = Table([.left, .right, .right, .right])
    table.append(["class", "objects", "size", ""])
    for size in report.classes.sorted(by: { $0.byteCount > $1.byteCount }) {
      table.append(
        [size.label, "\(size.objectCount)"] + StatsText.size(size.byteCount, of: report))
    }
    return table
  }

  private static func properties(_ report: StatsReport) -> Table {
    var table = Table([.left, .left, .right, .right, .right, .right, .right])
    table.append(["property", "type", "size", "", "index", "nulls", "distinct"])
    for size in report.classes.sorted(by: { $0.byteCount > $1.byteCount }) {
      let rest = size.parts.reduce(0) { $0 + $1.byteCount }
      table.append(
        [size.label, Text.count(size.objectCount, "object")]
          + StatsText.size(size.byteCount, of: report) + ["", "", ""])
      for property in size.properties.sorted(by: { $0.byteCount > $1.byteCount }) {
        let index = property.parts.first { $0.use == .indexes }
        table.append(
          ["  " + property.property.name.text, property.type]
            + StatsText.size(property.byteCount, of: report) + [
              index.map { Text.size($0.byteCount) } ?? "",
              property.count.map { "\($0.nulls)" } ?? "", distinct(property),
            ])
      }
      table.append(
        ["  the rest", ""] + StatsText.size(rest, of: report) + ["", "", ""])
    }
    return table
  }

  private static func distinct(_ size: StatsReport.PropertySize) -> String {
    guard let count = size.count, let distinct = count.distinct else { return "" }
    return count.isDistinctExact ? "\(distinct)" : "about \(distinct)"
  }

  private static func large(_ entries: [StatsReport.Large], _ areElements: Bool) -> Table {
    var table = Table([.left, .left, .right])
    for entry in entries {
      let name = entry.className + (entry.property.map { ".\($0)" } ?? "")
      let identity =
        entry.primaryKey == .null ? "object key \(entry.objectKey)" : entry.primaryKey.quoted
      table.append([
        name, identity,
        areElements ? Text.count(entry.size, "element") : Text.size(entry.size),
      ])
    }
    return table
  }
}

extension StatsReport.ClassSize {
  /// The name, followed by the kind if the class is not an ordinary one.
  fileprivate var label: String {
    let name = objectClass.name.text
    return kindName == "class" ? name : "\(name) (\(kindName))"
  }
}
