import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// A migration never leaves a half-migrated realm, loses keys, or has a result that its inverse does not undo.
@Suite("Safety of migrations")
struct MigrationSafetyTests {
  /// Steps that need one pass, several passes, and none over the objects.
  private static let plans = [
    "add-property: {class: Person, name: n, type: string, value: name + '!'}",
    "set-embedded: {class: Note}\nremove-property: {class: Person, name: home}",
    "rename-property: {class: Person, from: name, to: title}",
  ]

  @Test("a fault at any operation loses nothing", arguments: plans)
  func faults(steps: String) throws {
    let world = try MigrationWorld()
    let original = try readFile(world.path)
    let expected = try world.migrate(steps).json
    var (number, replaced, hasFailed) = (0, 0, true)
    while hasFailed {
      let folder = try TemporaryFolder()
      let path = try folder.write(original, to: "a.realm")
      let other = try TemporaryFolder()
      let plan = try other.write(Array(migrationPlan(steps).utf8), to: "plan.yml")
      let faults = Faults(failing: number)
      var isDone = true
      do {
        var job = MigrateJob(
          path: path, key: nil, destination: .inPlace(backup: true),
          source: .plan(path: plan, to: nil))
        job.rewrite.operations = faults.operations
        _ = try job.run()
      } catch {
        isDone = false
      }
      #expect(!isDone || !faults.hasFailed, "operation \(number)")
      let names = Set(try folder.contents().keys)
      if try folder.contents()["a.realm"]?.bytes == Data(original) {
        #expect(names.isSubset(of: ["a.realm", "a.realm.lock"]), "operation \(number)")
      } else {
        replaced += 1
        try expectNoErrors(path)
        #expect(try realmJSON(of: path) == expected)
        #expect(names == ["a.realm", "a.realm.lock", "a.before-migrate.realm"])
      }
      hasFailed = faults.hasFailed
      number += 1
    }
    // The complete run, and the run in which only the folder could not be synced.
    #expect(replaced == 2)
    #expect(number > 8)
  }

  @Test("a dry run writes nothing and reports the same")
  func dryRun() throws {
    let world = try MigrationWorld()
    let steps = Self.plans.joined(separator: "\n")
    let plan = try world.folder.write(Array(migrationPlan(steps).utf8), to: "plan.yml")
    let before = try world.folder.contents()
    func run(isDryRun: Bool) throws -> [Int] {
      try MigrateJob(
        path: world.path, key: nil,
        destination: .file(world.folder.path("out.realm"), replacing: false),
        source: .plan(path: plan, to: nil), isDryRun: isDryRun
      ).run().steps.map(\.changedObjects)
    }
    let counts = try run(isDryRun: true)
    #expect(try world.folder.contents() == before)
    #expect(try run(isDryRun: false) == counts)
  }

  @Test("an encrypted realm stays encrypted, through all stages")
  func encrypted() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copyGolden("people-encrypted.realm")
    let key = try #require(try Golden.key("people-encrypted"))
    let json = try JSONParser.parse(try export(path, as: .json, key: key).bytes)
    let objectClass = try #require(
      json["schema"]?.array?.first { $0["embedded"] == nil }?["name"]?.string)
    let version = (json["realm"]?["schemaVersion"]?.int ?? 0) + 1
    let steps = """
      add-property: {class: \(objectClass), name: added, type: int, value: "1"}
      delete-objects: {class: \(objectClass), where: FALSEPREDICATE}
      """
    let plan = try folder.write(
      Array(migrationPlan(steps, to: version).utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    try MigrateJob(
      path: path, key: key, destination: .file(out, replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified(key: key)
    #expect(throws: (any Error).self) { try export(out, as: .json) }
    let result = try JSONParser.parse(try export(out, as: .json, key: key).bytes)
    let values = result.values(of: objectClass, "added")
    #expect(values.count > 0 && values.allSatisfy { $0?.int == 1 })
  }

  /// Whether the progress of a job grows up to its end, and not beyond.
  private func isComplete(_ progress: [(done: Int, total: Int)]) -> Bool {
    let parts = progress.filter { $0.total > 0 }.map { Double($0.done) / Double($0.total) }
    return parts == parts.sorted() && parts.last ?? 1 == 1
  }

  @Test(
    "progress grows up to the total for any number of passes",
    arguments: [
      plans[0], plans[1], "remove-property: {class: Person, name: home}",
      "delete-objects: {class: Person, where: 'age > 35'}\nset-embedded: {class: Note}\nadd-property: {class: Note, name: n, type: int, value: length(text)}",
    ])
  func progress(steps: String) throws {
    let world = try MigrationWorld()
    let plan = try world.folder.write(Array(migrationPlan(steps).utf8), to: "plan.yml")
    var progress: [(done: Int, total: Int)] = []
    _ = try MigrateJob(
      path: world.path, key: nil,
      destination: .file(world.folder.path("out.realm"), replacing: false),
      source: .plan(path: plan, to: nil)
    ).run { progress.append(($0, $1)) }
    #expect(isComplete(progress), "\(progress)")
  }

  // MARK: Inverses

  /// Pairs of steps that undo each other.
  private static let inverses = [
    (
      "rename-property: {class: Person, from: name, to: q}",
      "rename-property: {class: Person, from: q, to: name}"
    ),
    ("rename-class: {from: Dog, to: Q}", "rename-class: {from: Q, to: Dog}"),
    ("rename-class: {from: Geo, to: R}", "rename-class: {from: R, to: Geo}"),
    (
      "add-property: {class: Dog, name: z, type: string, value: \"'x'\"}",
      "remove-property: {class: Dog, name: z}"
    ),
    ("add-property: {class: Geo, name: z, type: int}", "remove-property: {class: Geo, name: z}"),
    ("set-optional: {class: Person, name: age}", "set-required: {class: Person, name: age}"),
    ("set-optional: {class: Person, name: tags}", "set-required: {class: Person, name: tags}"),
    ("set-optional: {class: Note, name: text}", "set-required: {class: Note, name: text}"),
    ("add-index: {class: Note, name: text}", "remove-index: {class: Note, name: text}"),
    ("set-top-level: {class: Address}", "set-embedded: {class: Address}"),
    (
      "change-type: {class: Person, name: _id, type: string}",
      "change-type: {class: Person, name: _id, type: int}"
    ),
    (
      "change-type: {class: Address, name: street, type: mixed}",
      "change-type: {class: Address, name: street, type: string}"
    ),
    ("remove-primary-key: {class: Person}", "set-primary-key: {class: Person, name: _id}"),
    ("add-class: {name: X, properties: {p: 'Person?'}}", "remove-class: {name: X}"),
  ]

  /// The schema and the objects with properties sorted by name; classes too.
  private func sorted(_ json: JSONValue) -> JSONValue {
    func sort(_ value: JSONValue) -> JSONValue {
      switch value {
      case .object(let members):
        .object(
          members.map { JSONValue.Member($0.name, sort($0.value)) }.sorted { $0.name < $1.name })
      case .array(let elements): .array(elements.map(sort))
      default: value
      }
    }
    let classes = json["schema"]?.array?.map(sort)
      .sorted { ($0["name"]?.string ?? "") < ($1["name"]?.string ?? "") }
    return .array([.array(classes ?? []), sort(json["objects"] ?? .null)])
  }

  /// The first 12 seeds, or as many as `REALM_MIGRATION_SEEDS` says.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["REALM_MIGRATION_SEEDS"].flatMap(UInt64.init) ?? 12)

  @Test("random steps and then their inverses give the original objects", arguments: seeds)
  func inverse(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try MigrationWorld()
    let original = sorted(try realmJSON(of: world.path))
    // Each step once: a second one of the same kind would collide with the new name.
    // Classes are renamed last, so that all steps can name them.
    let some = Self.inverses.shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random))
    let chosen =
      some.filter { !$0.0.hasPrefix("rename-class") }
      + some.filter { $0.0.hasPrefix("rename-class") }
    let there = chosen.map(\.0).joined(separator: "\n")
    let back = chosen.reversed().map(\.1).joined(separator: "\n")
    let steps = there + "\n" + back
    #expect(sorted(try world.migrate(steps, jobs: 1).json) == original, "seed \(seed): \(steps)")
    // In two migrations, too.
    let middle = world.folder.path("middle.realm")
    for (version, (part, source, target)) in [
      (there, world.path, middle), (back, middle, world.folder.path("end.realm")),
    ].enumerated() {
      let plan = try world.folder.write(
        Array(migrationPlan(part, to: version + 4).utf8), to: "plan.yml")
      try MigrateJob(
        path: source, key: nil, destination: .file(target, replacing: true),
        source: .plan(path: plan, to: nil)
      ).runVerified()
    }
    #expect(
      sorted(try realmJSON(of: world.folder.path("end.realm"))) == original,
      "seed \(seed): \(steps)")
  }

  /// Without the realm whose export nests too deep for the tests' own parser.
  private static let realms = Lived.names.filter { $0 != "deep" }

  @Test("lived realms of all formats keep their objects", arguments: realms)
  func lived(name: String) throws {
    let path = Lived.path(name + ".realm")
    let before = try JSONParser.parse(try export(path, as: .json).bytes)
    guard let first = before["schema"]?.array?.first?["name"]?.string else { return }
    let folder = try TemporaryFolder()
    let version = (before["realm"]?["schemaVersion"]?.int ?? 0) + 1
    let plan = try folder.write(
      Array(
        migrationPlan(
          "add-property: {class: \"\(first)\", name: zzz, type: int}\n"
            + "remove-property: {class: \"\(first)\", name: zzz}", to: version
        ).utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    var progress: [(done: Int, total: Int)] = []
    _ = try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: false),
      source: .plan(path: plan, to: nil)
    ).run { progress.append(($0, $1)) }
    try expectNoErrors(out)
    let after = try JSONParser.parse(try export(out, as: .json).bytes)
    #expect(after["schema"] == before["schema"])
    #expect(after["objects"] == before["objects"])
    #expect(isComplete(progress), "\(progress)")
  }
}
