import RealmModel
import RealmStorage

/// The expected content of an index, as a sum over pairs of number and object key. The number is the hash
/// of a word, or the number that ``IndexMethod`` computes for a value.
struct IndexedData: Sendable {
  private(set) var sum = PairSum()
  /// The first reason why values cannot be read.
  private(set) var failure: RealmFileError?
  /// Whether an object has an ambiguous word, see ``ObjectWords/hasAmbiguousWord``.
  private(set) var hasAmbiguousWord = false

  /// Adds the words of an object.
  mutating func add(_ words: ObjectWords, of key: UInt64) {
    for hash in words.hashes { sum.add(hash, key) }
    if words.hasAmbiguousWord { hasAmbiguousWord = true }
  }

  /// Adds the values of objects.
  mutating func add(_ batch: LeafValues, _ keys: [ObjectKey], _ method: IndexMethod) {
    var sum = sum
    IndexData.forEach(in: batch) { row, data in
      sum.add(method.number(of: data), UInt64(bitPattern: keys[row].raw))
    }
    self.sum = sum
  }

  /// Records that values cannot be read.
  mutating func lost(_ error: RealmFileError) { failure = error.first(of: failure) }

  /// Adds the data of other objects.
  static func += (a: inout IndexedData, b: IndexedData) {
    a.sum += b.sum
    a.hasAmbiguousWord = a.hasAmbiguousWord || b.hasAmbiguousWord
    if let failure = b.failure { a.lost(failure) }
  }
}
