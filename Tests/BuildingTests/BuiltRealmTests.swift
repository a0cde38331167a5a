import RealmBuilding
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

/// Realms of the reference, rebuilt from their objects: the result exports the same, and breaks no rule.
@Suite("Realms rebuilt from objects")
struct BuiltRealmTests {
  /// How links name their targets.
  enum Links: CaseIterable {
    /// By object key; embedded objects are a class like any other.
    case keys
    /// By object key; embedded objects are nested in their owners.
    case nested
    /// By primary key if the class has one, as in an imported file; such objects have no keys.
    case identities
  }

  /// Rules that the objects themselves break.
  private static let inherent: Set<Rule> = [
    .schemaAsymmetricLocal, .schemaEmbeddedCycle, .indexCapitalX, .leafUtf8,
  ]

  private static let sources =
    Golden.names.map { Golden.path("\($0).realm") } + Lived.names.map { Lived.path("\($0).realm") }

  private func key(_ path: String) throws -> RealmKey? {
    path == Golden.path("people-encrypted.realm") ? try Golden.key("people-encrypted") : nil
  }

  /// Builds a realm at `target` from the objects of the realm at `path`.
  private func build(
    _ path: String, _ links: Links, to target: String, jobs: Int = 2, key: RealmKey? = nil,
    _ change: (inout RealmBuilder.Request) -> Void = { _ in }
  ) throws {
    let realm = try Realm(path: path, key: try self.key(path))
    var request = ObjectRequest()
    request.links = links == .identities ? .identities : .keys
    request.embedded = links == .keys ? .asClass : .nested
    let source = RealmSource(
      realm, request, classes: links == .keys ? realm.schema.objects.appClasses : nil)
    var build = RealmBuilder.Request()
    build.schemaVersion = try realm.schemaVersion()
    build.jobs = jobs
    change(&build)
    let file = try OutputFile(path: target, replacing: false)
    let builder = RealmBuilder(into: try RealmOutput(.file(file), key: key), build)
    if links == .identities {
      let stripped = TransformedSource(source, by: KeyStripping(schema: source.schema))
      try run(stripped, builder, jobs: jobs)
    } else {
      try run(source, builder, jobs: jobs)
    }
    try file.publish()
  }

  private func run<Source: ObjectSource>(
    _ source: Source, _ builder: RealmBuilder, jobs: Int
  ) throws {
    do throws(RoadError<Source.Failure, BuildError>) {
      _ = try ObjectRoad(from: source, to: builder, jobs: jobs).run()
    } catch {
      if case .sink(let failure) = error { throw failure }
      throw error
    }
  }

  @Test(
    "the export is the same, and verify finds nothing", arguments: sources, Links.allCases)
  func roundTrip(path: String, links: Links) throws {
    let folder = try TemporaryFolder()
    let target = folder.path("x.realm")
    do {
      try build(path, links, to: target)
    } catch let error as BuildError {
      // The reference leaves embedded objects without an owner behind; as objects of a class they are read, too.
      return #expect(links == .keys && error.kind == .embeddedOwners(count: 0), "\(error)")
    }
    let report = try VerifyJob(VerifyJob.Request(path: target, jobs: 2)).run()
    #expect(Set(report.findings.map(\.rule)).subtracting(BuiltRealmTests.inherent) == [])
    let text = try export(path, as: .json, jobs: 2, key: try key(path)).bytes
    #expect(try export(target, as: .json, jobs: 2).bytes == text)
  }

  @Test(
    "the file is the same for any number of threads and any memory",
    arguments: ["people", "links", "nested-mixed", "indexes", "all-types"], Links.allCases)
  func determinism(name: String, links: Links) throws {
    let folder = try TemporaryFolder()
    var files: [FileBytes] = []
    for (jobs, limit) in [(1, 256 << 20), (8, 256 << 20), (3, 1)] {
      let target = folder.path("\(jobs).realm")
      try build(Golden.path("\(name).realm"), links, to: target, jobs: jobs) {
        $0.memoryByteCount = limit
      }
      files.append(try FileBytes(target))
    }
    #expect(files[1] == files[0])
    #expect(files[2] == files[0])
  }

  @Test("an index on lists has null and words that begin with zeros, which share entries")
  func nullAndZeros() throws {
    let zeros = String(repeating: "\\u0000", count: 8)
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"A","primaryKey":"_id","properties":{"_id":"int","words":{"type":"string?[]","indexed":true}}}],
      "objects":{"A":[{"_id":1,"words":[null,"b"]},{"_id":2,"words":["\(zeros)tail"]},{"_id":3,"words":["\(zeros)",null]}]}}
      """
    let folder = try TemporaryFolder()
    try expectNoErrors(try folder.importRealm(text))
  }

  @Test("an encrypted realm has the same objects")
  func encrypted() throws {
    let folder = try TemporaryFolder()
    let key = try RealmKey.random()
    let path = Golden.path("people.realm")
    try build(path, .keys, to: folder.path("x.realm"), key: key)
    let text = try export(path, as: .json).bytes
    #expect(try export(folder.path("x.realm"), as: .json, key: key).bytes == text)
    let report = try VerifyJob(
      VerifyJob.Request(path: folder.path("x.realm"), key: key)
    ).run()
    #expect(report.findings == [])
  }

  /// The bytes of a file, which a failed comparison does not print.
  private struct FileBytes: Equatable {
    let bytes: [UInt8]
    init(_ path: String) throws {
      let file = try FileDescriptor.openForReading(path)
      bytes = try file.read(at: 0, count: try file.size())
    }
  }
}

/// Removes what an imported file does not have: keys of objects with a primary key and of link targets.
private struct KeyStripping: ObjectTransform {
  typealias Failure = Never
  let schema: ObjectSchema

  func transform(_ schema: ObjectSchema) -> ObjectSchema { schema }

  func transform(_ batch: ObjectBatch) -> ObjectBatch {
    let hasPrimaryKey = schema.classes[batch.classPosition].primaryKey != nil
    return ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: hasPrimaryKey ? [] : batch.keys,
      columns: batch.columns.map { $0.map(stripped) }, owner: batch)
  }

  private func stripped(_ values: ColumnValues) -> ColumnValues {
    switch values {
    case .scalar: return values
    case .link(var links):
      if links.identities != nil { links.keys = [] }
      return .link(links)
    case .embedded(var objects):
      objects.objects = transform(objects.objects)
      return .embedded(objects)
    case .mixed(let mixed): return .mixed(stripped(mixed))
    case .collection(var collection):
      collection.elements = stripped(collection.elements)
      return .collection(collection)
    }
  }

  private func stripped(_ mixed: MixedColumn) -> MixedColumn {
    var mixed = mixed
    mixed.links = mixed.links.map {
      MixedColumn.Link(
        target: $0.target, key: $0.identity == nil ? $0.key : nil, identity: $0.identity,
        isUnresolved: $0.isUnresolved)
    }
    if let lists = mixed.lists { mixed.lists?.elements = stripped(lists.elements) }
    if let entries = mixed.dictionaries {
      mixed.dictionaries?.elements = stripped(entries.elements)
    }
    return mixed
  }
}
