import RealmModel
import RealmStorage

/// Encodes the objects of batches into a piece: each column of a cluster becomes a leaf. Used by one thread.
final class BatchEncoder {
  let layout: BuildLayout
  let piece: BuildPiece
  let pending: PendingEncoder
  /// Whether a set keeps both a link that is marked as unresolved and an unmarked link to the same object; see
  /// ``RealmBuilder/Request/separatesMissingTargets``.
  let separatesMarks: Bool
  /// The current column.
  var column: BuildColumn?
  /// The links of the current column to objects with known keys.
  var links: [BuildPiece.Link] = []
  /// Whether the current collection has a link that is known to be unresolved.
  var hasUnresolved = false
  /// Whether the links of the current collection must be sorted once all their keys are known.
  var sortsLinks = false

  init(_ layout: BuildLayout, _ piece: BuildPiece, separatesMarks: Bool) {
    (self.layout, self.piece, self.separatesMarks) = (layout, piece, separatesMarks)
    pending = PendingEncoder(piece)
  }

  var nodes: NodeBuffer { piece.nodes }
  var format: FileFormat { layout.format }

  /// The rows of a batch that form a cluster.
  struct Chunk {
    let rows: Range<Int>
    /// Position of the cluster among those of the class in the piece.
    let cluster: Int
    /// Number of the object in the first row.
    let firstObject: Int
  }

  /// Adds the objects of `batch`.
  ///
  /// - Returns: the number of the first object.
  /// - Throws: errors with class, property and object, if known.
  @discardableResult
  func add(_ batch: ObjectBatch) throws(BuildError) -> Int {
    guard let table = layout.tables[batch.classPosition] else {
      throw BuildError(
        .schema("the class is left out, but has objects"),
        className: layout.schema.classes[batch.classPosition].name.text)
    }
    var objects = piece.objects[batch.classPosition] ?? BuildPiece.Objects()
    let first = objects.count
    guard objects.count == 0 || objects.keys.isEmpty == batch.keys.isEmpty || batch.count == 0
    else {
      throw BuildError(.someKeys, className: table.objectClass.name.text)
    }
    objects.keys += batch.keys
    var chunks: [Chunk] = []
    for start in stride(from: 0, to: batch.count, by: Cluster.capacity) {
      let rows = start..<min(start + Cluster.capacity, batch.count)
      chunks.append(
        Chunk(rows: rows, cluster: objects.counts.count, firstObject: first + start))
      objects.counts.append(rows.count)
    }
    objects.count += batch.count
    let firstLeaf = objects.leaves.count
    let width = table.builtPositions.count
    objects.leaves += Array(repeating: 0, count: chunks.count * width)
    // Embedded objects can be of the same class: the counts must be stored before those objects are added.
    piece.objects[batch.classPosition] = objects
    for (i, position) in table.builtPositions.enumerated() {
      let column = table.columns[position]
      let refs: [Ref]
      do throws(BuildError) {
        refs = try encode(
          column, position < batch.columns.count ? batch.columns[position] : nil,
          count: batch.count, chunks)
      } catch {
        throw error.adding(
          className: table.objectClass.name.text, property: column.property.name.text)
      }
      for (chunk, ref) in refs.enumerated() {
        piece.objects[batch.classPosition]?.leaves[firstLeaf + chunk * width + i] = ref
      }
    }
    return first
  }

  /// Encodes the leaves of a column.
  ///
  /// - Parameter values: nil for default values.
  /// - Returns: the leaf for each chunk; 0 for a leaf that waits for keys.
  private func encode(
    _ column: BuildColumn, _ values: ColumnValues?, count: Int, _ chunks: [Chunk]
  ) throws(BuildError) -> [Ref] {
    let values = values ?? column.property.defaultValues(count: count)
    guard values.count == count else { throw BuildError(.wrongType) }
    try check(column, values)
    let elements = try prepare(column.property, values)
    self.column = column
    hasUnresolved = false
    var refs: [Ref] = []
    for chunk in chunks {
      let place = try leaf(column, elements, chunk)
      if column.needsEntries { try addEntries(of: column, values, chunk) }
      refs.append(
        pending.finish(
          place, classPosition: column.classPosition, cluster: chunk.cluster,
          leafIndex: column.key.leafIndex))
      if let target = column.property.target, !links.isEmpty {
        let path = BuildPiece.LinkPath(column: column.number, target: target)
        piece.links[path, default: []] += links
        links.removeAll(keepingCapacity: true)
      }
    }
    return refs
  }

  // MARK: Embedded objects

  /// Values whose embedded objects are already in the piece.
  indirect enum Prepared {
    case scalar(ScalarColumn)
    case link(LinkColumn)
    /// For each row, the row of its object in the embedded batch, or -1; `firstObject` is the number of the
    /// batch's first object.
    case embedded(target: Int, rows: [Int], firstObject: Int)
    case mixed(MixedColumn)
    case collection(CollectionColumn, elements: Prepared)
  }

  /// Adds the embedded objects of `values` to the piece.
  func prepare(_ property: Property, _ values: ColumnValues) throws(BuildError) -> Prepared {
    switch values {
    case .scalar(let column): return .scalar(column)
    case .link(let column): return .link(column)
    case .mixed(let column): return .mixed(column)
    case .embedded(let column):
      let outer = self.column
      defer { self.column = outer }
      let objects = column.objects
      // The objects come in the order of their owners, in which their keys need not ascend. So they get new keys.
      let first = try pending.interrupted { () throws(BuildError) in
        try add(
          ObjectBatch(
            classPosition: objects.classPosition, count: objects.count, keys: [],
            columns: objects.columns, owner: nil))
      }
      return .embedded(
        target: objects.classPosition, rows: column.rows, firstObject: first)
    case .collection(let column):
      return .collection(
        column,
        elements: column.runs == nil
          ? try prepare(property, column.elements) : .scalar(.decimal([])))
    }
  }

  // MARK: Leaves of clusters

  private func leaf(
    _ column: BuildColumn, _ values: Prepared, _ chunk: Chunk
  ) throws(BuildError) -> NodePlace {
    switch values {
    case .scalar(let scalars):
      return .placed(
        Leaf.encode(scalars, chunk.rows, isNullable: column.isNullable, format, into: nodes))
    case .link(let links):
      return self.links(
        links, chunk.rows, isBiased: true,
        owner: { chunk.firstObject + $0 - chunk.rows.lowerBound },
        row: { $0 - chunk.rows.lowerBound }, isRoot: false)
    case .embedded(let target, let rows, let first):
      var elements = ElementList()
      for row in chunk.rows {
        if rows[row] < 0 {
          elements.append(0)
        } else {
          elements.append(
            .embedded(
              target: target, number: first + rows[row], row: row - chunk.rows.lowerBound))
        }
      }
      return pending.append(elements, .biased)
    case .mixed(let mixed):
      var builder = MixedLeafBuilder(format, isOfObjects: true)
      for row in chunk.rows {
        let owner = Owner(
          object: chunk.firstObject + row - chunk.rows.lowerBound, row: row - chunk.rows.lowerBound)
        try append(mixed, row, to: &builder, owner, key: owner.row + 1, depth: 0)
      }
      return builder.finish(into: pending)
    case .collection(let collections, let elements):
      var roots = ElementList()
      for row in chunk.rows {
        let owner = Owner(
          object: chunk.firstObject + row - chunk.rows.lowerBound, row: row - chunk.rows.lowerBound)
        do throws(BuildError) {
          roots.append(try root(column, collections, elements, row, owner))
        } catch {
          throw error.adding(objectKey: objectKey(of: owner.object, column))
        }
      }
      return pending.append(roots, .refs)
    }
  }

  /// The object with a value.
  struct Owner {
    /// Number of the object.
    let object: Int
    /// Row of the object in its cluster.
    let row: Int
  }

  /// The key of an object if the source has one, otherwise nil.
  func objectKey(of object: Int, _ column: BuildColumn) -> Int64? {
    guard let keys = piece.objects[column.classPosition]?.keys, object < keys.count else {
      return nil
    }
    return keys[object].raw
  }

  /// Encodes a leaf of links.
  ///
  /// - Parameters:
  ///   - isBiased: true for a leaf of a cluster.
  ///   - owner: returns the number of the object with the link in a row.
  ///   - rowInCluster: returns the row of that object in its cluster.
  ///   - isRoot: true if the leaf is a whole collection. Its context flag then shows whether a link is
  ///     unresolved.
  func links(
    _ links: LinkColumn, _ rows: Range<Int>, isBiased: Bool, owner: (Int) -> Int,
    row rowInCluster: (Int) -> Int, isRoot: Bool
  ) -> NodePlace {
    var elements = ElementList()
    for row in rows {
      guard !links.nulls[row] else {
        elements.append(0)
        continue
      }
      let key = links.knownKey(row)
      if let key, !sortsLinks {
        if key.isUnresolved { hasUnresolved = true }
        elements.append(LinkLeaf.element(key, isBiased: isBiased))
        self.links.append(BuildPiece.Link(target: key, origin: owner(row)))
      } else {
        elements.append(
          .link(
            target: links.target, identity: links.identities?[row] ?? .null,
            isUnresolved: links.unresolved[row], row: rowInCluster(row), key: key))
      }
    }
    return pending.append(elements, isBiased ? .biased : isRoot ? rootOptions : [])
  }

  /// The options for the root of the current collection of links.
  var rootOptions: PendingProgram.Options {
    hasUnresolved ? [.context, .marksUnresolved] : .marksUnresolved
  }
}

extension LinkColumn {
  /// The object key of the target of the link in `row`, which must not be null; nil if the target is identified by
  /// its primary key. A link to a tombstone is by primary key if there is one, because the tombstone gets a new
  /// object key.
  func knownKey(_ row: Int) -> ObjectKey? {
    row < keys.count && (identities == nil || !unresolved[row]) ? keys[row] : nil
  }
}
