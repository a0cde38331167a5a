import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Values of objects that a program keeps: collections that are too large for a batch are read from the file when
/// they are asked for.
@Suite("Values of large collections")
struct LargeValueTests {
  private let folder: TemporaryFolder
  private let texts = (0..<100_000).map { "text \($0)" }

  init() throws { folder = try TemporaryFolder() }

  private func realm(key: RealmKey?) throws -> String {
    let schema =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"C","#
      + #""properties":{"texts":"string[]"}}],"objects":{"C":[{"texts":["#
    let text = schema + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]}]}}"
    let path = folder.path("large.realm")
    _ = try ImportJob(
      path: try folder.write(Array(text.utf8), to: "large.json"),
      to: .new(path, replacing: true, key: key)
    ).run()
    return path
  }

  private func object(_ path: String, key: RealmKey?) throws -> RealmObject {
    let realm = try Realm(Snapshot(path: path, key: key, cacheByteCount: 1 << 20))
    let objects = try #require(try realm.objects(ofClass: "C"))
    return try #require(try objects.next())
  }

  @Test("several tasks read one at the same time", arguments: [false, true])
  func concurrent(isEncrypted: Bool) async throws {
    let key = isEncrypted ? try RealmKey.random() : nil
    let object = try object(try realm(key: key), key: key)
    let expected = RealmValue.list(texts.map { .string($0) })
    let areEqual = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try object.value(of: "texts") == expected } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(areEqual == Array(repeating: true, count: 8))
  }

  @Test("one that another process overwrote is no damage")
  func changed() throws {
    let path = try realm(key: nil)
    let object = try object(path, key: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Golden.bytes("people.realm"))
    try file.close()
    #expect(throws: RealmFileError(.changedWhileReading, path: path)) {
      try object.value(of: "texts")
    }
  }
}
