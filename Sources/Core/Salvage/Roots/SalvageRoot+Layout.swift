import RealmModel
import RealmStorage

/// Whether tables have columns, as in formats 2 to 9, or clusters, as in later ones. The file format in the header can be
/// that of another version, damaged, or older than the tables if an upgrade did not finish.
extension SalvageRoot {
  /// The most tables to look at.
  private static let tableLimit = 64
  /// Slots of a table with columns: spec and columns. Tables with clusters have more.
  private static let columnTableSlots = 2
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
      if table.count == SalvageRoot.columnTableSlots || isLegacy && isUnfinished(table, nodes) {
        withColumns += 1
      } else if table.count > SalvageRoot.columnTableSlots {
        withClusters += 1
      }
    }
    guard withColumns != withClusters, (withColumns > withClusters) != isLegacy else {
      return self
    }
    var root = self
    root.isUpgrade = isLegacy
    let fitting = formats.first {
      FileFormat($0).map { $0 != .none && $0.isLegacy == (withColumns > withClusters) } ?? false
    }
    return root.inFormat(
      fitting
        ?? FileFormat.legacyNumbers.upperBound + (withColumns > withClusters ? 0 : 1))
  }

  /// Whether a table has clusters without objects, and columns that are still to be copied into them.
  private func isUnfinished(_ table: Node, _ nodes: NodeReader) -> Bool {
    guard let clusters = clusters(of: table, nodes), hasColumns(table) else { return false }
    return isEmpty(clusters)
  }

  private func hasColumns(_ table: Node) -> Bool {
    if case .ref = table.element(at: TableLayout.Slot.oldColumns) { true } else { false }
  }

  /// Whether the root of clusters is one without objects: its keys are the tagged number of objects.
  private func isEmpty(_ clusters: Node) -> Bool {
    if !clusters.isInner, case .tagged(0) = clusters.element(at: 0) { true } else { false }
  }

  private func clusters(of table: Node, _ nodes: NodeReader) -> Node? {
    guard table.count > SalvageRoot.columnTableSlots,
      case .ref(let ref) = table.element(at: TableLayout.Slot.clusters),
      let clusters = try? nodes.lookUp(ref), clusters.hasRefs, clusters.count > 0
    else { return nil }
    return clusters
  }

  /// Checks that an upgrade copied all columns of the tables with objects. Otherwise their links are missing.
  ///
  /// - Throws: `halfUpgraded`.
  func checkUpgrade(_ nodes: NodeReader) throws(RealmFileError) {
    guard isUpgrade else { return }
    for (i, element) in (elements(nodes) ?? []).enumerated() where element > 0 && element & 7 == 0 {
      guard let table = try? nodes.lookUp(Ref(element)), table.hasRefs, !table.isInner,
        let clusters = clusters(of: table, nodes), !isEmpty(clusters),
        case .ref(let ref) = table.element(at: TableLayout.Slot.oldColumns),
        let columns = try? nodes.lookUp(ref), columns.hasRefs,
        case let count = (0..<columns.count).count(where: { columns.integer(at: $0) != 0 }),
        count > 0
      else { continue }
      throw RealmFileError(
        .halfUpgraded("\(count) columns of table \(i) are not copied yet"), offset: table.ref)
    }
  }
}
