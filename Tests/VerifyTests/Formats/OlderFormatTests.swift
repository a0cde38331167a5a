import RealmBuilding
import RealmJobs
import RealmVerify
import TestJobs
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// Realms of formats before 24 as the builder writes them, and with one defect each.
@Suite("Checks of formats before 24")
struct OlderFormatTests {
  // MARK: What we write

  private static let sources =
    Golden.names.map { Golden.path("\($0).realm") } + Lived.names.map { Lived.path("\($0).realm") }

  /// Rules that realms converted to an older format can break although their source does not: the reference would
  /// write the same.
  private static let inherent: Set<Rule> = [.schemaAsymmetricLocal, .schemaEmbeddedCycle]

  @Test(
    "realms converted to an older format break no rule that their source keeps",
    arguments: [20, 22, 23])
  func converted(format: Int) throws {
    let folder = try TemporaryFolder()
    var count = 0
    for source in OlderFormatTests.sources {
      let target = folder.path("\(count).realm")
      let key = source.hasSuffix("-encrypted.realm") ? try Golden.key("people-encrypted") : nil
      let number = try Realm(path: source, key: key).snapshot.format
      guard number != format else { continue }
      do {
        _ = try UpgradeJob(
          path: source, key: key, destination: .file(target, replacing: false), format: format,
          allowsOlder: true
        ).run()
      } catch let error as RebuildError {
        guard case .unsupported = error.error.kind else { throw error }
        continue
      } catch let error as RequestError {
        guard case .historyTooNew = error.kind else { throw error }
        continue
      }
      count += 1
      func rules(_ path: String) throws -> Set<Rule> {
        let report = try VerifyJob(VerifyJob.Request(path: path, key: key)).run()
        return Set(report.findings.filter { $0.severity > .note }.map(\.rule))
      }
      let added = try rules(target).subtracting(try rules(source))
        .subtracting(OlderFormatTests.inherent)
      #expect(added == [], "\(source)")
    }
    // Some realms have what the format lacks.
    #expect(count > 10)
  }

  // MARK: Realms by hand

  private func property(
    _ name: String, _ type: PropertyType, _ collection: CollectionKind? = nil,
    index: PropertyIndex? = nil, target: Int? = nil
  ) -> Property {
    Property(
      name: Name(name), type: type,
      isOptional: type == .mixed || type == .link && collection == nil, collection: collection,
      target: target, index: index)
  }

  /// A realm of one class with one property.
  private func build(
    _ number: Int, _ property: Property, _ column: BatchColumn, primaryKey: Int? = nil,
    isSigned: Bool = true, isWide: Bool = true
  ) throws -> BuiltRealm {
    let bag = ObjectClass(name: Name("Bag"), properties: [property], primaryKey: primaryKey)
    var request = RealmBuilder.Request()
    request.format = try #require(FileFormat(number))
    request.platform.hasSignedCharacters = isSigned
    request.platform.hasWideHashes = isWide
    request.schemaVersion = 0
    return try BatchSource(
      schema: ObjectSchema(classes: [bag]),
      batches: [ObjectBatch(classPosition: 0, columns: [column])]
    ).build(request)
  }

  /// The findings about the realm as it is after `edit`, without notes.
  private func findings(
    _ built: BuiltRealm, _ edit: (RealmEditor) throws -> Void = { _ in }
  ) throws -> [Finding] {
    let editor = try RealmEditor(path: built.path)
    try edit(editor)
    return try editor.verify().findings.filter { $0.severity > .note }
  }

  private func rules(
    _ built: BuiltRealm, _ edit: (RealmEditor) throws -> Void = { _ in }
  ) throws -> [String] {
    try findings(built, edit).map(\.rule.rawValue)
  }

  /// Makes a realm of format 24 one of another format, without changing anything else.
  private func rename(_ editor: RealmEditor, to format: UInt8) {
    (editor.bytes[20], editor.bytes[21]) = (format, format)
  }

  /// The messages about `rule` in a golden realm whose header names another format.
  private func messages(_ rule: String, _ name: String, as format: UInt8) throws -> [String] {
    let editor = try RealmEditor(name + ".realm")
    rename(editor, to: format)
    return try editor.verify().findings.filter { $0.rule.rawValue == rule }.map(\.message)
  }

  // MARK: Dictionaries

  private func dictionary(
    _ keys: [String], _ number: Int = 22, isSigned: Bool = true, isWide: Bool = true
  ) throws -> BuiltRealm {
    try build(
      number, property("counts", .int, .dictionary),
      .dictionaries(
        ends: [keys.count], keys: keys, elements: .ints(keys.indices.map { Int64($0) })),
      isSigned: isSigned, isWide: isWide)
  }

  /// Keys with the same hash of 32 bits, found with the reference's function.
  private static let colliding = ["k1078411", "k4328117", "k5817459"]

  @Test("an entry that is not under the hash of its key", arguments: [true, false])
  func hash(isWide: Bool) throws {
    let built = try dictionary(["one", "two", "three"], isWide: isWide)
    #expect(try rules(built) == [])
    #expect(
      try rules(built) { editor in
        let keys = try editor.child(editor.root("counts", of: "Bag"), 1)
        editor.bytes[keys + 8] ^= 1
      } == ["dictionary.hash"])
  }

  @Test("entries with the same hash are in the list of the first one")
  func collisions() throws {
    let built = try dictionary(["a"] + OlderFormatTests.colliding + ["b"], isWide: false)
    #expect(try rules(built) == [])
    let values = try built.objects("Bag")
    #expect(values.count == 1)
    if case .dictionary(let entries) = values[0].values[0] { #expect(entries.count == 5) }
    // On other platforms, these hashes differ.
    #expect(try rules(try dictionary(OlderFormatTests.colliding)) == [])
    let lists = try findings(built) { editor in
      let root = try editor.root("counts", of: "Bag")
      let lists = try editor.node(try editor.child(root, 3))
      let row = try #require((0..<lists.count).first { lists.integer(at: $0) != 0 })
      let list = try lists.ref(at: row)
      #expect(try editor.node(list).count == 2)
      try editor.set(list, 0, Int(try editor.node(list).integer(at: 0)) - 100)
    }
    #expect(lists.map(\.rule.rawValue) == ["dictionary.hash"])
    #expect(lists.first?.message.hasPrefix("1 of 5 entries") == true)
  }

  @Test("the keys of a dictionary of format 23 ascend on one platform", arguments: [true, false])
  func characters(isSigned: Bool) throws {
    let built = try dictionary(["aa", "é", "zz"], 23, isSigned: isSigned)
    #expect(try rules(built) == [])
    #expect(
      try rules(built) { editor in
        // Now neither order holds: "zz" is before or after both others.
        let keys = try editor.node(try editor.child(editor.root("counts", of: "Bag"), 0))
        try swap(keys, isSigned ? (1, 2) : (0, 1), editor)
      } == ["dictionary.order"])
  }

  /// Exchanges two strings of a leaf of short ones.
  private func swap(_ leaf: Node, _ rows: (Int, Int), _ editor: RealmEditor) throws {
    #expect(!leaf.hasRefs && leaf.width > 1)
    let (a, b) = (leaf.ref + 8 + rows.0 * leaf.width, leaf.ref + 8 + rows.1 * leaf.width)
    for i in 0..<leaf.width { editor.bytes.swapAt(a + i, b + i) }
  }

  // MARK: Sets

  @Test("the members of a set ascend on one platform", arguments: [22, 23], [true, false])
  func sets(format: Int, isSigned: Bool) throws {
    let built = try build(
      format, property("words", .string, .set),
      .lists(ends: [3], elements: .strings(["aa", "é", "zz"])), isSigned: isSigned)
    #expect(try rules(built) == [])
    let broken = try findings(built) { editor in
      let root = try editor.node(try editor.root("words", of: "Bag"))
      try swap(root, isSigned ? (1, 2) : (0, 1), editor)
    }
    #expect(broken.map(\.rule.rawValue) == ["set.order"])
    #expect(broken.map(\.severity) == [.error])
  }

  private func mixedSet(_ number: Int, _ values: [BatchValue]) throws -> BuiltRealm {
    try build(
      number, property("any", .mixed, .set),
      .lists(ends: [values.count], elements: BatchColumn(.mixed(MixedColumn(values: values)))))
  }

  private func string(_ text: String) -> BatchValue { .string(lastingSlice(text.utf8)) }
  private func binary(_ text: String) -> BatchValue { .binary(lastingSlice(text.utf8)) }

  @Test("strings of a set of mixed values are collated", arguments: [22, 23])
  func collated(format: Int) throws {
    let values = [string("a"), string("B"), .int(3), .bool(true), .null]
    #expect(try rules(try mixedSet(format, values)) == [])
    // In format 24, capital letters come first.
    let broken = try findings(try mixedSet(24, values)) { rename($0, to: UInt8(format)) }
    let orders = broken.filter { $0.rule.rawValue == "set.order" }
    #expect(orders.map(\.severity) == [.error])
  }

  @Test("strings and binaries of format 22 are where libraries look for them")
  func mixtures() throws {
    let values = [string("a"), binary("b"), string("c"), binary("d"), .int(1)]
    #expect(try rules(try mixedSet(22, values)) == [])
    #expect(try rules(try mixedSet(23, values)) == [])
    let other = [string("a"), string("z"), binary("b"), binary("c"), .int(1)]
    let broken = try findings(try mixedSet(23, other)) { rename($0, to: 22) }
    let orders = broken.filter { $0.rule.rawValue == "set.order" }
    #expect(orders.map(\.severity) == [.warning])
    let message = orders.first?.message ?? ""
    #expect(message.hasSuffix("members are not where libraries look for them"), "\(message)")
  }

  /// If one after the other is inserted in the order of format 24, the last one hides another.
  @Test("a member of a set of format 22 that others would hide is inserted after them")
  func hiddenMember() throws {
    let values = [string("DD"), string("c"), binary("D"), binary("a"), binary("aD")]
    #expect(try rules(try mixedSet(22, values)) == [])
  }

  // MARK: Primary keys

  @Test("the object keys of format 20 are the hashes of the primary keys, or in the collision map")
  func primaryKeys() throws {
    // The second number has the same lower 62 bits as the first one.
    let numbers: [Int64] = [100, 100 + 1 << 62, 7, 9]
    let current = try build(24, property("_id", .int), .ints(numbers), primaryKey: 0)
    let target = current.folder.path("20.realm")
    _ = try UpgradeJob(
      path: current.path, key: nil, destination: .file(target, replacing: false), format: 20,
      allowsOlder: true
    ).run()
    let editor = try RealmEditor(path: target)
    #expect(try editor.broken() == [:])
    let leaf = try editor.leaf("_id", of: "Bag")
    let node = try editor.node(leaf)
    let row = try #require((0..<node.count).first { node.integer(at: $0) == 7 })
    try editor.set(leaf, row, 8)
    #expect(try editor.broken() == ["key.hash": 1])
    // Without the map, the second number is not found.
    try editor.set(leaf, row, 7)
    try editor.set(editor.table("Bag").ref, TableLayout.Slot.collisions, 0)
    #expect(try editor.broken() == ["key.hash": 1, "storage.leak": 1])
  }

  // MARK: What a format lacks

  @Test("classes, properties and indexes that a format lacks")
  func lacks() throws {
    #expect(
      try messages("spec.format", "indexes", as: 23).allSatisfy {
        $0 == "format 23 has no indexes of lists"
      })
    #expect(try !messages("spec.format", "indexes", as: 23).isEmpty)
    #expect(
      try messages("spec.format", "asymmetric", as: 20).contains(
        "format 20 has no asymmetric classes"))
    let all = Set(try messages("spec.format", "all-types", as: 20))
    #expect(
      all.isSuperset(of: [
        "format 20 has no sets", "format 20 has no dictionaries",
        "format 20 has no properties of type uuid", "format 20 has no properties of type mixed",
      ]))
  }

  @Test("leaves of mixed values and lists of links have the form of their format")
  func forms() throws {
    #expect(
      try messages("mixed.format", "all-types", as: 23).contains(
        "the leaf has 6 slots in format 23, expected 4"))
    #expect(
      try messages("spec.types", "links", as: 23).first
        == "the column key of the list of links has type 12, expected 13")
  }

  @Test("a list of backlinks before format 24 is one array", arguments: [0, 5])
  func backlinks(key: Int64) throws {
    let count = 1200
    let bag = ObjectClass(
      name: Name("Bag"), properties: [property("all", .link, .list, target: 0)])
    let batch = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(key)],
      columns: [
        .lists(
          ends: [count],
          elements: .links(to: 0, keys: Array(repeating: ObjectKey(key), count: count)))
      ])
    let source = BatchSource(schema: ObjectSchema(classes: [bag]), batches: [batch])
    var request = RealmBuilder.Request()
    #expect(
      try rules(try source.build(request)) { rename($0, to: 23) }.contains("backlink.array"))
    request.format = try #require(FileFormat(23))
    #expect(try rules(try source.build(request)) == [])
  }

  // MARK: Indexes

  @Test("long strings in one list of an index ascend on one platform", arguments: [true, false])
  func indexes(isSigned: Bool) throws {
    let start = String(repeating: "x", count: 300)
    let column = BatchColumn.strings(["b", "é", "a", "z"].map { start + $0 })
    let indexed = property("text", .string, index: .search)
    let built = try build(23, indexed, column, isSigned: isSigned)
    #expect(try rules(built) == [])
    #expect(try rules(try build(24, indexed, column)) == [])
    let current = Set(try rules(built) { rename($0, to: 24) }).subtracting(["top.history-schema"])
    #expect(current == (isSigned ? ["index.list-value-order"] : []))
  }

  /// Example: libraries of format 23 look for the place of a key by the whole text of its object.
  @Test(
    "keys in a list of a full-text index ascend from format 24 on",
    arguments: zip([23, 24], [[], ["index.list-order"]]))
  func wordLists(format: Int, expected: [String]) throws {
    let built = try build(
      format, property("text", .string, index: .fulltext),
      .strings(["one two", "two", "two three"]))
    #expect(try rules(built) == [])
    #expect(
      try rules(built) { editor in
        // The keys 0, 1, 2 of the word "two", of two bits each (chapter 2, section 1.1).
        let list: [UInt8] = [0x41, 0x41, 0x41, 0x41, 0x02, 0, 0, 3, 0b10_01_00]
        let places = (0..<editor.bytes.count - list.count).filter {
          editor.bytes[$0..<$0 + list.count].elementsEqual(list)
        }
        try #require(places.count == 1)
        editor.bytes[places[0] + 8] = 0b01_10_00
      } == expected)
  }
}
