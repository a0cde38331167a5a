import RealmStorage

/// What the objects of a table have in an index, as a sum over pairs of a number and the key of the object:
/// the number is the hash of a word, or the first chunk of a value.
package struct IndexedData: Sendable {
  private(set) var sum = PairSum()
  /// The first reason why values cannot be read.
  private(set) var failure: RealmFileError?
  /// A word in which the reference can take an "X" for the end (section 5.7).
  private(set) var hasCapitalX = false

  package init() {}

  /// Adds the words of an object.
  mutating func add(_ words: ObjectWords, of key: UInt64) {
    for hash in words.hashes { sum.add(hash, key) }
    if words.hasCapitalX { hasCapitalX = true }
  }

  /// Adds the values of the objects of a cluster.
  mutating func add(_ batch: ColumnBatch, of cluster: Cluster) {
    IndexData.forEach(in: batch) { row, data in
      sum.add(
        firstChunk: data.chunk(at: 0), UInt64(bitPattern: cluster.key(at: row).raw))
    }
  }

  mutating func lost(_ error: RealmFileError) { failure = error.first(of: failure) }

  /// Adds what other objects have.
  package static func += (a: inout IndexedData, b: IndexedData) {
    a.sum += b.sum
    a.hasCapitalX = a.hasCapitalX || b.hasCapitalX
    if let failure = b.failure { a.lost(failure) }
  }
}

extension PairSum {
  /// Adds an object that is in an index under its first chunk.
  @inline(__always)
  mutating func add(firstChunk chunk: Int32, _ key: UInt64) {
    add(UInt64(UInt32(bitPattern: chunk)), key)
  }
}
