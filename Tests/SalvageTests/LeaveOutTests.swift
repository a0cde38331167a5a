import RealmInterchange
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// A source that leaves damage out, compared with the same realm before it was damaged.
@Suite("Leaving damage out")
struct LeaveOutTests {
  /// The objects that a source read from a realm, and what it left out.
  private struct Given: Equatable {
    var text: [UInt8] = []
    var losses: [Finding] = []
    /// Why it stopped.
    var error: RealmFileError?

    /// `{"class":…,"object":{…}}` of each object.
    var objects: [JSONValue] {
      get throws { try JSONParser.parseLines(text).filter { $0["object"] != nil } }
    }
  }

  private func read(
    _ bytes: [UInt8], damage: ObjectRequest.Damage = .leaveOut, jobs: Int = 2
  ) throws -> Given {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "x.realm")
    let sink = MemorySink()
    var request = ObjectRequest()
    request.damage = damage
    var given = Given()
    do {
      let source = RealmSource(try Realm(path: path), request)
      do throws(RoadError<RealmFileError, RealmFileError>) {
        _ = try ObjectTextFormat.ndjson.write(
          source, RealmJSONHead(schemaVersion: 0, isPartial: false), jobs: jobs,
          to: SingleOutput(sink)
        ) { _ in }
      } catch {
        throw error.failure
      }
      given.losses = source.losses.list
    } catch let error as RealmFileError {
      given.error = error
      given.error?.path = ""
    }
    given.text = sink.bytes
    return given
  }

  /// Reads a realm before and after the edit; expects that the edited realm is not refused, and that
  /// reading stops at the damage if it is not left out.
  private func compare(
    _ editor: RealmEditor, _ original: String
  ) throws -> (before: [JSONValue], after: [JSONValue], losses: [Finding]) {
    let before = try read(try Golden.bytes(original))
    #expect(before.losses == [])
    #expect(try read(editor.bytes, damage: .stop).error != nil)
    let after = try read(editor.bytes)
    #expect(after.error == nil)
    return (try before.objects, try after.objects, after.losses)
  }

  /// The positions of the objects that differ, and the names of the members that do.
  private func differences(_ a: [JSONValue], _ b: [JSONValue]) -> [Int: Set<String>] {
    #expect(a.count == b.count)
    var differences: [Int: Set<String>] = [:]
    for (i, (a, b)) in zip(a, b).enumerated() where a != b {
      #expect(a["class"] == b["class"])
      let names = Set(a["object"]?.names ?? []).union(b["object"]?.names ?? [])
      differences[i] = names.filter { a["object"]?[$0] != b["object"]?[$0] }
    }
    return differences
  }

  @Test("a leaf that cannot be read: its property is null in the objects of one cluster")
  func leaf() throws {
    let editor = try RealmEditor("people.realm")
    let leaf = try editor.leaf("age", of: "Person") { $0.width == 8 }
    editor.flags(leaf) { $0 | 0x10 }
    let (before, after, losses) = try compare(editor, "people.realm")
    let table = try editor.table("Person")
    let column = try editor.column("age", of: "Person")
    let first = try #require(before.firstIndex { $0["class"]?.string == "Person" })
    var (rows, next) = (0..<0, first)
    for position in try editor.reader.clusters(of: table) {
      let cluster = try editor.reader.cluster(position)
      if try cluster.leaf(at: column.key.leafIndex) == leaf { rows = next..<next + cluster.count }
      next += cluster.count
    }
    #expect(
      differences(before, after)
        == Dictionary(uniqueKeysWithValues: rows.map { ($0, ["age"]) }))
    for row in rows { #expect(after[row]["object"]?["age"]?.isNull == true) }
    #expect(losses.map(\.rule) == [.leafKind])
    #expect(losses.map(\.offset) == [leaf])
    #expect(losses.map(\.className) == ["Person"])
    #expect(losses.map(\.property) == ["age"])
  }

  @Test("one value of a leaf that cannot be read")
  func value() throws {
    let editor = try RealmEditor("strings.realm")
    let leaf = try editor.node(try editor.leaf("big", of: "S") { $0.hasContext })
    let row = try #require((0..<leaf.count).first { leaf.integer(at: $0) != 0 })
    editor.flags(try leaf.ref(at: row)) { $0 | 0x18 }
    let (before, after, losses) = try compare(editor, "strings.realm")
    let differences = differences(before, after)
    #expect(Array(differences.values) == [["big"]])
    #expect(try after[#require(differences.keys.first)]["object"]?["big"]?.isNull == true)
    #expect(losses.map(\.rule) == [.nodeFlags])
    #expect(losses.map(\.property) == ["big"])
    #expect(losses[0].objectKey != nil)
  }

  @Test("a cluster that cannot be opened: its objects are missing, and no others")
  func cluster() throws {
    let editor = try RealmEditor("people.realm")
    let positions = try editor.reader.clusters(of: try editor.table("Person"))
    let counts = try positions.map { try editor.reader.cluster($0).count }
    editor.flags(positions[1].ref) { $0 & ~0x40 }
    var (before, after, losses) = try compare(editor, "people.realm")
    let first = try #require(before.firstIndex { $0["class"]?.string == "Person" })
    before.removeSubrange(first + counts[0]..<first + counts[0] + counts[1])
    // Links to missing objects are null.
    let others = differences(before, after)
    #expect(others.values.allSatisfy { $0 == ["manager"] })
    #expect(others.keys.allSatisfy { after[$0]["object"]?["manager"]?.isNull == true })
    #expect(losses.count == 1 + others.count)
    #expect(losses.count { $0.property == nil } == 1)
    #expect(losses.allSatisfy { $0.rule == .clusterNode && $0.offset == positions[1].ref })
  }

  @Test("a tree of clusters that cannot be read: the objects of its class are missing")
  func tree() throws {
    let editor = try RealmEditor("people.realm")
    let root = try editor.table("Person").clusters
    // A tree has fewer than nine levels of inner nodes.
    try editor.set(root, 1, tagged: 9)
    let (before, after, losses) = try compare(editor, "people.realm")
    #expect(after == before.filter { $0["class"]?.string != "Person" })
    #expect(losses.map(\.rule) == [.clusterDepth])
    #expect(losses.map(\.offset) == [root])
    #expect(losses.map(\.className) == ["Person"])
  }

  @Test("a leaf of a long list that cannot be read: its elements are missing")
  func list() throws {
    let editor = try RealmEditor("all-types.realm")
    let root = try editor.root("int", of: "Lists") { $0.count > 2 && !$0.isInner }
    let count = try editor.node(root).count
    func refs(_ elements: [Int]) -> [UInt8] {
      node(
        flags: 0xC6, count: elements.count,
        elements.flatMap { littleEndianBytes($0, count: 4) })
    }
    let bad = editor.edited.append(node(flags: 0x40, count: 0))
    // The same elements, between two leaves of refs.
    let inner = editor.edited.append(
      refs([1000 << 1 | 1, bad, root, bad, count << 1 | 1]))
    let column = try editor.column("int", of: "Lists")
    let roots = try editor.leaf("int", of: "Lists") { leaf in
      (0..<leaf.count).contains { leaf.integer(at: $0) == Int64(root) }
    }
    let row = try #require(
      (0..<editor.edited.count(of: roots)).first {
        editor.edited.element($0, of: roots) == root
      })
    #expect(column.collection == .list)
    editor.edited.setElement(row, of: roots, to: inner)
    let (before, after, losses) = try compare(editor, "all-types.realm")
    #expect(before == after)
    #expect(losses.map(\.rule) == [.leafKind])
    #expect(losses.map(\.property) == ["int"])
    #expect(losses[0].objectKey != nil)
  }

  @Test("a link without a target is null")
  func link() throws {
    let editor = try RealmEditor("links.realm")
    let leaf = try editor.leaf("owner", of: "Dog")
    let row = try #require(
      (0..<editor.edited.count(of: leaf)).first { editor.edited.element($0, of: leaf) != 0 })
    // There are fewer persons.
    editor.edited.setElement(row, of: leaf, to: 0x7F)
    let (before, after, losses) = try compare(editor, "links.realm")
    let differences = differences(before, after)
    #expect(Array(differences.values) == [["owner"]])
    #expect(try after[#require(differences.keys.first)]["object"]?["owner"]?.isNull == true)
    #expect(losses.map(\.rule) == [.linkDangling])
    #expect(losses.map(\.className) == ["Dog"])
    #expect(losses.map(\.property) == ["owner"])
  }

  @Test("a property of embedded objects that cannot be read")
  func embeddedLeaf() throws {
    let editor = try RealmEditor("links.realm")
    editor.flags(try editor.leaf("city", of: "Address")) { $0 | 0x18 }
    let (before, after, losses) = try compare(editor, "links.realm")
    func withoutCities(_ value: JSONValue) -> JSONValue {
      switch value {
      case .object(let members):
        .object(
          members.map {
            JSONValue.Member($0.name, $0.name == "city" ? .null : withoutCities($0.value))
          })
      case .array(let elements): .array(elements.map(withoutCities))
      default: value
      }
    }
    #expect(before != after)
    #expect(before.map(withoutCities) == after)
    #expect(!losses.isEmpty)
    #expect(losses.allSatisfy { $0.className == "Address" && $0.property == "city" })
    #expect(losses.allSatisfy { $0.objectKey != nil })
  }

  @Test("an embedded object with two owners belongs to the first")
  func twoOwners() throws {
    let editor = try RealmEditor("links.realm")
    let leaf = try editor.leaf("address", of: "Person")
    let owners = (0..<editor.edited.count(of: leaf)).filter {
      editor.edited.element($0, of: leaf) != 0
    }
    editor.edited.setElement(owners[1], of: leaf, to: editor.edited.element(owners[0], of: leaf))
    let (before, after, losses) = try compare(editor, "links.realm")
    let differences = differences(before, after)
    #expect(Array(differences.values) == [["address"]])
    #expect(try after[#require(differences.keys.first)]["object"]?["address"]?.isNull == true)
    #expect(losses.map(\.rule) == [.linkEmbeddedShared])
    #expect(losses.map(\.className) == ["Person"])
  }

  @Test("a mixed value of no known type is null")
  func mixed() throws {
    let editor = try RealmEditor("all-types.realm")
    let leaf = try editor.leaf("any", of: "AllTypes")
    let composites = try editor.child(leaf, 0)
    let row = try #require(
      (0..<editor.edited.count(of: composites)).first {
        editor.edited.element($0, of: composites) != 0
      })
    editor.edited.setElement(row, of: composites, to: 0x1F)
    let (before, after, losses) = try compare(editor, "all-types.realm")
    let differences = differences(before, after)
    #expect(Array(differences.values) == [["any"]])
    #expect(try after[#require(differences.keys.first)]["object"]?["any"]?.isNull == true)
    #expect(losses.map(\.rule) == [.mixedType])
    #expect(losses[0].objectKey != nil)
  }

  @Test("a value of a dictionary that cannot be read is null, and its key stays")
  func dictionary() throws {
    let editor = try RealmEditor("all-types.realm")
    let root = try editor.root("int", of: "Dicts") {
      // Keys and values; the first leaf of values has composites of some bits.
      let values = try editor.node(try editor.child($0.ref, 1))
      guard !values.isInner else { return false }
      return try editor.node(try editor.child(values.ref, 0)).width >= 8
    }
    let composites = try editor.child(try editor.child(root, 1), 0)
    editor.edited.setElement(0, of: composites, to: 0x1F)
    let (before, after, losses) = try compare(editor, "all-types.realm")
    let differences = differences(before, after)
    #expect(Array(differences.values) == [["int"]])
    let row = try #require(differences.keys.first)
    let (old, new) = (before[row]["object"]?["int"], after[row]["object"]?["int"])
    #expect(old?.names == new?.names)
    #expect(new?.members?.count { $0.value.isNull } == 1)
    #expect(losses.map(\.rule) == [.mixedType])
  }

  /// After any damage, reading ends, has the same result for any number of threads, and leaves nothing
  /// out of a realm that can be read.
  @Test(
    "random damage is left out in the same way for any number of threads",
    arguments: ["all-types", "links", "nested-mixed", "indexes"])
  func random(name: String) throws {
    let original = try Golden.bytes("\(name).realm")
    var lost = 0
    for seed in 0..<30 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 24..<bytes.count, using: &random)
        bytes[place] =
          seed & 1 == 0
          ? bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &random)
          : UInt8.random(in: .min ... .max, using: &random)
      }
      let given = try read(bytes, jobs: 1)
      #expect(try read(bytes, jobs: 4) == given, "seed \(seed)")
      let strict = try read(bytes, damage: .stop, jobs: 1)
      if strict.error == nil {
        #expect(given == strict, "seed \(seed)")
      } else if given.error == nil {
        #expect(!given.losses.isEmpty, "seed \(seed)")
        lost += 1
      }
    }
    #expect(lost > 0)
  }
}
