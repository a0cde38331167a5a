import Foundation
import RealmCompare
import RealmModel
import RealmStorage
import Testing

@Suite("Comparisons and digests, as other packages use them")
struct CompareTests {
  private static func realm(_ name: String) throws -> Realm {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/golden")
    return try Realm(path: golden.appending(path: "\(name).realm").path)
  }

  @Test("a comparison reports objects with their identities, and counts them")
  func diff() throws {
    let diff = RealmDiff(from: try Self.realm("names-v0"), to: try Self.realm("empty"))
    var removed: [RealmValue] = []
    let report = try diff.run { (event) throws(RealmFileError) in
      guard case .change(let change) = event else { return }
      removed.append(change.identity)
      #expect(change.kind == .removed)
      #expect(change.values.map(\.name.text) == ["firstName", "lastName", "age"])
    }
    #expect(removed == [.int(0), .int(1), .int(2)])
    #expect(!report.isEqual)
    #expect(report.classes.map(\.removed) == [3])
    #expect(report.schemaChanges.count == 1)
  }

  @Test("a realm equals itself, and its digest does not depend on the number of threads")
  func equal() throws {
    let realm = try Self.realm("people")
    let report = try RealmDiff(from: realm, to: realm).run { (_) throws(RealmFileError) in }
    #expect(report.isEqual)
    let hash = try ContentHash(of: RealmSource(realm))
    #expect(try ContentHash(of: RealmSource(realm), jobs: 3).all == hash.all)
    #expect(hash.all?.count == 64)
  }
}
