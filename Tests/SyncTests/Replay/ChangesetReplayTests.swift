import RealmBuilding
import RealmModel
import RealmQuery
import RealmStorage
import Testing

@testable import RealmSync
@testable import TestSupport

@Suite("Replay of changesets")
struct ChangesetReplayTests {
  private func name(_ text: String) -> Instruction.InternedName {
    Instruction.InternedName(Array(text.utf8))
  }

  private func place(_ field: String, _ path: Instruction.Step...) -> Instruction.Place {
    Instruction.Place(table: name("A"), key: .int(1), field: name(field), path: path)
  }

  private func column(
    _ field: String, _ type: Instruction.ValueType, _ collection: Instruction.Collection = .none,
    target: String? = nil, of table: String = "A", isNullable: Bool = false
  ) -> Instruction {
    .addColumn(
      Instruction.NewColumn(
        table: name(table), name: name(field), type: type, isNullable: isNullable,
        collection: collection, target: target.map { name($0) },
        keyType: collection == .dictionary ? .string : nil))
  }

  /// Classes `A` with a property of each kind, and `E`, which is embedded; an object 1 of `A`.
  private var start: [Instruction] {
    [
      .addTable(
        name: name("A"), kind: .topLevel,
        primaryKey: Instruction.PrimaryKeyColumn(name: name("_id"), type: .int, isNullable: false)),
      .addTable(name: name("E"), kind: .embedded, primaryKey: nil),
      column("x", .int, of: "E"), column("more", .link, target: "E", of: "E", isNullable: true),
      column("i", .int), column("list", .string, .list), column("set", .int, .set),
      column("dict", .int, .dictionary), column("any", .null, isNullable: true),
      column("link", .link, target: "A", isNullable: true),
      column("links", .link, .list, target: "A"),
      column("e", .link, target: "E", isNullable: true), column("es", .link, .list, target: "E"),
      .createObject(table: name("A"), key: .int(1)),
    ]
  }

  /// The properties of object 1 after `instructions`.
  private func values(_ instructions: [Instruction]) throws -> [String: RealmValue] {
    let replay = ChangesetReplay()
    // Two changesets: names are local to each.
    try replay.apply(ChangesetEncoder.encode(start))
    try replay.apply(ChangesetEncoder.encode(instructions))
    let source = ReplayedObjects(replay)
    var values: [String: RealmValue] = [:]
    for part in source.parts() {
      var cursor = source.makeCursor()
      cursor.open(part)
      let next = cursor.next()
      let batch = try #require(next)
      for row in 0..<batch.count where try batch.value(ofProperty: 0, row: row) == .int(1) {
        for (i, property) in source.schema.classes[part.classPosition].properties.enumerated() {
          values[property.name.text] = try batch.value(ofProperty: i, row: row)
        }
      }
      let report = cursor.close()
      #expect(report.objectCount == batch.count)
    }
    return values
  }

  private func insert(_ text: String, _ index: Int, _ size: Int) -> Instruction {
    .arrayInsert(place("list", .index(index)), .string(Array(text.utf8)), priorSize: size)
  }

  @Test("a new object has the default values")
  func defaults() throws {
    #expect(
      try values([]) == [
        "_id": .int(1), "i": .int(0), "list": .list([]), "set": .list([]),
        "dict": .dictionary([]), "any": .null, "link": .null, "links": .list([]), "e": .null,
        "es": .list([]),
      ])
  }

  @Test("elements of lists are inserted, set, moved and removed")
  func lists() throws {
    let values = try values([
      insert("a", 0, 0), insert("c", 1, 1), insert("b", 1, 2), insert("d", 3, 3),
      .arrayMove(place("list", .index(0)), destination: 2, priorSize: 4),
      .update(place("list", .index(0)), .string([0x42]), .element(priorSize: 4)),
      .arrayErase(place("list", .index(1)), priorSize: 4),
    ])
    // a c → a b c → a b c d → b c a d → B c a d → B a d
    #expect(values["list"] == .list([.string("B"), .string("a"), .string("d")]))
    #expect(try self.values([insert("a", 0, 0), .clear(place("list"), 1)])["list"] == .list([]))
  }

  @Test("sets, dictionaries and numbers change value by value")
  func others() throws {
    let values = try values([
      .setInsert(place("set"), .int(3)), .setInsert(place("set"), .int(4)),
      .setInsert(place("set"), .int(3)), .setErase(place("set"), .int(4)),
      .update(place("dict", .name(name("b"))), .int(2), .value(isDefault: false)),
      .update(place("dict", .name(name("a"))), .int(1), .value(isDefault: false)),
      .update(place("dict", .name(name("b"))), .erased, .value(isDefault: false)),
      .update(place("i"), .int(40), .value(isDefault: false)), .addInteger(place("i"), 2),
    ])
    #expect(values["set"] == .list([.int(3)]))
    #expect(
      values["dict"] == .dictionary([RealmEntry(key: .string("a"), value: .int(1))]))
    #expect(values["i"] == .int(42))
  }

  @Test("embedded objects and nested collections are reached by paths")
  func nested() throws {
    let values = try values([
      .update(place("e"), .newObject, .value(isDefault: false)),
      .update(place("e", .name(name("more"))), .newObject, .value(isDefault: false)),
      .update(
        place("e", .name(name("more")), .name(name("x"))), .int(7), .value(isDefault: false)),
      .arrayInsert(place("es", .index(0)), .newObject, priorSize: 0),
      .update(place("es", .index(0), .name(name("x"))), .int(8), .value(isDefault: false)),
      .update(place("any"), .newDictionary, .value(isDefault: false)),
      .update(place("any", .name(name("l"))), .newList, .value(isDefault: false)),
      .arrayInsert(place("any", .name(name("l")), .index(0)), .bool(true), priorSize: 0),
    ])
    #expect(values["e"] == .object([.int(0), .object([.int(7), .null])]))
    #expect(values["es"] == .list([.object([.int(8), .null])]))
    #expect(
      values["any"]
        == .dictionary([RealmEntry(key: .string("l"), value: .list([.bool(true)]))]))
  }

  @Test(
    "an embedded object that is set to a new one keeps its values, unless it is set to null first")
  func keptObjects() throws {
    func set(_ payload: Instruction.Payload, _ path: Instruction.Step...) -> Instruction {
      var place = place("e")
      place.path = path
      return .update(place, payload, .value(isDefault: false))
    }
    let one = [set(.newObject), set(.int(7), .name(name("x"))), set(.newObject)]
    #expect(try values(one)["e"] == .object([.int(7), .null]))
    #expect(
      try values(one.dropLast() + [set(.null), set(.newObject)])["e"] == .object([.int(0), .null]))
  }

  /// As in apps: links to objects that another client deleted.
  @Test("links to objects that do not exist are left out until the objects exist")
  func links() throws {
    func link(_ key: Int64) -> Instruction.Payload { .link(table: name("A"), key: .int(key)) }
    let linking: [Instruction] = [
      .update(place("link"), link(2), .value(isDefault: false)),
      .arrayInsert(place("links", .index(0)), link(2), priorSize: 0),
      .arrayInsert(place("links", .index(1)), link(1), priorSize: 1),
      .update(place("any"), link(2), .value(isDefault: false)),
    ]
    func target(_ key: Int64) -> RealmValue {
      .link(RealmLink(classPosition: 0, primaryKey: .int(key)))
    }
    let before = try values(linking)
    #expect(before["link"] == .null)
    #expect(before["links"] == .list([target(1)]))
    #expect(before["any"] == .null)
    let create = Instruction.createObject(table: name("A"), key: .int(2))
    let after = try values(linking + [create])
    #expect(after["link"] == target(2))
    #expect(after["links"] == .list([target(2), target(1)]))
    #expect(after["any"] == target(2))
    let erase = Instruction.eraseObject(table: name("A"), key: .int(2))
    #expect(try values(linking + [create, erase])["links"] == .list([target(1)]))
  }

  @Test("a removed property and a removed class are gone")
  func removal() throws {
    #expect(try values([.eraseColumn(table: name("A"), field: name("any"))])["any"] == nil)
    #expect(try values([.eraseTable(name: name("A"))]).isEmpty)
  }

  @Test("an instruction that does not match the realm is reported with its place")
  func mismatches() throws {
    let cases: [(Instruction, String)] = [
      (.createObject(table: name("B"), key: .null), "class B does not exist"),
      (.createObject(table: name("A"), key: .null), "class A has no objects with such a key"),
      (column("i", .string), "property A.i exists with another type"),
      (.eraseColumn(table: name("A"), field: name("z")), "property A.z does not exist"),
      (
        .update(place("i"), .null, .value(isDefault: false)),
        "property A.i cannot have a value of type null"
      ),
      (insert("a", 0, 3), "the list has 0 elements, expected 3"),
      (.setInsert(place("list"), .string([])), "the value is not a set"),
      (.addInteger(place("list"), 1), "the value to add to is not an integer"),
      (.clear(place("i"), 1), "the value to clear is not a collection"),
      (
        .update(place("dict"), .erased, .value(isDefault: false)),
        "only an entry of a dictionary can be erased"
      ),
      (
        .update(place("e", .name(name("x"))), .int(1), .value(isDefault: false)),
        "a path continues in a value that is neither a collection nor an object"
      ),
    ]
    for (instruction, problem) in cases {
      let replay = ChangesetReplay()
      try replay.apply(ChangesetEncoder.encode(start))
      let first = ChangesetEncoder.encode([.createObject(table: name("A"), key: .int(9))])
      let all = [.createObject(table: name("A"), key: .int(9)), instruction]
      #expect(throws: ChangesetError(problem, at: first.count)) {
        try replay.apply(ChangesetEncoder.encode(all))
      }
    }
  }

  @Test("a value that is nested too deep is an error")
  func depth() throws {
    let path = Array(repeating: Instruction.Step.index(0), count: 900)
    let place = Instruction.Place(table: name("A"), key: .int(1), field: name("any"), path: path)
    let error = #expect(throws: ChangesetError.self) {
      _ = try values([.arrayInsert(place, .newList, priorSize: 0)])
    }
    #expect(error?.problem == "a value is nested more than 500 levels deep")
  }

  @Test("any instructions end in objects or an error")
  func random() throws {
    for seed in 0..<2000 {
      var chance = RandomInstructions(seed: UInt64(seed))
      let replay = ChangesetReplay()
      try replay.apply(ChangesetEncoder.encode(start))
      for _ in 0..<30 {
        do throws(ChangesetError) {
          try replay.apply(ChangesetEncoder.encode([chance.instruction()]))
        } catch {
          #expect(!error.problem.isEmpty)
        }
      }
      let source = ReplayedObjects(replay)
      for part in source.parts() {
        var cursor = source.makeCursor()
        cursor.open(part)
        let batch = cursor.next()
        #expect(batch != nil)
      }
    }
  }

  @Test("an instruction that fails changes no value")
  func failures() throws {
    let dictionary = place("dict", .name(name("a")))
    let valid: [Instruction] = [
      insert("a", 0, 0), .setInsert(place("set"), .int(3)),
      .update(dictionary, .int(1), .value(isDefault: false)),
    ]
    let wrong: [Instruction] = [
      .arrayInsert(place("list", .index(1)), .int(1), priorSize: 1), insert("b", 5, 5),
      .update(place("list", .index(0)), .int(1), .element(priorSize: 1)),
      .setInsert(place("set"), .string([0x41])),
      .update(dictionary, .string([0x41]), .value(isDefault: false)),
      .update(
        place("dict", .name(name("b"))), .string([0x41]), .value(isDefault: false)),
      // A collection is not a single value.
      .update(place("list"), .string([0x41]), .value(isDefault: false)),
      .update(place("set"), .int(1), .value(isDefault: false)),
      .update(place("dict"), .int(1), .value(isDefault: false)),
    ]
    let replay = ChangesetReplay()
    try replay.apply(ChangesetEncoder.encode(start))
    try replay.apply(ChangesetEncoder.encode(valid))
    for instruction in wrong {
      #expect(throws: ChangesetError.self, "\(instruction)") {
        try replay.apply(ChangesetEncoder.encode([instruction]))
      }
    }
    let fields = try #require(replay.classes[name("A")]?.objects[.int(1)]?.fields)
    guard case .list(let list)? = fields[name("list")], case .set(let set)? = fields[name("set")],
      case .dictionary(let entries)? = fields[name("dict")]
    else {
      Issue.record("\(fields)")
      return
    }
    #expect(list.count == 1)
    #expect(set.members == [.int(3)])
    #expect(entries.keys.map(\.text) == ["a"])
  }
}
