package import RealmStorage

/// Tells the file format of a realm whose header is lost, as far as it matters for reading: by the form of its
/// dictionaries, which changed with format 23 (chapter 2, section 6.4).
package enum FormatEvidence {
  /// The most dictionaries that are looked at.
  private static let dictionaryLimit = 64

  /// - Parameter nodes: a reader of all bytes of the file.
  /// - Returns: the newest format with dictionaries of the form that is found; nil if that of the root has this form,
  ///   and if there are none, or of both forms.
  package static func format(of root: SalvageRoot, _ nodes: NodeReader) -> Int? {
    var (trees, hashed) = (0, 0)
    for table in tables(of: root, nodes) {
      for key in table.spec.keys where key.collection == .dictionary {
        guard let clusters = try? table.ref(in: TableLayout.Slot.clusters) else { continue }
        let mark = nodes.mark()
        for ref in ColumnDeduction.clusters(below: clusters, nodes) {
          defer { nodes.release(to: mark) }
          guard trees + hashed < dictionaryLimit else { break }
          guard let cluster = try? nodes.lookUp(ref), key.leafIndex + 1 < cluster.count,
            case .ref(let leaf) = cluster.element(at: key.leafIndex + 1),
            let roots = (try? nodes.lookUp(leaf)).flatMap({ try? CollectionRootsLeaf($0) })
          else { continue }
          for row in 0..<roots.node.count {
            guard case .ref(let ref) = roots.node.element(at: row),
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
    }
    let first = DictionaryLayout.firstTreeFormat
    guard (trees == 0) != (hashed == 0), (trees > 0) != (root.format >= first) else { return nil }
    return trees > 0 ? RealmBuilder.format : first - 1
  }

  /// The roots of keys and values.
  private static let treeElementCount = 2
  /// A cluster with the leaves of keys and values.
  private static let hashedElementCount = 3

  /// The tables whose columns can be read.
  private static func tables(of root: SalvageRoot, _ nodes: NodeReader) -> [TableLayout] {
    let elements: [Int64]
    if let known = root.tableElements {
      elements = known
    } else if let list = try? nodes.lookUp(root.tables), list.hasRefs, list.count < 1 << 16 {
      elements = (0..<list.count).map { list.integer(at: $0) }
    } else {
      elements = []
    }
    return elements.enumerated().compactMap { slot, element in
      guard element > 0, element & 7 == 0 else { return nil }
      return try? TableLayout(at: Ref(element), slot: slot, nodes)
    }
  }
}
