import RealmStorage

/// Whether tables have columns, as in formats 2 to 9, or clusters, as in later ones. The file format in the header can be
/// that of another version, damaged, or older than the tables if an upgrade did not finish.
extension SalvageRoot {
  /// The most tables to look at.
  private static let tableLimit = 64
  /// Slots of a table with columns: spec and columns. Tables with clusters have more.
  private static let columnTableSlots = 2
  /// The last format with columns, and the first one with clusters.
  private static let (lastLegacyFormat, firstFormat) = (9, 10)

  /// The same version in a format with the layout that most of its tables have.
  ///
  /// - Parameter formats: the formats in the header.
  func inLayout(of formats: [Int], _ nodes: NodeReader) -> SalvageRoot {
    let elements = (elements(nodes) ?? []).lazy.filter { $0 > 0 && $0 & 7 == 0 }
    var (withColumns, withClusters) = (0, 0)
    for element in elements.prefix(SalvageRoot.tableLimit) {
      guard let table = try? nodes.lookUp(Ref(element)), table.hasRefs, !table.isInner else {
        continue
      }
      if table.count == SalvageRoot.columnTableSlots { withColumns += 1 }
      if table.count > SalvageRoot.columnTableSlots { withClusters += 1 }
    }
    guard withColumns != withClusters, (withColumns > withClusters) != isLegacy else {
      return self
    }
    let fitting = formats.first {
      FileHeader.readableFormats.contains($0)
        && FileHeader.legacyFormats.contains($0) == (withColumns > withClusters)
    }
    return inFormat(
      fitting
        ?? (withColumns > withClusters ? SalvageRoot.lastLegacyFormat : SalvageRoot.firstFormat))
  }
}
