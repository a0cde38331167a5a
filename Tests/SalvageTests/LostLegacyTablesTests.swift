import RealmInterchange
import RealmJobs
import RealmSalvage
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Realms of formats 2 to 9 in which exactly one node of the schema is overwritten with zeros.
@Suite("Lost tables, specs and columns of formats 2 to 9")
struct LostLegacyTablesTests {
  typealias Column = HandBuiltLegacy.Column

  /// A node of the schema.
  enum Lost: String, CaseIterable {
    case top, names, list, table, spec, columns
  }

  /// Two classes with links between them, and the table with the schema version. As a library writes them, children
  /// come right before their parents, in their order.
  private struct Fixture {
    var file = HandBuiltLegacy()
    var places: [Lost: Int] = [:]
    private(set) var bytes: [UInt8] = []

    init(copiesNames: Bool = false) throws {
      let names = ["metadata", "class_Company", "class_Contact"]
      if copiesNames { _ = file.strings(names) }
      let version = table([Column(type: 0, name: "version", roots: [])]) { [$0.ints([2])] }
      let company = table([
        Column(type: 2, name: "name", roots: []), Column(type: 0, name: "size", roots: []),
        Column(type: 14, subspecs: [tagged(2), tagged(2)], roots: []),
      ]) {
        [$0.strings(["Dragon", "Pony"]), $0.ints([7, 9]), $0.refs([tagged(2), tagged(0)])]
      }
      let contact = table([
        Column(type: 2, name: "name", roots: []),
        Column(type: 2, name: "phone", attributes: 16, roots: []),
        Column(type: 12, name: "company", subspecs: [tagged(1)], roots: []),
      ]) {
        [
          $0.strings(["Barliman", "Rosie", "Nob"]), $0.strings(["555", nil, "556"]),
          $0.ints([2, 0, 1]),
        ]
      }
      bytes = file.file(zip(names, [version, company, contact]).map { ($0, $1) })
      // The footer has the place of the top array.
      let top = bytes[(bytes.count - 16)...].prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
      places[.top] = top
      places[.names] = element(0, of: top)
      places[.list] = element(1, of: top)
    }

    private mutating func table(
      _ columns: [Column], _ roots: (inout HandBuiltLegacy) -> [Int]
    ) -> Int {
      places[.spec] = file.spec(columns)
      places[.columns] = file.refs(roots(&file))
      places[.table] = file.refs([places[.spec], places[.columns]].compactMap(\.self))
      return places[.table] ?? 0
    }

    private func element(_ index: Int, of node: Int) -> Int {
      bytes[(node + 8 + index * 8)...].prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes with zeros in place of a node.
    func without(_ lost: Lost) throws -> [UInt8] {
      let place = try #require(places[lost])
      let word = bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      let size = try #require(NodeHeader(word: word)).nodeByteCount
      var bytes = bytes
      bytes.replaceSubrange(place..<place + size, with: repeatElement(0, count: size))
      return bytes
    }
  }

  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func salvage(_ bytes: [UInt8]) throws -> (report: SalvageReport, lines: [String]) {
    let target = folder.path("result.realm")
    let request = SalvageRequest(path: try folder.write(bytes, to: "x.realm"))
    let report = try SalvageJob(request).run(to: .realm(target, replacing: true))
    try expectNoErrors(target)
    let text = String(decoding: try export(target, as: .ndjson).bytes, as: UTF8.self)
    return (report, text.split(separator: "\n").dropFirst().dropLast().map(String.init))
  }

  private static let objects = [
    #"{"class":"Company","object":{"_key":0,"name":"Dragon","size":7}}"#,
    #"{"class":"Company","object":{"_key":1,"name":"Pony","size":9}}"#,
    #"{"class":"Contact","object":{"_key":0,"name":"Barliman","phone":"555","company":1}}"#,
    #"{"class":"Contact","object":{"_key":1,"name":"Rosie","phone":null,"company":null}}"#,
    #"{"class":"Contact","object":{"_key":2,"name":"Nob","phone":"556","company":0}}"#,
  ]

  @Test("without damage, the objects are those of the realm")
  func undamaged() throws {
    let (report, lines) = try salvage(Fixture().bytes)
    #expect(lines == Self.objects && report.isComplete)
  }

  @Test("the objects come back, and the result is not called complete", arguments: Lost.allCases)
  func lost(_ lost: Lost) throws {
    let (report, lines) = try salvage(Fixture(copiesNames: lost == .names).without(lost))
    #expect(lines == Self.objects)
    #expect(!report.isComplete)
    let parts: Set<Lost> = [.table, .spec, .columns]
    #expect(
      report.foundTables
        == (parts.contains(lost)
          ? ["Contact"] : lost == .names ? ["metadata", "Company", "Contact"] : []))
  }

  @Test("without another copy of the names, the classes have the numbers of their tables")
  func lostNames() throws {
    let (report, lines) = try salvage(Fixture().without(.names))
    let names = ["Company": "class_1", "Contact": "class_2"]
    #expect(
      lines
        == Self.objects.map { line in
          names.reduce(line) { $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"") }
        })
    #expect(report.areNamesLost)
  }

  @Test("if nothing has the form of a table, no version can be read")
  func noTable() throws {
    var file = HandBuiltLegacy()
    let numbers = file.ints([1, 2])
    let dates = file.refs([file.ints([0x7FFF, 1, 2]), file.ints([0, 0])])
    var bytes = file.file([("class_A", numbers), ("class_B", dates)])
    let top = bytes[(bytes.count - 16)...].prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
    let list = bytes[(top + 16)...].prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
    bytes.replaceSubrange(list..<list + 24, with: repeatElement(0, count: 24))
    let error = #expect(throws: (any Error).self) { try salvage(bytes) }
    #expect(error?.fileKind == .nothingToSave("the tables of no version can be read"))
  }
}

private func tagged(_ value: Int) -> Int { HandBuiltLegacy.tagged(value) }
