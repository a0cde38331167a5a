import RealmModel
import RealmStorage

/// Encodes lists, sets and dictionaries (chapter 2, section 6).
extension BatchEncoder {
  /// Encodes the collection in `row`.
  ///
  /// - Returns: the root; ref 0 for an empty collection.
  func root(
    _ column: BuildColumn, _ collections: CollectionColumn, _ elements: Prepared, _ row: Int,
    _ owner: Owner
  ) throws(BuildError) -> NodePlace {
    if collections.runs == nil, column.property.collection == .list,
      case .scalar(let scalars) = elements,
      case let rows = collections.range(of: row), rows.count <= BPlusTreeLeaves.capacity
    {
      // Most lists are small: their only leaf is the root.
      guard !rows.isEmpty else { return .placed(0) }
      return .placed(Leaf.encode(scalars, rows, isNullable: column.isNullable, format, into: nodes))
    }
    var tree = CollectionBuilder(column, owner)
    if column.property.collection == .dictionary, format.dictionaries == .hashedClusters {
      return try hashedDictionary(collections, elements, row, &tree)
    }
    if let runs = collections.runs {
      try append(runs, to: &tree)
    } else {
      try append(elements, collections.keys, collections.range(of: row), to: &tree, isWhole: true)
    }
    return finish(&tree)
  }

  /// Appends a large collection run by run.
  private func append(
    _ runs: any CollectionRuns, to tree: inout CollectionBuilder
  ) throws(BuildError) {
    let property = tree.column.property
    // Sorting a set needs all of its members.
    var members: [ColumnValues] = []
    while let run = try inBuild(runs.next()) {
      try check(tree.column, .collection(run))
      let elements = try prepare(property, run.elements)
      column = tree.column
      let range = run.range(of: 0)
      // Members with unknown keys come first in a sorted set of links, so the first run shows whether there are any.
      if property.collection == .set,
        !members.isEmpty
          || tree.values.count == 0
            && (property.type == .mixed || hasUnknownKeys(elements, range))
      {
        members.append(run.elements.copied)
      } else {
        try append(elements, run.keys, range, to: &tree, isWhole: false)
      }
    }
    guard !members.isEmpty else { return }
    let picks = members.enumerated().flatMap { source, column in
      (0..<column.count).map { RowPick(source: source, row: $0) }
    }
    try withExtendedLifetime(members) { () throws(BuildError) in
      let all = try prepare(property, ColumnValues.picking(picks, of: members))
      try append(all, nil, picks.indices, to: &tree, isWhole: true)
    }
  }

  /// A collection under construction.
  struct CollectionBuilder {
    let column: BuildColumn
    let owner: Owner
    var keys = BPlusTreeBuilder()
    var values = BPlusTreeBuilder()

    init(_ column: BuildColumn, _ owner: Owner) { (self.column, self.owner) = (column, owner) }

    /// True if the values are in mixed leaves.
    var hasMixedLeaves: Bool { column.property.collection == .dictionary }
  }

  /// Appends the elements in `range`.
  ///
  /// - Parameter isWhole: true if `range` is the whole collection; only then is a set sorted.
  private func append(
    _ elements: Prepared, _ keys: ScalarColumn?, _ range: Range<Int>,
    to tree: inout CollectionBuilder, isWhole: Bool
  ) throws(BuildError) {
    if isWhole { hasUnresolved = false }
    var (elements, keys, range) = (elements, keys, range)
    switch tree.column.property.collection {
    case .dictionary:
      guard let entries = keys else { throw BuildError(.wrongType) }
      if let order = try entryOrder(entries, range) {
        elements = elements.picking(order)
        keys = entries.picking(order)
        range = order.indices
      }
    case .set where isWhole:
      if let order = try memberOrder(elements, range, of: tree.column.property) {
        elements = elements.picking(order)
        range = order.indices
      }
      sortsLinks = hasUnknownKeys(elements, range)
      if sortsLinks { appendSorts(elements, range, tree.owner) }
    case .set, .list, nil: break
    }
    defer { sortsLinks = false }
    let isRoot = isWhole && range.count <= BPlusTreeLeaves.capacity
    for start in stride(from: range.lowerBound, to: range.upperBound, by: BPlusTreeLeaves.capacity)
    {
      let rows = start..<min(start + BPlusTreeLeaves.capacity, range.upperBound)
      if let keys {
        tree.keys.append(
          .placed(Leaf.encode(keys, rows, isNullable: false, format, into: nodes)),
          count: rows.count)
      }
      tree.values.append(try leaf(elements, rows, tree, isRoot: isRoot), count: rows.count)
    }
  }

  private func finish(_ tree: inout CollectionBuilder) -> NodePlace {
    guard tree.values.count > 0 else { return .placed(0) }
    let isOfLinks = tree.column.property.type == .link && !tree.hasMixedLeaves
    let values = tree.values.finish(pending, root: isOfLinks ? rootOptions : [])
    hasUnresolved = false
    guard tree.column.property.collection == .dictionary else { return values }
    return dictionary(keys: tree.keys.finish(pending), values)
  }

  private func dictionary(keys: NodePlace, _ values: NodePlace) -> NodePlace {
    var top = ElementList()
    top.append(keys)
    top.append(values)
    return pending.append(top, .refs)
  }

  /// Encodes a leaf of the elements in `rows`.
  private func leaf(
    _ elements: Prepared, _ rows: Range<Int>, _ tree: CollectionBuilder, isRoot: Bool
  ) throws(BuildError) -> NodePlace {
    guard !tree.hasMixedLeaves else { return try mixedLeaf(elements, rows, tree) }
    switch elements {
    case .scalar(let scalars):
      return .placed(
        Leaf.encode(scalars, rows, isNullable: tree.column.isNullable, format, into: nodes))
    case .link(let links):
      return self.links(
        links, rows, isBiased: false, owner: { _ in tree.owner.object },
        row: { _ in tree.owner.row },
        isRoot: isRoot)
    case .embedded(let target, let objects, let first):
      var elements = ElementList()
      for row in rows {
        guard objects[row] >= 0 else { throw BuildError(.nullInRequired) }
        elements.append(
          .embedded(target: target, number: first + objects[row], row: tree.owner.row))
      }
      return pending.append(elements)
    case .mixed: return try mixedLeaf(elements, rows, tree)
    case .collection: throw BuildError(.wrongType)
    }
  }

  func mixedLeaf(
    _ elements: Prepared, _ rows: Range<Int>, _ tree: CollectionBuilder
  ) throws(BuildError) -> NodePlace {
    var builder = MixedLeafBuilder(format, isOfObjects: false)
    for row in rows {
      switch elements {
      case .scalar(let scalars): builder.append(scalars[row])
      case .link(let links): append(links, row, to: &builder, tree.owner)
      case .embedded(let target, let objects, let first):
        if objects[row] >= 0, let table = layout.tables[target] {
          builder.append(
            .embedded(target: target, number: first + objects[row], row: tree.owner.row),
            of: table.key)
        } else {
          builder.append(.null)
        }
      case .mixed(let mixed):
        try append(
          mixed, row, to: &builder, tree.owner,
          // Unique within the collection.
          key: tree.values.count + row - rows.lowerBound + 1, depth: 0)
      case .collection: throw BuildError(.wrongType)
      }
    }
    return builder.finish(into: pending)
  }

  /// Appends the link in `row` of a link column as a mixed value.
  private func append(
    _ links: LinkColumn, _ row: Int, to builder: inout MixedLeafBuilder, _ owner: Owner
  ) {
    guard !links.nulls[row], let table = layout.tables[links.target] else {
      return builder.append(.null)
    }
    guard let key = links.knownKey(row) else {
      return builder.append(
        .link(
          target: links.target, identity: links.identities?[row] ?? .null,
          isUnresolved: links.unresolved[row], row: owner.row), of: table.key)
    }
    builder.append(link: key, of: table.key)
    self.links.append(BuildPiece.Link(target: key, origin: owner.object))
  }

  // MARK: Mixed values

  /// Appends the mixed value in `row`.
  ///
  /// - Parameters:
  ///   - key: identifies the value in its parent if the value is a collection.
  ///   - depth: number of collections around the value.
  func append(
    _ mixed: MixedColumn, _ row: Int, to builder: inout MixedLeafBuilder, _ owner: Owner, key: Int,
    depth: Int
  ) throws(BuildError) {
    switch mixed.values[row] {
    case .link(let i): try append(mixed.links[i], to: &builder, owner)
    case .list where !format.contents.contains(.nestedCollections),
      .dictionary where !format.contents.contains(.nestedCollections):
      piece.add(unsupported: column, object: owner.object)
      builder.append(.null)
    case .list(let i):
      builder.append(
        try nested(mixed.lists, i, owner, isDictionary: false, depth: depth + 1),
        isDictionary: false, key: key)
    case .dictionary(let i):
      builder.append(
        try nested(mixed.dictionaries, i, owner, isDictionary: true, depth: depth + 1),
        isDictionary: true, key: key)
    case let value: builder.append(value)
    }
  }

  private func append(
    _ link: MixedColumn.Link, to builder: inout MixedLeafBuilder, _ owner: Owner
  ) throws(BuildError) {
    guard let table = layout.tables[link.target], let column else {
      throw BuildError(.schema("the target class of a link is left out"))
    }
    guard !table.isEmbedded else {
      throw BuildError(.schema("mixed values cannot link to embedded objects"))
    }
    let key = link.knownKey
    if let key, !sortsLinks {
      builder.append(link: key, of: table.key)
      let path = BuildPiece.LinkPath(column: column.number, target: link.target)
      piece.links[path, default: []].append(BuildPiece.Link(target: key, origin: owner.object))
    } else {
      builder.append(
        .link(
          target: link.target, identity: link.identity ?? .null, isUnresolved: link.isUnresolved,
          row: owner.row, key: key), of: table.key)
    }
  }

  /// Encodes a collection in a mixed value.
  ///
  /// - Returns: the root; ref 0 for an empty collection.
  private func nested(
    _ collections: CollectionColumn?, _ row: Int, _ owner: Owner, isDictionary: Bool, depth: Int
  ) throws(BuildError) -> NodePlace {
    guard let collections, depth <= MixedValue.collectionLevels else {
      throw BuildError(
        .tooMany("collections are nested more than \(MixedValue.collectionLevels) levels deep"))
    }
    var (keys, values) = (BPlusTreeBuilder(), BPlusTreeBuilder())
    func append(_ run: CollectionColumn, _ range: Range<Int>) throws(BuildError) {
      guard case .mixed(var mixed) = run.elements else { throw BuildError(.wrongType) }
      // All nested collections of a column share its values.
      try checkMixed(mixed, range)
      var (entries, range) = (run.keys, range)
      if isDictionary {
        guard let stored = entries else { throw BuildError(.wrongType) }
        if let order = try entryOrder(stored, range) {
          mixed = mixed.picking(order)
          entries = stored.picking(order)
          range = order.indices
        }
      }
      for start in stride(
        from: range.lowerBound, to: range.upperBound, by: BPlusTreeLeaves.capacity)
      {
        let rows = start..<min(start + BPlusTreeLeaves.capacity, range.upperBound)
        if isDictionary, let entries {
          keys.append(
            .placed(Leaf.encode(entries, rows, isNullable: false, format, into: nodes)),
            count: rows.count)
        }
        var builder = MixedLeafBuilder(format, isOfObjects: false)
        for row in rows {
          try self.append(
            mixed, row, to: &builder, owner, key: values.count + row - rows.lowerBound + 1,
            depth: depth)
        }
        values.append(builder.finish(into: pending), count: rows.count)
      }
    }
    if let runs = collections.runs {
      while let run = try inBuild(runs.next()) {
        try append(run, run.range(of: 0))
      }
    } else {
      try append(collections, collections.range(of: row))
    }
    guard values.count > 0 else { return .placed(0) }
    let root = values.finish(pending)
    return isDictionary ? dictionary(keys: keys.finish(pending), root) : root
  }
}

extension MixedColumn.Link {
  /// As ``LinkColumn/knownKey(_:)``.
  var knownKey: ObjectKey? { identity == nil || !isUnresolved ? key : nil }
}
