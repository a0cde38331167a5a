import RealmModel
import RealmStorage

/// Writes the cluster trees once all links are known.
extension BuildState {
  /// The backlink columns of the built classes, by position of the class: first for link properties, then for
  /// mixed properties that contain links to the class.
  ///
  /// - Throws: `tooMany` if a table has no room for them.
  func makeBacklinks() throws(BuildError) -> [Int: [BacklinkBuilder]] {
    var paths: [Int: [BuildPiece.LinkPath]] = [:]
    for column in layout.columns {
      guard column.property.type == .link, let target = column.property.target else { continue }
      paths[target, default: []].append(BuildPiece.LinkPath(column: column.number, target: target))
    }
    for path in backlinks.keys.sorted() where layout.columns[path.column].property.type != .link {
      paths[path.target, default: []].append(path)
    }
    var made: [Int: [BacklinkBuilder]] = [:]
    for table in layout.slots where !table.isCopied {
      let count = table.columns.count + (paths[table.position]?.count ?? 0)
      guard count <= BuildLayout.columnLimit else {
        throw BuildLayout.tooManyColumns.adding(className: table.objectClass.name.text)
      }
      made[table.position] = (paths[table.position] ?? []).enumerated().map { i, path in
        BacklinkBuilder(
          path,
          key: ColumnKey(
            leafIndex: table.columns.count + i, .backlink, collection: nil, isNullable: false,
            tag: table.key.raw, request.format), backlinks[path], request.format)
      }
    }
    return made
  }

  /// Appends the clusters of a class and their tree.
  ///
  /// - Returns: the root of the tree.
  /// - Throws: `missingTargetKey`, `embeddedOwners`; the errors of files.
  func appendClusters(
    _ position: Int, _ columns: [BacklinkBuilder], into nodes: FileNodes
  ) throws(BuildError) -> Ref {
    guard let objects = objects[position] else { return 0 }
    let table = objects.table
    for column in columns {
      try inBuild(column.begin())
    }
    var tree = ClusterTreeBuilder()
    for cluster in 0..<objects.clusterCount {
      var leaves = table.columns.indices.map { objects.leaf($0, of: cluster) }
      var owners = [Int](repeating: 0, count: objects.objectCount(of: cluster))
      for column in columns {
        leaves.append(try backlinkLeaf(column, objects, cluster, &owners, into: nodes))
      }
      let fewest = request.allowsUnownedObjects ? 0 : 1
      if table.isEmbedded, let row = owners.firstIndex(where: { $0 < fewest || $0 > 1 }) {
        throw BuildError(
          .embeddedOwners(count: owners[row]), className: table.objectClass.name.text,
          objectKey: objects.key(cluster, row: row).raw)
      }
      let keys = owners.indices.map { UInt64(bitPattern: objects.key(cluster, row: $0).raw) }
      try inBuild(tree.append(keys: keys, leaves: leaves, into: nodes))
    }
    // Links to unresolved keys, which follow, refer to tombstones.
    for column in columns {
      while let target = try inBuild(column.nextTarget()),
        !target.isUnresolved
      {
        try pass(target, of: column)
      }
    }
    if objects.clusterCount == 0 {
      let leaves = try inBuild(emptyLeaves(table, columns, into: nodes))
      try inBuild(tree.append(keys: [], leaves: leaves, into: nodes))
    }
    return try inBuild(tree.finish(into: nodes))
  }

  /// Skips the links to a missing object.
  ///
  /// - Throws: `missingTargetKey` if such links are not allowed and the limit of errors is reached.
  private func pass(_ target: ObjectKey, of column: BacklinkBuilder) throws(BuildError) {
    if !request.allowsMissingTargets, !request.separatesMissingTargets {
      let origin = layout.columns[column.path.column]
      try faults.add(
        BuildError(
          .missingTargetKey(
            className: layout.schema.classes[column.path.target].name.text, key: target.raw),
          className: layout.schema.classes[origin.classPosition].name.text,
          property: origin.property.name.text, objectKey: column.nextOrigin.raw))
    }
    try inBuild(column.skip(target))
  }

  /// Builds the leaf of a backlink column of a cluster.
  ///
  /// - Parameter owners: for each object, a count to which the number of links to it is added.
  private func backlinkLeaf(
    _ column: BacklinkBuilder, _ objects: TableObjects, _ cluster: Int, _ owners: inout [Int],
    into nodes: FileNodes
  ) throws(BuildError) -> Ref {
    let last = objects.lastKey(of: cluster)
    var elements = [Int64](repeating: 0, count: owners.count)
    while let target = try inBuild(column.nextTarget()),
      !target.isUnresolved, target.raw <= last
    {
      guard let row = objects.row(of: target, in: cluster) else {
        try pass(target, of: column)
        continue
      }
      let (element, count) = try column.take(target, into: nodes)
      elements[row] = element
      owners[row] += count
    }
    return try inBuild(nodes.append(refs: elements))
  }

  /// Builds the leaves of a cluster without objects.
  private func emptyLeaves(
    _ table: BuildTable, _ columns: [BacklinkBuilder], into nodes: FileNodes
  ) throws(RealmFileError) -> [Ref] {
    var leaves = table.columns.map { $0.defaultLeaf(count: 0, request.format, into: nodes.buffer) }
    for _ in columns { leaves.append(try nodes.append(refs: [])) }
    return leaves
  }

  // MARK: Tombstones

  /// Appends the tombstones of a class.
  ///
  /// - Returns: the root of their tree; 0 if there are none.
  func appendTombstones(
    _ position: Int, _ columns: [BacklinkBuilder], into nodes: FileNodes
  ) throws(BuildError) -> Ref {
    guard let table = layout.tables[position] else { return 0 }
    var all = tombstones[position] ?? Tombstones()
    // Tombstones are few, so their links fit in memory.
    var links: [ObjectKey: [Int64]] = [:]
    for (i, column) in columns.enumerated() {
      while let target = try inBuild(column.nextTarget()) {
        if all.identities[target] == nil {
          guard table.primaryKey == nil else {
            try pass(target, of: column)
            continue
          }
          all.insert(target)
        }
        let (element, _) = try column.take(target, into: nodes)
        links[target, default: Array(repeating: 0, count: columns.count)][i] = element
      }
    }
    tombstones[position] = all
    let keys = all.sortedKeys
    guard !keys.isEmpty else { return 0 }
    var tree = ClusterTreeBuilder()
    for start in stride(from: 0, to: keys.count, by: Cluster.capacity) {
      let some = keys[start..<min(start + Cluster.capacity, keys.count)]
      var leaves = table.columns.map { column in
        column.isPrimaryKey
          ? column.leaf(
            of: some.map { all.identities[$0] ?? nil }, request.format, into: nodes.buffer)
          : column.defaultLeaf(count: some.count, request.format, into: nodes.buffer)
      }
      for i in columns.indices {
        leaves.append(try inBuild(nodes.append(refs: some.map { links[$0]?[i] ?? 0 })))
      }
      try inBuild(
        tree.append(keys: some.map { UInt64(bitPattern: $0.raw) }, leaves: leaves, into: nodes))
    }
    return try inBuild(tree.finish(into: nodes))
  }
}

extension BuildColumn {
  /// Appends the leaf of a cluster of objects without values.
  func defaultLeaf(
    count: Int, _ format: FileFormat, into nodes: NodeBuffer
  ) -> Ref {
    if property.collection != nil {
      return nodes.append(refs: [Int64](repeating: 0, count: count))
    }
    switch property.defaultValues(count: count) {
    case .scalar(let scalars):
      defer { withExtendedLifetime(scalars) {} }
      return Leaf.encode(scalars, 0..<count, isNullable: isNullable, format, into: nodes)
    case .mixed:
      var builder = MixedLeafBuilder(format, isOfObjects: true)
      for _ in 0..<count { builder.append(.null) }
      guard case .placed(let ref) = builder.finish(into: PendingEncoder(nodes)) else { return 0 }
      return ref
    // A null link or an empty collection.
    case .link, .embedded, .collection:
      return nodes.append(integers: [Int64](repeating: 0, count: count))
    }
  }

  /// Appends the leaf of the primary keys of a cluster of tombstones.
  fileprivate func leaf(
    of identities: [Identity?], _ format: FileFormat, into nodes: NodeBuffer
  ) -> Ref {
    let bytes = identities.map { $0?.type == nil ? nil : $0?.bytes }
    let scalars: ScalarColumn
    switch property.type {
    case .string: scalars = .string(SliceColumn(copying: bytes))
    case .objectId: scalars = .objectId(SliceColumn(copying: bytes))
    case .uuid: scalars = .uuid(SliceColumn(copying: bytes))
    default:
      scalars = .int(
        identities.map { $0?.value.int ?? 0 },
        NullMask(count: identities.count) { identities[$0]?.value.int == nil })
    }
    defer { withExtendedLifetime(scalars) {} }
    return Leaf.encode(scalars, 0..<identities.count, isNullable: isNullable, format, into: nodes)
  }
}
