import RealmBuilding
import RealmModel
import RealmStorage

/// Infers the file format of a realm with a lost header from the form of its dictionaries, which
/// changed with format 23 (chapter 2, section 6.4).
enum FormatEvidence {
  /// The most dictionaries to look at, and the most values among which they are searched.
  private static let (dictionaryLimit, valueLimit) = (64, 1 << 16)
  /// If there are dictionaries of both forms, one form must be this many times as frequent: damage
  /// can look like either.
  private static let leastMajority = 4

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - walk: which nodes can be trusted.
  /// - Returns: the newest format with dictionaries of the form that was found; nil if the format of
  ///   the root has this form, and if there are no dictionaries.
  static func format(
    of root: SalvageRoot, _ nodes: NodeReader, _ walk: DamageWalk
  ) -> Int? {
    var evidence = Evidence(nodes: nodes, walk: walk)
    // The traversal opens at most as many bytes as the file has.
    _ = try? nodes.traversing { () throws(RealmFileError) in
      let mark = nodes.mark()
      for (slot, element) in (root.elements(nodes) ?? []).enumerated() where evidence.isWanted {
        defer { nodes.release(to: mark) }
        guard element > 0, element & 7 == 0, walk.isTrusted(Ref(element)),
          let table = try? TableLayout(at: Ref(element), slot: slot, nodes)
        else { continue }
        evidence.look(at: table)
      }
    }
    let (trees, hashed) = (evidence.trees, evidence.hashed)
    let hasTrees = trees > hashed
    guard max(trees, hashed) >= leastMajority * min(trees, hashed), trees != hashed,
      hasTrees != (FileFormat(root.format)?.dictionaries == .trees)
    else { return nil }
    return FileFormat.all.last { ($0.dictionaries == .trees) == hasTrees }?.number
  }

  private struct Evidence {
    let nodes: NodeReader
    let walk: DamageWalk
    /// Number of dictionaries of formats from 23 on.
    var trees = 0
    /// Number of dictionaries of older formats.
    var hashed = 0
    /// Number of values looked at.
    var values = 0

    var isWanted: Bool { trees + hashed < dictionaryLimit && values < valueLimit }

    mutating func look(at table: TableLayout) {
      let keys = table.spec.keys.filter { $0.collection == .dictionary }
      guard !keys.isEmpty, let root = try? table.ref(in: TableLayout.Slot.clusters) else { return }
      let mark = nodes.mark()
      let clusters = ClusterSurvey.reachable(
        from: root, limit: ColumnDeduction.clusterLimit, nodes)
      for place in clusters {
        for key in keys where isWanted {
          look(atLeaf: key.leafIndex, of: place.ref)
          nodes.release(to: mark)
        }
      }
    }

    private mutating func look(atLeaf leafIndex: Int, of cluster: Ref) {
      values += 1
      guard let cluster = try? nodes.lookUp(cluster), cluster.hasRefs,
        leafIndex + 1 < cluster.count,
        case .ref(let ref) = cluster.element(at: leafIndex + 1),
        let leaf = try? nodes.lookUp(ref), leaf.count <= Cluster.capacity,
        let roots = try? CollectionRootsLeaf(leaf)
      else { return }
      for row in 0..<roots.node.count where isWanted {
        values += 1
        guard case .ref(let ref) = roots.node.element(at: row), walk.isTrusted(ref),
          let dictionary = try? nodes.lookUp(ref), dictionary.hasRefs
        else { continue }
        if dictionary.isInner || dictionary.count == hashedElementCount {
          hashed += 1
        } else if dictionary.count == treeElementCount {
          trees += 1
        }
      }
    }
  }

  /// The roots of keys and values.
  private static let treeElementCount = 2
  /// A cluster with the leaves of keys and values.
  private static let hashedElementCount = 3
}
