import RealmModel
import RealmStorage

/// Infers the columns of a table that lost its column keys.
///
/// The table itself has the key of its primary key (chapter 3, section 2). The keys of links and
/// backlinks are in its own arrays of opposites or in the tables at the other ends. The leaves of
/// other columns show the type by their form (``LeafForm``). A column is left out if its type is
/// not certain. That includes small numbers, which can be positions in the list of distinct values
/// of a string column (chapter 3, section 7).
struct ColumnDeduction {
  /// The most clusters whose leaves are looked at.
  static let clusterLimit = 512
  /// A column key has 16 bits for the leaf index.
  private static let leafIndexLimit = 1 << 16

  /// The node with the slots of the table.
  let top: Node
  /// The keys that other nodes have, by leaf index.
  let stated: [Int: ColumnKey]
  /// The leaf indexes of links and backlinks that the table itself has.
  let linkIndexes: Set<Int>
  /// Whether a column of integers can be one of links that nothing else mentions.
  let mayHaveLinks: Bool
  let nodes: NodeReader

  /// The keys of the columns that are certain: those with values in the order of their leaves, then
  /// those of backlinks.
  func keys() -> [ColumnKey] {
    var known = stated
    if top.integer(at: TableLayout.Slot.primaryKey) & 1 != 0 {
      let key = ColumnKey(Int64(top.slotInteger(at: TableLayout.Slot.primaryKey)))
      if key.type != nil { known[key.leafIndex] = key }
    }
    for (leafIndex, leaves) in survey().leaves
    where known[leafIndex] == nil && !linkIndexes.contains(leafIndex) {
      guard let (type, isNullable) = leaves.form.type,
        leaves.form != .int || !mayHaveLinks && leaves.hasLargeNumber
      else { continue }
      known[leafIndex] = ColumnKey(
        leafIndex: leafIndex, type, collection: nil, isNullable: isNullable,
        tag: top.slotInteger(at: TableLayout.Slot.key))
    }
    return known.values.sorted {
      ($0.type == .backlink ? 1 : 0, $0.leafIndex) < ($1.type == .backlink ? 1 : 0, $1.leafIndex)
    }
  }

  /// Whether the table can have leaves of backlinks that no known column has.
  var mayHaveUnknownBacklinks: Bool {
    let survey = survey()
    return survey.isIncomplete
      || survey.leaves.contains { stated[$0.key] == nil && $0.value.form.contains(.refs) }
  }

  /// What all readable leaves with one index have in common.
  private struct Leaves {
    var form: LeafForm
    /// Whether a number is too large or too small for a position in a list of distinct values.
    var hasLargeNumber = false
  }

  private struct Survey {
    /// By leaf index.
    var leaves: [Int: Leaves] = [:]
    /// Whether no leaf with some index can be read.
    var isIncomplete = false
  }

  private func survey() -> Survey {
    var survey = Survey()
    guard let root = try? top.ref(at: TableLayout.Slot.clusters) else {
      survey.isIncomplete = true
      return survey
    }
    var (known, unknown) = (Set<Int>(), Set<Int>())
    let mark = nodes.mark()
    let clusters = ClusterSurvey.reachable(
      from: root, limit: ColumnDeduction.clusterLimit, nodes)
    for place in clusters {
      defer { nodes.release(to: mark) }
      guard let node = try? nodes.lookUp(place.ref),
        let cluster = try? Cluster(node, base: 0, nodes: nodes)
      else { continue }
      for leafIndex in 0..<min(node.count - 1, ColumnDeduction.leafIndexLimit) {
        guard case .ref(let ref) = node.element(at: leafIndex + 1) else { continue }
        guard let leaf = try? nodes.lookUp(ref) else {
          unknown.insert(leafIndex)
          continue
        }
        known.insert(leafIndex)
        guard let form = LeafForm.of(leaf, rows: cluster.count, nodes) else { continue }
        survey.leaves[leafIndex, default: Leaves(form: form)].form.formIntersection(form)
        if form == .int, leaf.integers().contains(where: ColumnDeduction.isLarge) {
          survey.leaves[leafIndex]?.hasLargeNumber = true
        }
      }
    }
    survey.isIncomplete = clusters.isEmpty || !unknown.isSubset(of: known)
    return survey
  }

  /// A list of distinct values has at most this many.
  private static let distinctLimit = 1 << 16

  private static func isLarge(_ number: Int64) -> Bool { number < 0 || number > distinctLimit }
}
