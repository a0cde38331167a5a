import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Few objects among many change. Clusters, indexes and backlinks are then edited, and not built from all objects. What
/// the realm must hold is what an import builds of the same objects.
@Suite("A few objects among many")
struct EditedClusterTests {
  @Test("random changes leave what an import would build", arguments: [20, 22, 23, 24])
  func random(format: Int) throws {
    for seed in UInt64(1)...2 {
      var trial = try EditedRealm(format, seed: seed, count: 1100)
      for round in 0..<4 {
        let comment = "format \(format), seed \(seed), round \(round)"
        try trial.deleteSome(1 + 3 * round)
        try trial.check("deletion: \(comment)")
        try trial.updateSome(1 + round)
        try trial.check("update: \(comment)")
        try trial.importSome(3, new: round)
        try trial.check("import: \(comment)")
        try trial.applySome(2, new: round, deleting: round % 2)
        try trial.check("patch: \(comment)")
      }
    }
  }

  @Test("so do changes to objects with embedded objects, and to encrypted realms")
  func embedded() throws {
    let key = try RealmKey(bytes: [UInt8](repeating: 7, count: 64))
    for (seed, key) in [(UInt64(3), nil), (4, key)] {
      var trial = try EditedRealm(24, seed: seed, count: 700, key: key, hasEmbedded: true)
      for round in 0..<3 {
        try trial.deleteSome(2)
        try trial.check("deletion: seed \(seed), round \(round)")
        try trial.importSome(2, new: 2)
        try trial.check("import: seed \(seed), round \(round)")
        try trial.applySome(2, new: 1, deleting: 1)
        try trial.check("patch: seed \(seed), round \(round)")
      }
    }
  }

  @Test("a class can lose its first clusters, and all its objects")
  func first() throws {
    var trial = try EditedRealm(24, seed: 5, count: 600)
    let names = trial.objects.keys.sorted()
    for names in [Set(names.prefix(300)), Set(names)] {
      trial.delete(names)
      var request = EditRequest(className: "P")
      request.query =
        trial.objects.isEmpty ? "" : names.map { "_id == \"\($0)\"" }.joined(separator: " OR ")
      _ = try DeleteJob(
        path: trial.path, key: nil, destination: .inPlace(backup: false), request: request
      ).run()
      try trial.check("\(trial.objects.count) objects left")
    }
    try trial.importSome(0, new: 2)
    try trial.check("new objects")
  }

  @Test("only the clusters with objects that change are read")
  func readObjects() throws {
    var trial = try EditedRealm(24, seed: 6, count: 1000)
    let name = try #require(trial.objects.keys.min())
    for other in trial.objects.keys {
      trial.objects[other]?.link = nil
      trial.objects[other]?.any = nil
      trial.objects[other]?.list = []
    }
    try trial.build(trial.objects.keys.sorted(), at: trial.path)
    var request = EditRequest(className: "P")
    (request.query, request.expected) = ("_id == \"\(name)\"", 1)
    var most = 0
    _ = try DeleteJob(
      path: trial.path, key: nil, destination: .inPlace(backup: false), request: request
    ).run { most = max(most, $1) }
    // A cluster has 256 objects.
    #expect(most > 0 && most <= 256)
    trial.delete([name])
    try trial.check("deletion")
  }
}

/// A realm, and what it must hold.
private struct EditedRealm {
  /// An object of the class `P`.
  struct Object {
    var number: Int
    var name: String?
    var text: String
    var link: String?
    var list: [String]
    var town: Int?
    /// Links in a mixed value, if the format has them.
    var any: String?
    /// What embedded objects hold, and to what they link.
    var inner: [(number: Int, to: String?)] = []
  }

  private let folder: TemporaryFolder
  private let format: Int
  private let key: RealmKey?
  private let townCount = 40
  var objects: [String: Object] = [:]
  private var random: SplitMix64
  private var made = 0
  private let hasEmbedded: Bool

  var path: String { folder.path("realm.realm") }

  init(
    _ format: Int, seed: UInt64, count: Int, key: RealmKey? = nil, hasEmbedded: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    (self.format, self.key, random) = (format, key, SplitMix64(seed: seed))
    self.hasEmbedded = hasEmbedded
    for _ in 0..<count { add() }
    // Links need all names.
    let names = objects.keys.sorted()
    for name in names { objects[name] = object(linking: names) }
    try build(names, at: path)
  }

  // MARK: The model

  /// Long common beginnings make deep indexes; from 204 bytes on, values share lists.
  private static let beginnings = [
    "", "a", "person number ", "é", String(repeating: "x", count: 204),
    String(repeating: "long ", count: 50),
  ]

  private mutating func add() {
    made += 1
    objects["\(Self.beginnings[made % 5])\(made * 7919 % 10_007)"] = Object(
      number: 0, text: "", list: [])
  }

  /// An object with random values, and with links to some of `names`.
  private mutating func object(linking names: [String]) -> Object {
    func name() -> String? {
      Bool.random(using: &random) ? names.randomElement(using: &random) : nil
    }
    func word() -> String {
      let beginning = Self.beginnings[Int.random(in: 1...3, using: &random)]
      return beginning + "\(Int.random(in: 0..<60, using: &random))"
    }
    var object = Object(
      number: Int.random(in: -3...60, using: &random),
      name: Int.random(in: 0...5, using: &random) == 0
        ? nil
        : Self.beginnings.randomElement(using: &random).map {
          $0 + "\(Int.random(in: 0..<400, using: &random))"
        }, text: (0..<3).map { _ in word() }.joined(separator: " "), link: name(),
      list: (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in name() },
      town: Int.random(in: 0...2, using: &random) == 0
        ? nil : Int.random(in: 0..<townCount, using: &random), any: name())
    if hasEmbedded {
      object.inner = (0..<Int.random(in: 0...2, using: &random)).map { ($0, name()) }
    }
    return object
  }

  mutating func delete(_ names: Set<String>) {
    for (name, var object) in objects {
      guard !names.contains(name) else {
        objects[name] = nil
        continue
      }
      func kept(_ other: String?) -> String? { other.flatMap { names.contains($0) ? nil : $0 } }
      (object.link, object.any) = (kept(object.link), kept(object.any))
      object.list = object.list.compactMap(kept)
      object.inner = object.inner.map { ($0.number, kept($0.to)) }
      objects[name] = object
    }
  }

  func document(_ names: [String]) -> String {
    func text(_ string: String?) -> String { string.map { "\"\($0)\"" } ?? "null" }
    let (hasMixed, hasText) = (format >= 22, format >= 23)
    let properties =
      #""_id":"string","number":{"type":"int","indexed":true},"name":{"type":"string?","indexed":true},"#
      + #""text":{"type":"string"\#(hasText ? #","fulltext":true"# : "")},"link":"P?","list":"P[]","town":"T?""#
      + (hasMixed ? #","any":"mixed""# : "") + (hasEmbedded ? #","inner":"E[]""# : "")
    let embedded =
      hasEmbedded
      ? #",{"name":"E","embedded":true,"properties":{"number":{"type":"int","indexed":true},"to":"P?"}}"#
      : ""
    let all = names.compactMap { name in objects[name].map { (name, $0) } }.map { name, object in
      #"{"_id":"\#(name)","number":\#(object.number),"name":\#(text(object.name)),"text":"\#(object.text)","#
        + #""link":\#(text(object.link)),"list":[\#(object.list.map { text($0) }.joined(separator: ","))],"#
        + #""town":\#(object.town.map { "\($0)" } ?? "null")"#
        + (hasMixed
          ? #","any":\#(object.any.map { #"{"$link":{"class":"P","id":"\#($0)"}}"# } ?? "null")"#
          : "")
        + (hasEmbedded
          ? #","inner":[\#(object.inner.map { #"{"number":\#($0.number),"to":\#(text($0.to))}"# }.joined(separator: ","))]"#
          : "") + "}"
    }
    let towns = (0..<townCount).map { #"{"_id":\#($0)}"# }.joined(separator: ",")
    return #"{"realm":{"format":"realm-json","version":1,"schemaVersion":1},"schema":["#
      + #"{"name":"T","primaryKey":"_id","properties":{"_id":"int"}},"#
      + #"{"name":"P","primaryKey":"_id","properties":{\#(properties)}}\#(embedded)],"#
      + #""objects":{"T":[\#(towns)],"P":[\#(all.joined(separator: ",\n"))]}}"#
  }

  /// Imports objects of the model into a new realm.
  func build(_ names: [String], at path: String) throws {
    var request = ImportJob.Request()
    request.formats = FormatChoice(number: format)
    let text = try folder.write(Array(document(names).utf8), to: "built.json")
    _ = try ImportJob(
      path: text, to: .new(path, replacing: true, key: key), request: request
    ).run()
  }

  // MARK: Changes

  mutating func deleteSome(_ count: Int) throws {
    let names = Set(objects.keys.sorted().shuffled(using: &random).prefix(count))
    var request = EditRequest(className: "P")
    request.query = names.sorted().map { "_id == \"\($0)\"" }.joined(separator: " OR ")
    request.expected = names.count
    _ = try DeleteJob(
      path: path, key: key, destination: .inPlace(backup: false), request: request
    ).run()
    delete(names)
  }

  /// Sets an indexed number and a link.
  mutating func updateSome(_ count: Int) throws {
    let names = objects.keys.sorted().shuffled(using: &random).prefix(count)
    var request = EditRequest(className: "P")
    request.query = names.map { "_id == \"\($0)\"" }.joined(separator: " OR ")
    _ = try UpdateJob(
      path: path, key: key, destination: .inPlace(backup: false), request: request,
      assignments: ["number = number + 1000", "link = null"]
    ).run()
    for name in names {
      objects[name]?.number += 1000
      objects[name]?.link = nil
    }
  }

  /// Names of some objects with new values, and of some new objects.
  private mutating func changed(_ count: Int, new: Int) -> [String] {
    let before = Set(objects.keys)
    for _ in 0..<new { add() }
    let names =
      before.sorted().shuffled(using: &random).prefix(count) + Set(objects.keys).subtracting(before)
    let all = objects.keys.sorted()
    for name in names { objects[name] = object(linking: all) }
    return names.sorted()
  }

  mutating func importSome(_ count: Int, new: Int) throws {
    let names = changed(count, new: new)
    let text = try folder.write(Array(document(names).utf8), to: "added.json")
    _ = try ImportJob(
      path: text,
      to: .existing(ImportJob.Target(path: path, key: key, mode: .upsert))
    ).run()
  }

  mutating func applySome(_ count: Int, new: Int, deleting: Int) throws {
    let (target, patch) = (folder.path("target.realm"), folder.path("some.patch"))
    delete(Set(objects.keys.sorted().shuffled(using: &random).prefix(deleting)))
    _ = changed(count, new: new)
    try build(objects.keys.sorted(), at: target)
    let diff = RealmDiff(
      from: try Realm(path: path, key: key), to: try Realm(path: target, key: key))
    let sink = MemorySink()
    var lines = try PatchLines(to: sink, of: diff)
    _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
    try lines.finish()
    _ = try folder.write(Array(sink.text.utf8), to: "some.patch")
    let report = try ApplyJob(
      Patch(path: patch), to: path, key: key, destination: .inPlace(backup: false)
    ).run()
    #expect(report.conflicts.isEmpty && !report.isRefused)
  }

  /// Checks that the realm has no errors, and has the objects of the model.
  func check(_ comment: String) throws {
    try expectNoErrors(path, key: key)
    let expected = folder.path("expected.realm")
    try build(objects.keys.sorted(), at: expected)
    let diff = RealmDiff(
      from: try Realm(path: expected, key: key), to: try Realm(path: path, key: key))
    var changes: [String] = []
    let report = try diff.run { event in
      if case .change(let change) = event { changes.append("\(change.kind) \(change.identity)") }
    }
    #expect(report.isEqual, "\(comment): \(changes)")
    #expect(try Realm(path: path, key: key).snapshot.fileFormat.number == format)
  }
}
