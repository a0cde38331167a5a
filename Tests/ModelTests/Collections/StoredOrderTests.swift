import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// The order of chapter 2, section 6.3: by kind of value, numbers of all types among each other.
@Suite("Order of sets")
struct StoredOrderTests {
  private static let ascending: [MixedValue] = [
    .null, .bool(false), .bool(true), .double(-.infinity), .int(-1), .float(0.5), .int(1),
    .double(1.5), .int(2), .timestamp(seconds: 0, nanoseconds: 1),
    .timestamp(seconds: 1, nanoseconds: 0), .typedLink(TableKey(1), ObjectKey(5)),
    .typedLink(TableKey(2), ObjectKey(0)), .link(ObjectKey(0)),
  ]

  @Test("each value is below all that follow it, and equal to itself")
  func order() {
    let values = StoredOrderTests.ascending
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        #expect(StoredOrder.current.compare(a, b) == (i < j ? -1 : i > j ? 1 : 0), "\(a), \(b)")
      }
    }
  }

  @Test("equal numbers of any type are one member; the first one stays")
  func duplicates() {
    let members: [MixedValue] = [.double(2), .int(1), .int(2), .float(1)]
    let sorted = StoredOrder.current.sorted(members, keepingDuplicates: false)
    #expect(sorted.members.map { "\($0)" } == ["int(1)", "double(2.0)"])
    #expect(sorted.duplicates == 2)
    #expect(StoredOrder.current.sorted(members, keepingDuplicates: true).members.count == 4)
  }
}
