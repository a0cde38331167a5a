import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Values of objects that a program keeps. A collection that is too large for a batch is read from the file when
/// its value is requested.
@Suite("Values of large collections")
struct LargeValueTests {
  private let strings = (0..<100_000).map { "string \($0)" }

  private func realm(key: RealmKey?) throws -> BuiltRealm {
    let list = Property(name: Name("strings"), type: .string, collection: .list)
    return try BatchSource(
      schema: ObjectSchema(classes: [ObjectClass(name: Name("C"), properties: [list])]),
      batches: [
        ObjectBatch(
          classPosition: 0,
          columns: [.lists(ends: [strings.count], elements: .strings(strings))])
      ]
    ).build(key: key)
  }

  private func object(_ built: BuiltRealm, key: RealmKey?) throws -> RealmObject {
    let realm = try Realm(Snapshot(path: built.path, key: key, cacheByteCount: 1 << 20))
    let objects = try #require(try realm.objects(ofClass: "C"))
    return try #require(try objects.next())
  }

  @Test("several tasks read one collection at the same time", arguments: [false, true])
  func concurrent(isEncrypted: Bool) async throws {
    let key = isEncrypted ? try RealmKey.random() : nil
    let built = try realm(key: key)
    let object = try object(built, key: key)
    let expected = RealmValue.list(strings.map { .string($0) })
    let areEqual = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try object.value(of: "strings") == expected } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(areEqual == Array(repeating: true, count: 8))
  }

  @Test("a collection that another process overwrote is not reported as damage")
  func changed() throws {
    let built = try realm(key: nil)
    let object = try object(built, key: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: built.path))
    try file.write(contentsOf: Golden.bytes("people.realm"))
    try file.close()
    #expect(throws: RealmFileError(.changedWhileReading, path: built.path)) {
      try object.value(of: "strings")
    }
  }
}
