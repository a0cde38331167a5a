package import RealmStorage

/// What the platform of the app that writes a realm decides before format 24 (chapter 2, section 8). An app finds the entries
/// of a dictionary and the members of a set only where its own platform puts them.
package struct WriterPlatform: Equatable, Sendable {
  /// Whether the type `char` is signed, as on Apple platforms and x86; not on Android and Linux for ARM.
  package var hasSignedCharacters = true
  /// Whether hashes of dictionary keys have 64 bits; otherwise 32.
  package var hasWideHashes = true

  package init() {}
}

extension WriterPlatform {
  /// The platform that the dictionaries and sets of a realm show. What they do not show is as on Apple platforms of 64 bits.
  ///
  /// - Parameter format: the format to be written; if nothing in it depends on the platform, nothing is read.
  /// - Throws: the errors of reading the realm, apart from damage, which the result will show.
  package init(of realm: Realm, for format: FileFormat) throws(RealmFileError) {
    self.init()
    let source = realm.snapshot.fileFormat
    guard format.byteOrder == .characters, source.byteOrder == .characters else { return }
    var evidence = PlatformEvidence(source)
    let reader = try RealmReader(realm)
    for table in realm.schema.tables {
      let columns = table.columns.filter { evidence.canShow($0) }
      guard !columns.isEmpty else { continue }
      do throws(RealmFileError) {
        try reader.nodes.traversing { () throws(RealmFileError) in
          for place in try reader.clusters(of: table) where !evidence.isComplete {
            let mark = reader.nodes.mark()
            defer { reader.nodes.release(to: mark) }
            let cluster = try reader.cluster(place)
            for column in columns { try evidence.look(at: column, of: cluster, reader) }
          }
        }
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    if let isSigned = evidence.isSigned { hasSignedCharacters = isSigned }
    if let isWide = evidence.hasWideHashes { hasWideHashes = isWide }
  }
}

/// What collections show about the platform that wrote them.
private struct PlatformEvidence {
  private let format: FileFormat
  private(set) var isSigned: Bool?
  private(set) var hasWideHashes: Bool?

  init(_ format: FileFormat) { self.format = format }

  private var hashesKeys: Bool { format.dictionaries == .hashedClusters }

  var isComplete: Bool { isSigned != nil && (hasWideHashes != nil || !hashesKeys) }

  func canShow(_ column: Column) -> Bool {
    switch column.collection {
    case .set: column.type == .string || column.type == .binary
    case .dictionary: !column.hasIntegerKeys
    case .list, nil: false
    }
  }

  mutating func look(
    at column: Column, of cluster: Cluster, _ reader: RealmReader
  ) throws(RealmFileError) {
    let leaf = try reader.nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
    for row in 0..<min(leaf.count, cluster.count) where !isComplete {
      let root = try leaf.ref(at: row)
      guard root != 0 else { continue }
      switch column.collection {
      case .set:
        var elements = reader.elements(column, root: root)
        while let batch = try elements.next() {
          add((0..<batch.count).map { batch.value(at: $0) })
        }
      case .dictionary where hashesKeys: try addHashes(of: root, reader)
      default: add(try reader.entries(root: root).keys)
      }
    }
  }

  /// Values that differ first in a byte below 128 and one from 128 on show whether characters are signed.
  private mutating func add(_ values: [MixedValue]) {
    for (a, b) in zip(values, values.dropFirst()) where isSigned == nil {
      guard let a = a.bytes, let b = b.bytes,
        let place = (0..<min(a.count, b.count)).first(where: { a[$0] != b[$0] }),
        (a[place] ^ b[place]) & 0x80 != 0
      else { continue }
      isSigned = a[place] & 0x80 != 0
    }
  }

  private mutating func addHashes(of root: Ref, _ reader: RealmReader) throws(RealmFileError) {
    var visitor = NoVisitor()
    for position in try ClusterTree(root: root, nodes: reader.nodes).clusters(&visitor) {
      let cluster = try reader.cluster(position)
      let keys = try Leaf.decode(
        try reader.nodes.node(at: try cluster.leaf(at: 0)), type: .string, isNullable: false,
        isBiased: true, rows: cluster.count, nodes: reader.nodes)
      for row in 0..<cluster.count where hasWideHashes == nil {
        let stored = cluster.key(at: row)
        var narrow = WriterPlatform()
        narrow.hasWideHashes = false
        let wide = DictionaryHash.objectKey(of: keys.value(at: row), WriterPlatform())
        if stored == wide {
          hasWideHashes = true
        } else if stored == DictionaryHash.objectKey(of: keys.value(at: row), narrow) {
          hasWideHashes = false
        }
      }
    }
  }
}

extension MixedValue {
  /// The bytes of a string or binary; nil for other values.
  fileprivate var bytes: ByteSlice? {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes
    default: nil
    }
  }
}
