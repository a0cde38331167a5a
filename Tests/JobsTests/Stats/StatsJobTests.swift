import Foundation
import RealmBuilding
import RealmStorage
import RealmVerify
import TestSupport
import Testing

@testable import RealmInterchange
@testable import RealmJobs
@testable import RealmModel

@Suite("What takes up space in a realm")
struct StatsJobTests {
  private func stats(_ path: String, key: RealmKey? = nil, jobs: Int = 1) throws -> StatsReport {
    var request = StatsJob.Request(path: path)
    (request.key, request.jobs) = (key, jobs)
    return try StatsJob(request).run()
  }

  private func check(_ path: String) throws {
    let report = try stats(path)
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(report.fileByteCount == size)
    #expect(report.parts.reduce(0) { $0 + $1.byteCount } == size)
    #expect(report.parts.allSatisfy { $0.byteCount > 0 })
    // The walk of `verify` opens each node once, too.
    let verified = try VerifyJob(VerifyJob.Request(path: path)).run()
    #expect(report.parts.reduce(0) { $0 + $1.nodeCount } == verified.nodeCount)
    // All nodes belong to a class, except those of the schema and of the whole realm.
    for use in [
      StatsReport.Use.values, .longValues, .collections, .indexes, .backlinks, .tree, .tombstones,
    ] {
      let parts = report.classes.flatMap { $0.parts + $0.properties.flatMap(\.parts) }
      #expect(
        parts.filter { $0.use == use }.reduce(0) { $0 + $1.byteCount } == report.byteCount(of: use))
    }
  }

  @Test("the parts of a golden realm add up to its file", arguments: Golden.names)
  func golden(name: String) throws {
    guard !name.contains("encrypted") else { return }
    try check(Golden.path("\(name).realm"))
  }

  @Test("the parts of a lived realm add up to its file", arguments: Lived.names)
  func lived(name: String) throws { try check(Lived.path("\(name).realm")) }

  @Test("the predicted size is the size after compact", arguments: Golden.names + Lived.names)
  func prediction(name: String) throws {
    guard !name.contains("encrypted") else { return }
    let path =
      Golden.names.contains(name) ? Golden.path("\(name).realm") : Lived.path("\(name).realm")
    let folder = try TemporaryFolder()
    let output = folder.url.appending(path: "compact.realm").path
    _ = try CompactJob(path: path, key: nil, destination: .file(output, replacing: false)).run()
    let size = try FileManager.default.attributesOfItem(atPath: output)[.size] as? Int
    #expect(try stats(path).compactedByteCount == size)
  }

  @Test("the parts of an encrypted realm add up to its file, pages of checksums included")
  func encrypted() throws {
    let key = try Golden.key("people-encrypted")
    let report = try stats(Golden.path("people-encrypted.realm"), key: key)
    #expect(report.fileByteCount == (try Golden.bytes("people-encrypted.realm").count))
    #expect(report.parts.reduce(0) { $0 + $1.byteCount } == report.fileByteCount)
    // A page of checksums for 64 pages of data (chapter 1, section 5.2).
    let pages = report.fileByteCount / 4096
    #expect(report.byteCount(of: .encryption) == (pages + 64) / 65 * 4096)
  }

  @Test(
    "the parts of public realms add up to their files",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var count = 0
    for case let file as URL in try #require(files)
    where file.lastPathComponent.contains("@")
      && !file.deletingLastPathComponent().lastPathComponent.hasPrefix("truth")
    {
      // Old formats, encrypted and damaged realms are refused, which other tests check.
      guard let report = try? stats(file.path) else { continue }
      #expect(report.parts.reduce(0) { $0 + $1.byteCount } == report.fileByteCount, "\(file)")
      count += 1
    }
    #expect(count > 60)
  }

  /// The file of chapter 5, section 7, with the sizes of its nodes: what the chapter leaves out are the fillers AAAA.
  @Test("each byte of the example of format 8 is counted where it belongs")
  func oldExample() throws {
    let filler = "41414141"
    let nodes = [
      "0C000001 7461626C65000002", "02000002 0800000000000000",
      "0C000002 76616C7565000002 7374725F636F6C00", "04000002 0011000000000000",
      "44000003 2838500000000000", "04000001 7B00000000000000",
      "0D000001 7465737420737472 696E670000000004", "06000001 7465737400000000",
      "65000002 9800010000000000", "45000003 70008000A8000000", "45000002 6000B80000000000",
      "45000001 C800000000000000", "45000003 1800D800F1010000",
    ]
    let bytes =
      hexadecimalBytes("FFFFFFFFFFFFFFFF 0000000000000000 542D4442 08000000")
      + nodes.flatMap { hexadecimalBytes(filler + $0) }
      + hexadecimalBytes("E800000000000000 C826E53752123430")
    try #require(bytes.count == 264)
    let folder = try TemporaryFolder()
    let report = try stats(try folder.write(bytes, to: "a.realm"))
    // Header and footer; two columns; keys and root of the index; everything else but columns and index.
    #expect(
      report.parts.map { "\($0.use) \($0.byteCount) \($0.nodeCount)" }
        == ["values 40 2", "indexes 32 2", "schema 152 9", "header 40 0"])
    let table = try #require(report.classes.first)
    #expect(table.objectClass.name.text == "table" && table.objectCount == 1)
    #expect(table.properties.map(\.byteCount) == [16, 24 + 32])
    #expect(table.properties.map(\.type) == ["int", "string?"])
    #expect(table.properties.map { $0.count?.objects } == [1, 1])
    #expect(table.properties.map { $0.count?.valueByteCount } == [8, 11])
  }

  @Test(
    "each byte of a realm of formats 2 to 9 belongs to a node, a free chunk, or the ends of the file",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func oldCorpus() throws {
    var count = 0
    for file in LegacyFile.all {
      let key = file.key
      // Damaged realms are refused, which other tests check.
      guard let report = try? stats(file.path, key: key), 2...9 ~= report.fileFormat else {
        continue
      }
      #expect(report.parts.reduce(0) { $0 + $1.byteCount } == report.fileByteCount, "\(file.path)")
      #expect(report.byteCount(of: .lost) == 0, "\(file.path)")
      let verified = try VerifyJob(VerifyJob.Request(path: file.path, key: key)).run()
      #expect(report.parts.reduce(0) { $0 + $1.nodeCount } == verified.nodeCount, "\(file.path)")
      count += 1
    }
    #expect(count > 60)
  }

  /// The numbers come from the reference's export of the realm.
  @Test("nulls and distinct values of a property are those of the export", arguments: [1, 8])
  func counts(jobs: Int) throws {
    let report = try stats(Golden.path("people.realm"), jobs: jobs)
    let text = try JSONParser.parse(Data(Golden.bytes("people.core-xjson-plus.json")))
    let persons = try #require(text["Person"]?.array)
    let person = try #require(report.classes.first { $0.objectClass.name.text == "Person" })
    #expect(person.objectCount == persons.count)
    for name in ["email", "lastName", "firstName", "age"] {
      let values = persons.compactMap { object in
        object[name].flatMap { $0.isNull ? nil : $0.string ?? $0["$numberLong"]?.string }
      }
      let size = try #require(person.properties.first { $0.property.name.text == name })
      #expect(size.count?.objects == persons.count)
      #expect(size.count?.nulls == persons.count - values.count, "\(name)")
      #expect(size.count?.distinct == Set(values).count, "\(name)")
      #expect(size.count?.isDistinctExact == true)
      if name != "age" {
        #expect(size.count?.valueByteCount == values.reduce(0) { $0 + $1.utf8.count })
      }
    }
    let longest = persons.compactMap { $0["bio"]?.string?.utf8.count }.max()
    let bios = report.largestValues.filter { $0.property == "bio" }
    #expect(bios.allSatisfy { $0.size == longest })
  }

  /// The reference's export of the realm has lists of 200, 600, 1000 and 1400 elements in mixed values.
  @Test("collections in mixed values count among the largest")
  func nestedCollections() throws {
    let report = try stats(Golden.path("nested-mixed.realm"))
    let found = report.largestCollections.filter { $0.property == "any" }.map(\.size)
    #expect(found.prefix(4) == [1400, 1000, 600, 200])
  }

  @Test("the largest collection comes first, with the identity of its object")
  func largest() throws {
    let report = try stats(Golden.path("links.realm"))
    let dogs = try #require(report.largestCollections.first)
    #expect(dogs.className == "Person")
    #expect(dogs.property == "dogs")
    #expect(dogs.size == 1275)
    #expect(dogs.primaryKey.quoted == "64f0c0de0000000cabcdef0c")
    #expect(report.largestObjects.map(\.size) == report.largestObjects.map(\.size).sorted(by: >))
  }

  @Test("a class that does not exist is an error")
  func noSuchClass() throws {
    var request = StatsJob.Request(path: Golden.path("people.realm"))
    request.classes = ["Persona"]
    #expect {
      _ = try StatsJob(request).run()
    } throws: { error in
      guard let error = error as? RequestError else { return false }
      return error.kind == .noSuchClass("Persona")
    }
  }

  @Test("long values are counted, not their nodes")
  func longValues() throws {
    let photo = ObjectClass(
      name: Name("Photo"), properties: [Property(name: Name("image"), type: .binary)])
    func report(values: Int) -> StatsReport {
      let bytes = 40 << 20
      let long = StatsReport.Part(
        use: .longValues, byteCount: bytes, nodeCount: 8, valueCount: values)
      let size = StatsReport.ClassSize(
        objectClass: photo, objectCount: 2,
        properties: [
          StatsReport.PropertySize(
            property: photo.properties[0], type: "data?", parts: [long], count: nil)
        ], parts: [])
      return StatsReport(
        path: "x.realm", fileFormat: 24, isEncrypted: false, version: 2, fileByteCount: bytes,
        parts: [long], classes: [size], largestObjects: [], largestValues: [],
        largestCollections: [], compactedByteCount: bytes, concerns: [])
    }
    #expect(
      StatsConcern.find(in: report(values: 2), isSync: false).map(\.kind)
        == [.longValues(byteCount: 40 << 20, count: 2)])
  }

  @Test("a logical size that includes the footer of a streamed copy")
  func footer() throws {
    var file = HandBuiltStream()
    let names = file.add(flags: 0x08, [])
    let tables = file.add(flags: 0x40, [])
    for footer in [0, 8, 16] {
      let folder = try TemporaryFolder()
      let path = try folder.write(
        file.bytes(names: names, tables: tables, footer: footer), to: "x.realm")
      let report = try stats(path)
      #expect(report.parts.allSatisfy { $0.byteCount > 0 })
      #expect(report.parts.reduce(0) { $0 + $1.byteCount } == report.fileByteCount)
    }
  }

  @Test("a node with two owners is damage")
  func overlap() throws {
    let editor = try RealmEditor("people.realm")
    let first = try editor.clusters("Person")[0]
    let (a, b) = (try editor.child(first, 1), try editor.child(first, 2))
    _ = a
    try editor.set(first, 1, b)
    let folder = try TemporaryFolder()
    let path = try folder.write(editor.bytes, to: "a.realm")
    #expect {
      _ = try stats(path)
    } throws: { error in
      error.fileKind == .damaged(.storageNodeOverlap)
    }
  }
}

/// A streamed copy, node by node.
private struct HandBuiltStream {
  private var body: [UInt8] = []

  /// - Returns: the ref of the node.
  mutating func add(flags: UInt8, _ elements: [Int]) -> Int {
    defer {
      body += node(
        flags: flags | (elements.isEmpty ? 0 : 7), count: elements.count,
        elements.flatMap { littleEndianBytes($0, count: 8) })
    }
    return 24 + body.count
  }

  /// - Parameter footer: bytes of the footer that the logical size includes.
  func bytes(names: Int, tables: Int, footer: Int) -> [UInt8] {
    var file = self
    let size = 24 + file.body.count + 8 + 24 + footer
    let top = file.add(flags: 0x40, [names, tables, size << 1 | 1])
    return Array(repeating: 0xFF, count: 8) + Array(repeating: 0, count: 8) + Array("T-DB".utf8)
      + [24, 0, 0, 0] + file.body + littleEndianBytes(top, count: 8)
      + littleEndianBytes(0x3034_1252_37E5_26C8, count: 8)
  }
}
