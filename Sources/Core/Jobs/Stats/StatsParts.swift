import RealmInterchange
import RealmModel
import RealmStorage

/// The uses of all bytes of a file; together they are the file.
struct StatsParts {
  let parts: [StatsReport.Part]

  /// - Parameter census: loses its map, which may take more memory than all else.
  /// - Throws: `damaged` with rule `free.node-overlap` for a free chunk with a node in it, or a rule of the
  ///   free list.
  init(
    _ census: inout NodeCensus, _ snapshot: Snapshot, _ nodes: NodeReader
  ) throws(RealmFileError) {
    var bytes: [StatsReport.Use: Int] = [:]
    var totals: [StatsReport.Use: NodeCensus.Total] = [:]
    for (owner, total) in census.totals {
      bytes[StatsReport.Use(owner.purpose), default: 0] += total.byteCount
      totals[StatsReport.Use(owner.purpose), default: NodeCensus.Total()] += total
    }
    let top = snapshot.top
    var map = census.takeMap()
    for chunk in try FreeList(top, nodes: nodes).chunks {
      let range = chunk.offset..<(chunk.offset + chunk.byteCount)
      guard map.take(range) else {
        throw .damaged(
          .freeNodeOverlap, at: chunk.offset,
          "the free chunk of \(chunk.byteCount) bytes overlaps a node or another free chunk")
      }
      bytes[StatsParts.use(of: chunk, version: top.version), default: 0] += chunk.byteCount
    }
    bytes[.lost] = map.gaps(from: FileHeader.byteCount).reduce(0) { $0 + $1.count }
    // The logical size of a damaged copy may include its footer, which then counts as lost.
    let rest = max(0, snapshot.dataByteCount - top.logicalSize)
    let footer = snapshot.header.isStreaming ? min(FileHeader.footerByteCount, rest) : 0
    bytes[.header] = FileHeader.byteCount + footer
    bytes[.behindEnd] = rest - footer
    bytes[.encryption] = snapshot.fileByteCount - snapshot.dataByteCount
    parts = StatsReport.Use.allCases.compactMap { use in
      guard let count = bytes[use], count != 0 else { return nil }
      let total = totals[use] ?? NodeCensus.Total()
      return StatsReport.Part(
        use: use, byteCount: count, nodeCount: total.nodeCount, valueCount: total.valueCount)
    }
  }

  /// Space freed by a commit before the last one is usable at once, unless the commit after it had to keep
  /// it for readers; a chunk that was usable before has version 0 (chapter 1, section 3.2).
  private static func use(of chunk: FreeList.Chunk, version: Int) -> StatsReport.Use {
    switch chunk.version {
    case 0: .reusable
    case version: .previousVersion
    default: .olderVersions
    }
  }
}

/// The sizes of classes and properties.
struct StatsClasses {
  private let totals: [Int?: [(owner: NodeCensus.Owner, total: NodeCensus.Total)]]
  private let values: ValueCensus.Report
  private let realm: ReadableRealm

  init(
    _ totals: [(owner: NodeCensus.Owner, total: NodeCensus.Total)], _ values: ValueCensus.Report,
    _ realm: ReadableRealm
  ) {
    self.totals = Dictionary(grouping: totals) { $0.owner.table }
    (self.values, self.realm) = (values, realm)
  }

  func sizes(of positions: [Int]) -> [StatsReport.ClassSize] {
    positions.map { classPosition in
      let objectClass = realm.schema.classes[classPosition]
      let own = totals[classPosition] ?? []
      func parts(_ property: Int?) -> [StatsReport.Part] {
        own.filter { $0.owner.property == property }.map {
          StatsReport.Part(
            use: StatsReport.Use($0.owner.purpose), byteCount: $0.total.byteCount,
            nodeCount: $0.total.nodeCount, valueCount: $0.total.valueCount)
        }
      }
      return StatsReport.ClassSize(
        objectClass: objectClass, objectCount: objectCount(classPosition),
        properties: objectClass.properties.enumerated().map { position, property in
          StatsReport.PropertySize(
            property: property, type: type(of: position, in: objectClass),
            parts: parts(position), count: count(classPosition, position))
        }, parts: parts(nil))
    }
  }

  private func type(of position: Int, in objectClass: ObjectClass) -> String {
    let notation = PropertyNotation(
      objectClass.properties[position], isPrimaryKey: objectClass.primaryKey == position,
      realm.schema)
    return notation.short ?? notation.long
  }

  /// The rows of subtables of formats 2 to 9 are known from their values.
  private func objectCount(_ classPosition: Int) -> Int {
    realm.objectCount(classPosition) ?? values.properties[classPosition]?.first?.valueCount ?? 0
  }

  private func count(_ classPosition: Int, _ property: Int) -> StatsReport.Count? {
    guard let found = values.properties[classPosition]?[property] else { return nil }
    return StatsReport.Count(
      objects: found.valueCount, nulls: found.nullCount, elements: found.elementCount,
      // An estimate can be above the number of values.
      distinct: found.distinct.map { min($0.value, found.valueCount - found.nullCount) },
      isDistinctExact: found.distinct?.isExact ?? true,
      valueByteCount: found.byteCount)
  }
}

extension StatsReport.Use {
  fileprivate init(_ purpose: NodeCensus.Purpose) {
    self =
      switch purpose {
      case .values: .values
      case .longValues: .longValues
      case .collections: .collections
      case .indexes: .indexes
      case .backlinks: .backlinks
      case .tree: .tree
      case .tombstones: .tombstones
      case .schema: .schema
      case .history: .history
      case .freeLists: .freeLists
      }
  }
}
