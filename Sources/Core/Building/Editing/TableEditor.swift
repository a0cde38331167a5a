import RealmModel
import RealmStorage

/// Writes what changes in a copied table: the clusters and indexes of an edited one, and the backlinks of links that
/// objects of edited tables gain and lose.
struct TableEditor {
  private let table: Table
  private let edits: TableEdits
  private let state: BuildState
  private let nodes: NodeReader
  private let realm: Realm
  /// The clusters of the table; those to build are empty for a table that is not edited.
  private let clusters: EditedTable
  private let links: [ColumnKey: [Int64: TableEdits.Links]]
  private let isEdited: Bool
  /// The objects of the clusters to build that are in the new file.
  private let built: TableObjects?

  /// - Parameter nodes: reads the realm.
  /// - Returns: nil if nothing changes in the table.
  /// - Throws: `file` for the errors of reading the realm.
  init?(
    _ table: Table, _ edits: TableEdits, _ copied: CopiedTables, _ state: BuildState,
    _ nodes: NodeReader
  ) throws(BuildError) {
    let edited = copied.edited[table.position]
    links = edits.links[table.position] ?? [:]
    guard edited != nil || !links.isEmpty else { return nil }
    (self.table, self.edits, self.state, self.nodes) = (table, edits, state, nodes)
    (realm, isEdited) = (copied.realm, edited != nil)
    built = isEdited ? state.objects[table.position] : nil
    if let edited {
      clusters = edited
    } else {
      clusters = try inBuild(EditedTable(clustersOf: table, in: copied.realm))
    }
  }

  /// Adds the edits of the table to a copy.
  ///
  /// - Throws: `missingTargetKey` for a link to a missing object; `tooMany`; the errors of files.
  func edit(_ copier: inout NodeCopier) throws(BuildError) {
    try inBuild(editIndexes(&copier))
    try editBacklinks(&copier)
    guard isEdited, let built else { return }
    copier.add(.written(try clusterTree(built, &copier)), of: table.clusters)
    guard built.nextNumber > table.sequenceNumber else { return }
    var slots = try inBuild(nodes.lookUp(table.ref)).integers()
    slots[TableLayout.Slot.sequenceNumber] = Int64(built.nextNumber) << 1 | 1
    copier.add(.elements(slots), of: table.ref)
  }

  private func editIndexes(_ copier: inout NodeCopier) throws(RealmFileError) {
    guard let columns = state.layout.tables[table.position]?.columns else { return }
    for (position, column) in columns.enumerated() {
      guard let changes = edits.indexes[column.number], !changes.isEmpty else { continue }
      let old = table.columns[position]
      var editor = SearchIndexEditor(
        IndexEntryList.Form(of: column), state.layout.indexOrder, nodes, state.writer,
        try StoredValues(old, clusters.clusters, realm))
      copier.add(.written(try editor.edit(old.index, changes, &copier)), of: old.index)
    }
  }

  // MARK: Clusters

  private func cluster(_ number: Int) throws(RealmFileError) -> Cluster {
    let place = clusters.clusters[number]
    return try Cluster(try nodes.lookUp(place.ref), base: place.base, nodes: nodes)
  }

  /// Writes the backlinks in clusters that are copied.
  private func editBacklinks(_ copier: inout NodeCopier) throws(BuildError) {
    for column in table.backlinkColumns {
      guard let changed = links[column.key] else { continue }
      var found: [Int: Int] = [:]
      for (target, links) in changed {
        let number = clusters.cluster(of: ObjectKey(target))
        if let number { found[number, default: 0] += 1 }
        guard !links.added.isEmpty, try inBuild(!exists(ObjectKey(target), in: number)) else {
          continue
        }
        throw missing(ObjectKey(target), column, links)
      }
      let touched = Set(clusters.touched)
      for number in found.keys.sorted() where !touched.contains(number) {
        let old = try inBuild(cluster(number))
        let leaf = try inBuild(old.leaf(at: column.key.leafIndex))
        copier.add(.written(try backlinks(column, of: old.allKeys, &copier)), of: leaf)
      }
    }
  }

  private func exists(_ key: ObjectKey, in number: Int?) throws(RealmFileError) -> Bool {
    guard let number, !clusters.touched.contains(number) else {
      return built?.contains(key) ?? false
    }
    let old = try cluster(number)
    return old.row(ofRelativeKey: UInt64(bitPattern: key.raw) &- clusters.clusters[number].base)
      != nil || built?.contains(key) ?? false
  }

  private func missing(
    _ target: ObjectKey, _ column: BacklinkColumn, _ links: TableEdits.Links
  ) -> BuildError {
    let origin = realm.schema.table(column.origin)
    return BuildError(
      .missingTargetKey(className: table.className.text, key: target.raw),
      className: origin?.className.text,
      property: origin?.columns.first { $0.key == column.originColumn }?.name.text,
      objectKey: links.added.first)
  }

  /// Writes the cluster tree of an edited table.
  ///
  /// - Returns: its root.
  private func clusterTree(
    _ built: TableObjects, _ copier: inout NodeCopier
  ) throws(BuildError) -> Ref {
    var tree = ClusterTreeBuilder()
    let touched = Set(clusters.touched)
    let kept = clusters.clusters.indices.filter { !touched.contains($0) }
    var (next, number, isFirst) = (0, 0, true)
    while next < kept.count || number < built.clusterCount {
      defer { isFirst = false }
      let base = next < kept.count ? clusters.clusters[kept[next]].base : nil
      let isNew =
        number < built.clusterCount
        && base.map { UInt64(bitPattern: built.key(number, row: 0).raw) < $0 } ?? true
      if isNew {
        let keys = (0..<built.objectCount(of: number)).map { built.key(number, row: $0) }
        var leaves = [Ref](repeating: 0, count: leafCount)
        for (i, column) in table.columns.enumerated() {
          leaves[column.key.leafIndex] = built.leaf(i, of: number)
        }
        for column in table.backlinkColumns {
          leaves[column.key.leafIndex] = try backlinks(column, of: keys, &copier)
        }
        try inBuild(append(keys, leaves, to: &tree))
        number += 1
      } else {
        let old = try inBuild(cluster(kept[next]))
        if let base, base != 0, isFirst {
          // The keys of the first cluster are relative to 0.
          try inBuild(append(old.allKeys, try copies(of: old, &copier), to: &tree))
        } else {
          let copy = try inBuild(copier.copy(old.ref))
          tree.append(copy: copy, base: base ?? 0, objectCount: old.count)
        }
        next += 1
      }
    }
    if isFirst { try appendEmpty(to: &tree) }
    let nodes = FileNodes(state.writer)
    let root = try inBuild(tree.finish(into: nodes))
    try inBuild(nodes.flush())
    return root
  }

  private func append(
    _ keys: [ObjectKey], _ leaves: [Ref], to tree: inout ClusterTreeBuilder
  ) throws(RealmFileError) {
    let nodes = FileNodes(state.writer)
    try tree.append(keys: keys.map { UInt64(bitPattern: $0.raw) }, leaves: leaves, into: nodes)
    try nodes.flush()
  }

  /// Number of leaves of a cluster. A removed column leaves its place empty.
  private var leafCount: Int {
    let columns = table.columns.map(\.key) + table.backlinkColumns.map(\.key)
    return (columns.map(\.leafIndex).max() ?? -1) + 1
  }

  private func copies(
    of cluster: Cluster, _ copier: inout NodeCopier
  ) throws(RealmFileError) -> [Ref] {
    var leaves: [Ref] = []
    for i in 1..<max(cluster.node.count, 1) {
      let leaf = try cluster.node.ref(at: i)
      leaves.append(leaf == 0 ? 0 : try copier.copy(leaf))
    }
    return leaves
  }

  /// Appends a cluster without objects.
  private func appendEmpty(to tree: inout ClusterTreeBuilder) throws(BuildError) {
    guard let columns = state.layout.tables[table.position]?.columns else { return }
    let nodes = FileNodes(state.writer)
    var leaves = [Ref](repeating: 0, count: leafCount)
    for column in columns {
      leaves[column.key.leafIndex] = column.defaultLeaf(
        count: 0, state.layout.format, into: nodes.buffer)
    }
    for column in table.backlinkColumns {
      leaves[column.key.leafIndex] = try inBuild(nodes.append(refs: []))
    }
    try inBuild(tree.append(keys: [], leaves: leaves, into: nodes))
    try inBuild(nodes.flush())
  }

  // MARK: Backlinks

  /// Writes the leaf of a backlink column of a cluster.
  ///
  /// - Parameter keys: the keys of the objects of the cluster.
  private func backlinks(
    _ column: BacklinkColumn, of keys: [ObjectKey], _ copier: inout NodeCopier
  ) throws(BuildError) -> Ref {
    let changed = links[column.key] ?? [:]
    var elements: [Int64] = []
    elements.reserveCapacity(keys.count)
    var opened: (number: Int, cluster: Cluster, leaf: BacklinkLeaf)?
    for key in keys {
      if let number = clusters.cluster(of: key), opened?.number != number {
        let old = try inBuild(cluster(number))
        let node = try inBuild(nodes.lookUp(try old.leaf(at: column.key.leafIndex)))
        opened = (number, old, try inBuild(BacklinkLeaf(node, rows: old.count)))
      }
      var old: (leaf: BacklinkLeaf, row: Int)?
      if let opened {
        let base = clusters.clusters[opened.number].base
        old = opened.cluster.row(ofRelativeKey: UInt64(bitPattern: key.raw) &- base).map {
          (opened.leaf, $0)
        }
      }
      if let links = changed[key.raw] {
        elements.append(try element(old, links))
      } else if let old {
        elements.append(try inBuild(copy(of: old, &copier)))
      } else {
        elements.append(0)
      }
    }
    let nodes = FileNodes(state.writer)
    let ref = try inBuild(nodes.append(refs: elements))
    try inBuild(nodes.flush())
    return ref
  }

  private func copy(
    of old: (leaf: BacklinkLeaf, row: Int), _ copier: inout NodeCopier
  ) throws(RealmFileError) -> Int64 {
    switch old.leaf.node.element(at: old.row) {
    case .null, .tagged: old.leaf.node.integer(at: old.row)
    case .ref(let root): Int64(try copier.copy(root))
    }
  }

  /// Writes the changed backlinks of an object.
  private func element(
    _ old: (leaf: BacklinkLeaf, row: Int)?, _ links: TableEdits.Links
  ) throws(BuildError) -> Int64 {
    var origins =
      try inBuild(old.map { (old) throws(RealmFileError) in try self.origins(old) }) ?? []
    var removed = Dictionary(links.removed.map { ($0, 1) }, uniquingKeysWith: +)
    origins.removeAll { origin in
      guard let count = removed[origin], count > 0 else { return false }
      removed[origin] = count - 1
      return true
    }
    origins = (origins + links.added).sorted()
    let nodes = FileNodes(state.writer)
    var list = BacklinkList(state.layout.format)
    for origin in origins { try inBuild(list.append(origin, into: nodes)) }
    let (element, _) = try list.finish(into: nodes)
    try inBuild(nodes.flush())
    return element
  }

  private func origins(
    _ old: (leaf: BacklinkLeaf, row: Int)
  ) throws(RealmFileError) -> [Int64] {
    switch old.leaf.node.element(at: old.row) {
    case .null: return []
    case .tagged(let origin): return [Int64(origin)]
    case .ref(let root):
      var origins: [Int64] = []
      var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
      while let leaf = try leaves.next() { origins += try BacklinkLeaf.keys(leaf) }
      return origins
    }
  }
}
