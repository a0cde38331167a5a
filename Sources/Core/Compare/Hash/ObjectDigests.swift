import RealmModel
import RealmStorage

/// The digest of an object: the first 24 bytes of the SHA-256 of its values, as three big-endian numbers, so that
/// numbers and bytes have the same order.
struct ObjectDigest {
  var words: (UInt64, UInt64, UInt64)

  /// Number of integers of a digest.
  static let width = 3
}

/// Computes the digests of the objects of batches (docs/hash.md). Used by one thread.
struct ObjectDigests: ~Copyable {
  /// The start of the bytes of each object.
  static let prefix = Array("realm-hash 1 object\n".utf8)

  private let schema: ObjectSchema
  private var encoder: ValueEncoder
  private let hash: SHA256
  /// The bytes of one object.
  private var object = EncodedBytes()
  /// Whether the digests include the keys of objects of classes without a primary key.
  private let includesKeys: Bool

  /// - Throws: `unsupported` if the system has no SHA-256.
  init(_ schema: ObjectSchema, includesKeys: Bool = true) throws(RealmFileError) {
    (self.schema, self.includesKeys) = (schema, includesKeys)
    encoder = ValueEncoder(schema)
    hash = try SHA256()
  }

  /// Calls `body` with the row and digest of each object of `batch`.
  ///
  /// - Parameter skipped: positions of properties to leave out.
  /// - Throws: the errors of reading large collections.
  mutating func forEach(
    in batch: ObjectBatch, without skipped: Set<Int> = [], _ body: (Int, ObjectDigest) -> Void
  ) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    let hasKeys = objectClass.primaryKey == nil && includesKeys
    let columns = encoder.orders[batch.classPosition].compactMap {
      position -> (values: ColumnValues, isSet: Bool)? in
      guard !skipped.contains(position), let values = batch.columns[position] else { return nil }
      return (values, objectClass.properties[position].collection == .set)
    }
    encoder.bytes.removeAll()
    encoder.ends.removeAll(keepingCapacity: true)
    if columns.contains(where: \.values.hasRuns) {
      for row in 0..<batch.count {
        body(row, try digest(of: row, columns, key: hasKeys ? batch.keys[row] : nil))
      }
      return
    }
    for column in columns {
      encoder.ends.append(encoder.bytes.count)
      try encoder.append(
        column.values, 0..<batch.count, isSet: column.isSet, marks: true)
    }
    let stride = batch.count + 1
    for row in 0..<batch.count {
      begin(key: hasKeys ? batch.keys[row] : nil)
      for column in columns.indices {
        let place = column &* stride &+ row
        object.append(encoder.bytes, encoder.ends[place]..<encoder.ends[place &+ 1])
      }
      body(row, try finish())
    }
  }

  /// The digest of a primary key.
  mutating func digest(ofKey value: BatchValue) throws(RealmFileError) -> ObjectDigest {
    encoder.bytes.removeAll()
    encoder.append(value)
    return ObjectDigest(
      words: try encoder.bytes.withBytes(0..<encoder.bytes.count) {
        (bytes) throws(RealmFileError) in
        try hash.words(of: bytes)
      })
  }

  private mutating func begin(key: ObjectKey?) {
    object.removeAll()
    object.append(ObjectDigests.prefix)
    guard let key else { return }
    object.append(.int)
    object.append(key.raw)
  }

  private func finish() throws(RealmFileError) -> ObjectDigest {
    ObjectDigest(
      words: try object.withBytes(0..<object.count) { (bytes) throws(RealmFileError) in
        try hash.words(of: bytes)
      })
  }

  /// The digest of an object with large collections, without keeping their bytes.
  private mutating func digest(
    of row: Int, _ columns: [(values: ColumnValues, isSet: Bool)], key: ObjectKey?
  ) throws(RealmFileError) -> ObjectDigest {
    begin(key: key)
    try hash.restart()
    try object.withBytes(0..<object.count) { (bytes) throws(RealmFileError) in
      try hash.add(bytes)
    }
    encoder.bytes.removeAll()
    encoder.streamed = hash
    defer { encoder.streamed = nil }
    for column in columns {
      try encoder.append(column.values, row..<(row + 1), isSet: column.isSet, marks: false)
      try encoder.flush()
    }
    return ObjectDigest(words: try hash.finishWords())
  }
}
