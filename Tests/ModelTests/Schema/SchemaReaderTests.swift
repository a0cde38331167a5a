import Foundation
import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Schema reader")
struct SchemaReaderTests {
  /// Leaves out tables that cannot be read.
  private struct LeavingOut: SchemaVisitor {
    var lost: [(rule: Rule, slot: Int, className: String?)] = []

    mutating func visit(names: Node, _ entries: Node) {}
    mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {}
    mutating func visit(_ layout: TableLayout, name: Name) {}
    mutating func lost(
      _ error: RealmFileError, slot: Int, name: Name
    ) throws(RealmFileError) {
      guard case .damaged(let rule) = error.kind else { throw error }
      lost.append((rule, slot, error.className))
    }
  }

  private func read<V: SchemaVisitor>(
    _ bytes: [UInt8], _ visitor: inout V
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    let snapshot = try Snapshot(path: try folder.write(bytes, to: "x.realm"))
    let schema = try SchemaReader(nodes: try snapshot.makeReader()).read(snapshot.top, &visitor)
    return withExtendedLifetime(folder) { schema.tables.map(\.name.text) }
  }

  @Test("columns have the types, keys and targets in the file")
  func columns() throws {
    // people.core-schema.json says the same.
    let realm = try Realm(try Snapshot(path: Golden.path("names-v0.realm")))
    let table = try #require(realm.schema.table(named: "class_Person"))
    #expect(table.className.text == "Person")
    #expect(table.isClass)
    #expect(table.columns.map(\.name.text) == ["firstName", "lastName", "age"])
    #expect(table.columns.map(\.type) == [.string, .string, .int])
    #expect(table.primaryKey == nil)
  }

  @Test("a damaged table stops the reader, or is left out with its class and slot")
  func damage() throws {
    var realm = try EditedRealm(golden: "links.realm")
    var none = NoVisitor()
    let names = try read(realm.bytes, &none)
    let slot = try #require(names.firstIndex(of: "class_Dog"))
    let table = realm.element(slot, of: realm.element(1, of: realm.top))
    // A key that names another slot.
    realm.setSlot(3, of: table, to: 0x7F)
    let error = #expect(throws: RealmFileError.self) { _ = try read(realm.bytes, &none) }
    #expect(error?.kind == .damaged(.tableKey))
    #expect(error?.className == "Dog")
    #expect(error?.detail == "the table in slot \(slot) has a key of slot 127")
    var visitor = LeavingOut()
    #expect(try read(realm.bytes, &visitor) == names.filter { $0 != "class_Dog" })
    #expect(visitor.lost.map(\.rule) == [.tableKey])
    #expect(visitor.lost.map(\.slot) == [slot])
    #expect(visitor.lost.map(\.className) == ["Dog"])
  }

  @Test("tables that share one large spec do not take more memory than the file has bytes")
  func sharedSpec() throws {
    func ints(_ count: Int) -> [Property] {
      (0..<count).map { Property(name: Name("p\($0)"), type: .int) }
    }
    var classes = [ObjectClass(name: Name("Wide"), properties: ints(400))]
    for i in 0..<60 { classes.append(ObjectClass(name: Name("C\(i)"), properties: ints(1))) }
    let built = try BatchSource(schema: ObjectSchema(classes: classes), batches: []).build()
    var realm = EditedRealm(
      Array(try Data(contentsOf: URL(filePath: built.folder.path("x.realm")))))
    var none = NoVisitor()
    #expect(try read(realm.bytes, &none).count == classes.count)
    let tables = realm.element(1, of: realm.top)
    typealias Slot = TableLayout.Slot
    for slot in [Slot.spec, Slot.indexes, Slot.oppositeTables, Slot.oppositeColumns] {
      let shared = realm.element(slot, of: realm.element(0, of: tables))
      for table in 1..<classes.count {
        realm.setElement(slot, of: realm.element(table, of: tables), to: shared)
      }
    }
    let error = #expect(throws: RealmFileError.self) { _ = try read(realm.bytes, &none) }
    #expect(error?.kind == .damaged(.storageNodeOverlap))
  }
}
