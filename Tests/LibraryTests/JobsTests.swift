import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage
import RealmVerify
import Testing

private let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Fixtures/golden")

/// Collects a result in memory.
private final class MemorySink: OutputSink {
  var bytes: [UInt8] = []
  var isPublished = false

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes.append(contentsOf: bytes) }
  func publish() { isPublished = true }
}

@Suite("Schemas, queries and jobs, as other packages use them")
struct JobsTests {
  private let path = golden.appending(path: "names-v0.realm").path

  @Test("a realm has its classes and properties")
  func schema() throws {
    let realm = try Realm(path: path)
    #expect(try realm.schemaVersion() == 0)
    let person = try #require(realm.objectSchema.objectClass(named: "Person"))
    #expect(person.properties.map(\.name.text) == ["firstName", "lastName", "age"])
    #expect(person.properties.map(\.type) == [.string, .string, .int])
    #expect(person.property(named: "age")?.isOptional == false)
    #expect(person.primaryKey == nil)
  }

  @Test("a query finds the keys of objects, and an error says where it is wrong")
  func query() throws {
    let realm = try Realm(path: path)
    let query = try Query("age > 60", ofClass: "Person", in: realm.objectSchema)
    let found = Set(try query.run(in: realm).keys)
    let people = try #require(try realm.objects(ofClass: "Person"))
    var names: [String?] = []
    while let person = try people.next() {
      if found.contains(person.key) { names.append(try person.value(of: "firstName")?.string) }
    }
    #expect(names == ["Bilbo", "Frodo"])
    let error = #expect(throws: QueryError.self) {
      try Query("age > 60 && weight > 1", ofClass: "Person", in: realm.objectSchema)
    }
    #expect(error?.range == 12..<18)
  }

  @Test("jobs report the classes of a realm, and that it has no errors")
  func reports() throws {
    let info = try InfoJob(path: path, key: nil).run()
    #expect(info.classes.map(\.name) == ["Person"])
    #expect(info.classes.map(\.objectCount) == [3])
    let verified = try VerifyJob(VerifyJob.Request(path: path)).run()
    #expect(verified.count(.error) == 0)
  }

  @Test("an export writes what the reference writes to a sink of another package")
  func export() throws {
    let sink = MemorySink()
    let job = ExportJob(ExportJob.Request(format: .text(.coreJSON)))
    _ = try job.run(
      open: { (access) in
        do throws(RealmFileError) {
          return try Snapshot(path: path, access: access)
        } catch {
          throw error
        }
      },
      makeOutput: { _ in .text(sink) }, canStartOver: false, progress: { _, _ in })
    let text = try Data(contentsOf: golden.appending(path: "names-v0.core-json.json"))
    #expect(sink.bytes == Array(text))
    #expect(sink.isPublished)
  }

  @Test("an encrypted realm opens with its key, and its error without the key says so")
  func key() throws {
    let path = golden.appending(path: "people-encrypted.realm").path
    let file = try KeyFile.read(golden.appending(path: "people-encrypted.key").path)
    #expect(try !Realm(path: path, key: file.key).classNames.isEmpty)
    let error = #expect(throws: RealmFileError.self) { try Realm(path: path) }
    #expect(error?.kind == .keyMissing)
    let jobError = #expect(throws: RealmFileError.self) {
      try InfoJob(path: path, key: nil).run()
    }
    #expect(jobError?.kind == .keyMissing)
  }
}
