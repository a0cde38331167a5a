import RealmModel
package import RealmPictures
import RealmStorage

/// The treemap of a report: its areas are the bytes of the file, divided into classes, history, free space and the rest.
package struct StatsTreemap {
  /// How the space is divided.
  package enum Division: Sendable {
    /// Classes, and the uses in each.
    case `class`
    /// Classes, their properties, and the uses of each.
    case property
    /// Uses of the whole file.
    case kind
  }

  private let report: StatsReport
  private let division: Division
  private let address: (StatsReport.ClassSize) -> String?

  /// - Parameter address: the address of the page about a class; nil for none.
  package init(
    _ report: StatsReport, by division: Division,
    address: @escaping (StatsReport.ClassSize) -> String? = { _ in nil }
  ) {
    (self.report, self.division, self.address) = (report, division, address)
  }

  package func svg(for use: Picture.Use) -> String {
    let size = Text.size(report.fileByteCount)
    let after = Text.size(report.compactedByteCount)
    let areas = self.areas
    let shares = areas.map { "\($0.label) \($0.sizeText)" }.joined(separator: "; ")
    return TreemapPicture(
      heading: "\(report.path.printable): \(size); \(after) after compact", areas: areas,
      legend: legend,
      remarks: report.concerns.map { (TreemapArea.Level($0.level), $0.sentence) },
      description: "The bytes of the file by size: \(shares)"
    ).svg(for: use)
  }

  /// The areas, whose sizes add up to that of the file.
  package var areas: [TreemapArea] {
    guard division != .kind else { return report.parts.map { area(of: $0) } }
    let classes = report.classes.filter { $0.byteCount > 0 }.map { area(of: $0) }
    // What is not in the classes of the report.
    var rest: [StatsReport.Use: Int] = [:]
    for part in report.parts { rest[part.use, default: 0] += part.byteCount }
    for size in report.classes {
      for part in size.parts + size.properties.flatMap(\.parts) {
        rest[part.use, default: 0] -= part.byteCount
      }
    }
    var groups: [Group: [StatsReport.Part]] = [:]
    for part in report.parts {
      guard let count = rest[part.use], count > 0 else { continue }
      var part = part
      part.byteCount = count
      groups[Group(part.use), default: []].append(part)
    }
    return classes
      + Group.allCases.compactMap { group in
        groups[group].map { parts in
          parts.count == 1
            ? area(of: parts[0])
            : self.group(group.rawValue, parts: parts.map { area(of: $0) })
        }
      }
  }

  /// The areas beside the classes.
  private enum Group: String, CaseIterable {
    case history
    case free = "free space"
    case classes = "other classes"
    case file = "file structure"

    init(_ use: StatsReport.Use) {
      self =
        switch use {
        case .history: .history
        case .reusable, .previousVersion, .olderVersions, .lost, .behindEnd: .free
        case .values, .longValues, .collections, .indexes, .backlinks, .tree, .tombstones: .classes
        case .schema, .freeLists, .header, .encryption: .file
        }
    }
  }

  // MARK: - Areas

  private func area(of size: StatsReport.ClassSize) -> TreemapArea {
    let name = size.objectClass.name.text
    let parts: [TreemapArea]
    switch division {
    case .property:
      parts =
        size.properties.filter { $0.byteCount > 0 }.map { self.area(of: $0, in: name) }
        + size.parts.map { self.area(of: $0) }
    case .class, .kind:
      var uses: [StatsReport.Use: Int] = [:]
      for part in size.parts + size.properties.flatMap(\.parts) {
        uses[part.use, default: 0] += part.byteCount
      }
      parts = StatsReport.Use.allCases.compactMap { use in
        uses[use].map { count in
          var area = TreemapArea(
            use.words, size: count, sizeText: Text.size(count), tint: use.tint)
          mark(&area) { $0.kind.use == use && ($0.className ?? name) == name }
          return area
        }
      }
    }
    var area = group(name, parts: parts)
    area.details = [Text.count(size.objectCount, "object")]
    area.address = address(size)
    return area
  }

  /// - Parameter size: of a property that takes space.
  private func area(of size: StatsReport.PropertySize, in className: String) -> TreemapArea {
    let name = size.property.name.text
    var parts = size.parts.map { self.area(of: $0) }
    for i in parts.indices {
      mark(&parts[i]) { concern in
        guard concern.className == className, concern.property == name else { return false }
        return size.parts.firstIndex { $0.use == concern.kind.use } ?? 0 == i
      }
      parts[i].label = parts.count == 1 ? name : "\(name), \(parts[i].label)"
    }
    var area = parts.count == 1 ? parts[0] : group(name, parts: parts)
    area.details.insert(size.type, at: 0)
    return area
  }

  /// The area of a part, with the concerns about the whole file.
  private func area(of part: StatsReport.Part) -> TreemapArea {
    var area = TreemapArea(
      part.use.words, size: part.byteCount, sizeText: Text.size(part.byteCount),
      tint: part.use.tint)
    if part.nodeCount > 0 { area.details.append(Text.count(part.nodeCount, "node")) }
    mark(&area) { $0.className == nil && $0.kind.use == part.use }
    if Group(part.use) == .free {
      // Compaction frees all free space.
      mark(&area) { if case .compactable = $0.kind { true } else { false } }
    }
    return area
  }

  private func group(_ label: String, parts: [TreemapArea]) -> TreemapArea {
    let size = parts.reduce(0) { $0 + $1.size }
    var group = TreemapArea(label, size: size, sizeText: Text.size(size), tint: .gray)
    group.parts = parts
    return group
  }

  /// Adds the concerns about an area to it.
  private func mark(_ area: inout TreemapArea, if isAbout: (StatsConcern) -> Bool) {
    for concern in report.concerns where isAbout(concern) {
      let level = TreemapArea.Level(concern.level)
      area.level = area.level.map { max($0, level) } ?? level
      area.details.append(concern.sentence)
    }
  }

  /// The colours of the uses that the file has.
  private var legend: [(tint: TreemapArea.Tint, label: String)] {
    TreemapArea.Tint.allCases.compactMap { tint in
      let uses = report.parts.map(\.use).filter { $0.tint == tint }
      return uses.isEmpty ? nil : (tint, uses.map(\.words).joined(separator: ", "))
    }
  }
}

extension TreemapArea.Level {
  fileprivate init(_ level: StatsConcern.Level) {
    self =
      switch level {
      case .note: .note
      case .warning: .warning
      }
  }
}

extension StatsReport.Use {
  fileprivate var tint: TreemapArea.Tint {
    switch self {
    case .values: .blue
    case .longValues: .violet
    case .collections: .teal
    case .indexes: .green
    case .backlinks, .tombstones: .yellow
    case .tree: .brown
    case .history: .pink
    case .schema, .freeLists, .header, .encryption: .gray
    case .reusable, .previousVersion, .olderVersions, .lost, .behindEnd: .pale
    }
  }
}

extension StatsConcern.Kind {
  /// The use that the concern is about; nil if it is about several.
  fileprivate var use: StatsReport.Use? {
    switch self {
    case .compactable: nil
    case .olderVersions: .olderVersions
    case .history: .history
    case .tombstones: .tombstones
    case .index: .indexes
    case .longValues: .longValues
    case .repeatedStrings, .onlyNulls: .values
    }
  }
}
