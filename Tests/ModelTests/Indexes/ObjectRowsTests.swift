import TestSupport
import Testing

@testable import RealmModel

@Suite("Rows of objects")
struct ObjectRowsTests {
  /// Compares with the places in the list itself.
  private func check(_ keys: [Int64]) {
    var rows = ObjectRows()
    for key in keys { rows.append(ObjectKey(key)) }
    rows.finish()
    #expect(rows.count == keys.count)
    let known = Set(keys)
    for (row, key) in keys.enumerated() {
      #expect(rows.row(of: ObjectKey(key)) == row)
      #expect(rows.key(at: row) == ObjectKey(key))
      for other in [key &- 1, key &+ 1] where !known.contains(other) {
        #expect(rows.row(of: ObjectKey(other)) == nil)
      }
    }
    for other in [Int64.min, -1, .max] where !known.contains(other) {
      #expect(rows.row(of: ObjectKey(other)) == nil)
    }
  }

  @Test("no objects, one, and keys that follow one another")
  func dense() {
    check([])
    check([5])
    check([0])
    check(Array(0..<1000))
  }

  @Test("hashes, as of classes with a primary key")
  func hashes() {
    var random = SplitMix64(seed: 11)
    check(Set((0..<3000).map { _ in Int64(bitPattern: random.next() >> 2) }).sorted())
  }

  @Test("runs of keys far from one another, so that buckets are full or empty")
  func crowded() {
    check(Array(0..<500) + Array((1 << 40)..<((1 << 40) + 500)) + [1 << 61])
  }

  @Test("any order is survived, as damaged trees have it")
  func unordered() {
    var rows = ObjectRows()
    for key in [7, 3, 900, 12, 12, 5000, 1, 6000] as [Int64] { rows.append(ObjectKey(key)) }
    rows.finish()
    for key in -5..<7000 { if let row = rows.row(of: ObjectKey(Int64(key))) { #expect(row < 8) } }
  }
}
