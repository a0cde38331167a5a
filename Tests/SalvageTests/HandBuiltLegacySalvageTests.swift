import RealmInterchange
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Realms of formats 2 to 9 that are built node by node, with one thing wrong.
@Suite("Salvaging damaged realms of formats 2 to 9 that are built by hand")
struct HandBuiltLegacySalvageTests {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func tagged(_ value: Int) -> Int { HandBuiltLegacy.tagged(value) }

  /// Salvages the file, and exports the result as lines without head and counts.
  private func salvage(
    _ bytes: [UInt8], _ change: (inout SalvageRequest) -> Void = { _ in }
  ) throws -> (report: SalvageReport, lines: [String]) {
    let target = folder.path("result.realm")
    var request = SalvageRequest(path: try folder.write(bytes, to: "x.realm"))
    change(&request)
    let report = try SalvageJob(request).run(to: .realm(target, replacing: true))
    try expectNoErrors(target)
    let text = String(decoding: try export(target, as: .ndjson).bytes, as: UTF8.self)
    return (report, text.split(separator: "\n").dropFirst().dropLast().map(String.init))
  }

  /// Makes the node at `ref` unreadable: no node has these flags.
  private func kill(_ ref: Int, _ bytes: inout [UInt8]) { bytes[ref + 4] = 0xFF }

  @Test("a leaf that cannot be read costs its values: null, or the default of a required property")
  func lostLeaf() throws {
    var file = HandBuiltLegacy()
    let (numbers, names) = (file.ints([1, 2]), file.strings(["a", nil]))
    let table = file.table([
      Column(type: 0, name: "n", roots: [numbers]),
      Column(type: 2, name: "s", attributes: 16, roots: [names]),
      Column(type: 0, name: "kept", roots: [file.ints([7, 8])]),
    ])
    var bytes = file.file([("class_A", table)])
    kill(numbers, &bytes)
    kill(names, &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(
      lines == [
        #"{"class":"A","object":{"_key":0,"n":0,"s":null,"kept":7}}"#,
        #"{"class":"A","object":{"_key":1,"n":0,"s":null,"kept":8}}"#,
      ])
    #expect(report.losses.map(\.property) == ["n", "s"])
    #expect(report.losses.map(\.objectKeys) == [[0, 1], [0, 1]])
    #expect(report.classes.map(\.partial) == [2])
  }

  @Test("a node of a B+tree costs the rows below it")
  func lostInnerNode() throws {
    var file = HandBuiltLegacy()
    let leaves = [file.ints([1, 2]), file.ints([3, 4]), file.ints([5])]
    let root = file.refs([tagged(2)] + leaves + [tagged(5)], flags: 0xC7)
    let table = file.table([
      Column(type: 0, name: "n", attributes: 0, roots: [root]),
      Column(type: 0, name: "m", roots: [file.ints([10, 20, 30, 40, 50])]),
    ])
    var bytes = file.file([("class_A", table)])
    kill(leaves[1], &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(lines.map { $0.contains(#""n":0"#) } == [false, false, true, true, false])
    #expect(lines[4] == #"{"class":"A","object":{"_key":4,"n":5,"m":50}}"#)
    #expect(report.losses.map(\.objectKeys) == [[2, 3]])
  }

  @Test(
    "a leaf whose number of rows contradicts the node above it is lost, the others stay in place")
  func leafOfAnotherSize() throws {
    var file = HandBuiltLegacy()
    let leaves = [file.ints([1, 2]), file.ints([3, 4, 4]), file.ints([5])]
    let root = file.refs([tagged(2)] + leaves + [tagged(5)], flags: 0xC7)
    let table = file.table([
      Column(type: 0, name: "n", roots: [root]),
      Column(type: 0, name: "m", roots: [file.ints([10, 20, 30, 40, 50])]),
    ])
    // A block of its own, so that nothing else is doubtful.
    let (report, lines) = try salvage(file.file([("class_A", table)]))
    #expect(lines.count == 5)
    #expect(report.losses.contains { $0.property == "n" && $0.objectKeys.contains(2) })
    #expect(!lines.contains { $0.contains(#""n":4"#) })
  }

  @Test("the rows of a class are those that most of its columns have")
  func majority() throws {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 0, name: "a", roots: [file.ints([1, 2])]),
      Column(type: 0, name: "b", roots: [file.ints([1, 2, 3])]),
      Column(type: 0, name: "c", roots: [file.ints([4, 5])]),
    ])
    let (report, lines) = try salvage(file.file([("class_A", table)]))
    #expect(lines.count == 2 && report.objectCount == 2)
    #expect(report.losses.contains { $0.property == "b" && $0.rule == .leafRows })
  }

  @Test("a row without any readable value does not exist, and links to it are null")
  func absentRows() throws {
    var file = HandBuiltLegacy()
    let leaves = [file.ints([1, 2]), file.ints([3])]
    let root = file.refs([tagged(2)] + leaves + [tagged(3)], flags: 0xC7)
    let target = file.table([Column(type: 0, name: "n", roots: [root])])
    let origin = file.table([
      Column(type: 12, name: "l", subspecs: [tagged(0)], roots: [file.ints([1, 3])]),
      Column(
        type: 13, name: "ls", subspecs: [tagged(0)],
        roots: [file.refs([file.ints([0, 2, 1]), 0])]),
    ])
    var bytes = file.file([("class_T", target), ("class_O", origin)])
    kill(leaves[1], &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(
      lines == [
        #"{"class":"T","object":{"_key":0,"n":1}}"#, #"{"class":"T","object":{"_key":1,"n":2}}"#,
        #"{"class":"O","object":{"_key":0,"l":0,"ls":[0,1]}}"#,
        #"{"class":"O","object":{"_key":1,"l":null,"ls":[]}}"#,
      ])
    #expect(report.classes.first { $0.name == "T" }?.lost == 1)
    #expect(report.nulledLinks == 2)
  }

  @Test(
    "a leaf with a value that no library writes is lost",
    arguments: ["bool", "link", "nanoseconds", "null", "padding", "terminator", "position"])
  func impossibleValue(kind: String) throws {
    var file = HandBuiltLegacy()
    let column: Column
    switch kind {
    case "bool": column = Column(type: 1, name: "x", roots: [file.ints([0, 2, 1])])
    case "link":
      column = Column(type: 12, name: "x", subspecs: [tagged(0)], roots: [file.ints([1, 9, 2])])
    case "nanoseconds":
      let parts = [file.ints([5, 1, 2, 3]), file.ints([0, 1_000_000_000, 0])]
      column = Column(type: 8, name: "x", attributes: 16, roots: [file.refs(parts)])
    case "null":
      // At 8 bits, 127 means null.
      let leaf = file.put(flags: 0x04, count: 4, [5, 1, 2, 3])
      column = Column(type: 0, name: "x", attributes: 16, roots: [leaf])
    case "padding":
      let cells: [UInt8] = [97, 0, 0, 2, 98, 0, 1, 2, 99, 0, 0, 2]
      column = Column(
        type: 2, name: "x", roots: [file.put(flags: 0x0B, count: 3, cells)])
    case "terminator":
      let leaf = file.refs([
        file.ints([2, 4, 6]), file.bytes(Array("a\0b\u{1}c\0".utf8)), file.ints([1, 1, 1]),
      ])
      column = Column(type: 2, name: "x", roots: [leaf])
    default:
      let strings = file.strings(["p", "q"])
      column = Column(type: 3, name: "x", enumeration: strings, roots: [file.ints([0, 2, 1])])
    }
    // Blocks away from everything else.
    _ = file.bytes(Array(repeating: 1, count: 1024))
    let table = file.table([column, Column(type: 0, name: "n", roots: [file.ints([1, 2, 3])])])
    let (report, lines) = try salvage(file.file([("class_A", table)]))
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""n":"#) })
    let keys = Set(report.losses.filter { $0.property == "x" }.flatMap(\.objectKeys))
    #expect(keys == [0, 1, 2])
    #expect(report.losses.allSatisfy { $0.property == "x" })
  }

  @Test("a class none of whose columns can be read is reported as lost")
  func noColumn() throws {
    var file = HandBuiltLegacy()
    let numbers = file.ints([1, 2, 3])
    let table = file.table([Column(type: 0, name: "n", roots: [numbers])])
    let other = file.table([Column(type: 0, name: "m", roots: [file.ints([4])])])
    var bytes = file.file([("class_A", table), ("class_B", other)])
    kill(numbers, &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(lines == [#"{"class":"B","object":{"_key":0,"m":4}}"#])
    #expect(!report.isComplete)
    #expect(report.losses.map(\.className) == ["A"])
    #expect(report.losses.map(\.extent) == [.objects])
  }

  @Test("a class whose columns have no possible number of rows is reported as lost")
  func noNumberOfRows() throws {
    var file = HandBuiltLegacy()
    // A date has its seconds, behind the number for null, and its nanoseconds.
    let parts = [file.ints([0x7FFF, 1, 2, 3]), file.ints([0, 0])]
    let table = file.table([
      Column(type: 8, name: "d", attributes: 16, roots: [file.refs(parts)])
    ])
    let other = file.table([Column(type: 0, name: "m", roots: [file.ints([4])])])
    let (report, lines) = try salvage(file.file([("class_A", table), ("class_B", other)]))
    #expect(lines == [#"{"class":"B","object":{"_key":0,"m":4}}"#])
    #expect(!report.isComplete)
    #expect(report.losses.map(\.className) == ["A"])
  }

  @Test("zeros that begin with the values of a leaf, and end where others begin")
  func zerosAtStart() throws {
    var file = HandBuiltLegacy()
    // The values of the next node begin with the second block.
    _ = file.bytes(Array(repeating: 1, count: 512 - 24 - 16))
    let numbers = file.ints(Array(1000..<1300))
    try #require((numbers + 8) % 512 == 0)
    // Nothing is doubted in a realm without errors.
    let lost = file.ints(Array(0..<300))
    let table = file.table([
      Column(type: 0, name: "n", roots: [numbers]),
      Column(type: 0, name: "m", roots: [file.ints(Array(0..<300))]),
      Column(type: 0, name: "lost", roots: [lost]),
    ])
    var bytes = file.file([("class_A", table)])
    #expect(try salvage(bytes).report.isComplete)
    kill(lost, &bytes)
    bytes.replaceSubrange(512..<1024, with: repeatElement(0, count: 512))
    let (report, lines) = try salvage(bytes)
    #expect(lines.count == 300)
    #expect(!report.losses.contains { $0.property == "m" })
    let zeroed = report.losses.filter { $0.property == "n" }
    #expect(Set(zeroed.flatMap(\.objectKeys)).isSuperset(of: 0..<64))
  }

  /// Example: 32 counties were overwritten by names of states.
  @Test("a block with strings of another column is lost", arguments: [true, false])
  func stringsOfAnotherColumn(isCopied: Bool) throws {
    var file = HandBuiltLegacy()
    let counties = (0..<300).map { $0 % 3 == 0 ? "Mendocino" : "Sonoma" }
    let county = file.strings(counties)
    // A node without values, so that strings of 16 bytes begin with blocks here, too.
    _ = file.bytes([])
    let state = file.strings(Array(repeating: "California", count: 300))
    let numbers = file.ints(Array(0..<300))
    let table = file.table([
      Column(type: 2, name: "county", roots: [county]),
      Column(type: 2, name: "state", roots: [state]),
      Column(type: 0, name: "number", roots: [file.ints(Array(0..<300))]),
      Column(type: 0, name: "lost", roots: [numbers]),
    ])
    var bytes = file.file([("class_A", table)])
    /// The second block of a leaf, with whole strings.
    func block(_ leaf: Int) throws -> Range<Int> {
      let start = (leaf / 512 + 2) * 512
      try #require((start - leaf - 8) % 16 == 0)
      return start..<start + 512
    }
    let (target, source) = (try block(county), try block(state))
    if isCopied {
      bytes.replaceSubrange(target, with: bytes[source])
      // Nothing is doubted in a realm without errors.
      kill(numbers, &bytes)
    }
    let (report, lines) = try salvage(bytes)
    #expect(lines.count == 300)
    let saved = lines.enumerated().filter { i, line in line.contains(counties[i]) }.count
    // Without damage, nothing is lost.
    #expect(report.isComplete == !isCopied)
    #expect((saved < 300) == isCopied)
    #expect(!lines.contains { $0.contains(#""county":"California""#) })
  }

  @Test("a long string that cannot be read costs only its row")
  func lostLongString() throws {
    var file = HandBuiltLegacy()
    let strings = ["one", "two"].map { file.bytes(Array("\($0)\0".utf8)) }
    let table = file.table([
      Column(type: 2, name: "s", roots: [file.refs(strings, flags: 0x67)]),
      Column(type: 0, name: "n", roots: [file.ints([1, 2])]),
    ])
    var bytes = file.file([("class_A", table)])
    kill(strings[0], &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(
      lines == [
        #"{"class":"A","object":{"_key":0,"s":"","n":1}}"#,
        #"{"class":"A","object":{"_key":1,"s":"two","n":2}}"#,
      ])
    #expect(report.losses.map(\.objectKeys) == [[0]])
  }

  /// Example: a block with the node of a string was overwritten with nodes of an index.
  @Test("a long string whose node has numbers is lost")
  func numbersAsLongString() throws {
    var file = HandBuiltLegacy()
    // The number 'a' of 64 bits ends with a zero byte, like a string.
    let strings = [file.ints([0x61]), file.bytes(Array("two\0".utf8))]
    let table = file.table([
      Column(type: 2, name: "s", roots: [file.refs(strings, flags: 0x67)]),
      Column(type: 0, name: "n", roots: [file.ints([1, 2])]),
    ])
    let (report, lines) = try salvage(file.file([("class_A", table)]))
    #expect(lines.count == 2 && lines[0].contains(#""s":"""#) && lines[1].contains(#""s":"two""#))
    #expect(report.losses.map(\.objectKeys) == [[0]])
    #expect(report.losses.map(\.rule) == [.leafBlob])
  }

  @Test("a node without the usual bytes before its header is lost if nearly all nodes have them")
  func otherFiller() throws {
    var file = HandBuiltLegacy()
    let number = file.ints([1])
    // In another block than what follows.
    let note = file.bytes(Array(repeating: 1, count: 1024))
    // An empty list in place of one that was overwritten.
    let values = (0..<30).map { file.ints($0 == 20 ? [] : [$0]) }
    let lists = values.map { file.refs([$0]) }
    let spec = file.spec([Column(type: 0, name: "!ARRAY_VALUE", roots: [])])
    let table = file.table([
      Column(type: 5, name: "list", subspecs: [spec], roots: [file.refs(lists)]),
      Column(type: 0, name: "n", roots: [file.ints(Array(0..<30))]),
    ])
    let other = file.table([
      Column(type: 0, name: "number", roots: [number]),
      Column(type: 4, name: "note", roots: [file.refs([note], flags: 0x67)]),
    ])
    var bytes = file.file([("class_A", table), ("class_B", other)])
    let filler = values[20]..<values[20] + 4
    #expect(bytes[filler].elementsEqual("AAAA".utf8))
    bytes.replaceSubrange(filler, with: [0, 0x40, 0xB0, 0x43])
    // Without other damage, these bytes say nothing.
    #expect(try salvage(bytes).report.isComplete)
    kill(number, &bytes)
    let losses = try salvage(bytes).report.losses
    #expect(losses.filter { $0.property == "list" }.map(\.objectKeys) == [[20]])
  }

  /// Example: of 11 nodes of a small realm, two headers were in an overwritten sector, whose bytes could be leaves of width
  /// 0.
  @Test(
    "in a small realm, a node with bytes before its header that no library writes is lost",
    arguments: [
      // A capacity is a multiple of 8, and at least the size of the node, which is 24; the last byte is 0 or as usual.
      ([0, 0, 0, 7], true), ([0, 0, 0, 0], true), ([0, 0, 0x1C, 0], true), ([0, 0, 0x10, 0], true),
      ([0, 0, 0x80, 2], true), ([0, 0, 0x80, 0], false), ([0, 0, 0x80, 1], false),
      ([1, 1, 1, 3], false), ([1, 1, 1, 1], false),
    ] as [([UInt8], Bool)])
  func smallRealm(filler: [UInt8], isLost: Bool) throws {
    var file = HandBuiltLegacy()
    let number = file.ints([1, 2])
    // In another block than what follows.
    let note = file.bytes(Array(repeating: 1, count: 1024))
    let second = file.ints([3, 4])
    let table = file.table([
      Column(type: 0, name: "a", roots: [number]), Column(type: 0, name: "b", roots: [second]),
      Column(type: 4, name: "note", roots: [file.refs([note, file.bytes([1])], flags: 0x67)]),
    ])
    var bytes = file.file([("class_A", table)])
    for place in stride(from: 24, to: bytes.count - 4, by: 8)
    where bytes[place..<place + 4].elementsEqual("AAAA".utf8) {
      bytes.replaceSubrange(place..<place + 4, with: [1, 1, 1, 1])
    }
    bytes.replaceSubrange(second..<second + 4, with: filler)
    #expect(try salvage(bytes).report.isComplete)
    kill(number, &bytes)
    let losses = try salvage(bytes).report.losses
    #expect(losses.contains { $0.property == "b" } == isLost)
  }

  /// Example: a library overwrote the fillers of nodes in memory with capacities. Most nodes are small and have the same one,
  /// the few large leaves another one.
  @Test(
    "nodes with other capacities than most stay, other bytes only if three nodes have them",
    arguments: [0, 1, 3])
  func capacities(oddCount: Int) throws {
    var file = HandBuiltLegacy()
    let number = file.ints(Array(1...40))
    // In another block than what follows.
    let note = file.bytes(Array(repeating: 1, count: 1024))
    let values = (1...40).map { file.ints([$0]) }
    let lists = values.map { file.refs([$0]) }
    let spec = file.spec([Column(type: 0, name: "!ARRAY_VALUE", roots: [])])
    let last = file.ints(Array(1...40))
    let table = file.table([
      Column(type: 0, name: "number", roots: [number]),
      Column(type: 5, name: "list", subspecs: [spec], roots: [file.refs(lists)]),
      Column(
        type: 4, name: "note",
        roots: [file.refs([note] + (2...40).map { file.bytes([UInt8($0)]) }, flags: 0x67)]),
      Column(type: 0, name: "last", roots: [last]),
    ])
    var bytes = file.file([("class_A", table)])
    for place in stride(from: 24, to: bytes.count - 4, by: 8)
    where bytes[place..<place + 4].elementsEqual("AAAA".utf8) {
      bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0x80, 0])
    }
    bytes.replaceSubrange(last..<last + 4, with: [0, 2, 0, 0])
    for value in values[10..<10 + oddCount] {
      bytes.replaceSubrange(value..<value + 4, with: [9, 9, 9, 9])
    }
    kill(number, &bytes)
    let losses = try salvage(bytes).report.losses
    #expect(!losses.contains { $0.property == "last" })
    #expect(losses.contains { $0.property == "list" } == (oddCount == 1))
  }

  @Test("a list that cannot be read is empty, and reported", arguments: [true, false])
  func lostList(isRootLost: Bool) throws {
    var file = HandBuiltLegacy()
    let values = [file.ints([1, 2]), file.ints([3])]
    let lists = values.map { file.refs([$0]) }
    let spec = file.spec([Column(type: 0, name: "!ARRAY_VALUE", roots: [])])
    let table = file.table([
      Column(type: 5, name: "l", subspecs: [spec], roots: [file.refs(lists)]),
      Column(type: 0, name: "n", roots: [file.ints([1, 2])]),
    ])
    var bytes = file.file([("class_A", table)])
    kill(isRootLost ? lists[0] : values[0], &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(
      lines == [
        #"{"class":"A","object":{"_key":0,"l":[],"n":1}}"#,
        #"{"class":"A","object":{"_key":1,"l":[3],"n":2}}"#,
      ])
    #expect(report.losses.map(\.objectKeys) == [[0]])
  }

  @Test("lost names of tables and of columns are made up")
  func lostNames() throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 0, name: "n", roots: [file.ints([1, 2])])])
    let original = file.file([("class_A", table)])
    // The names of the columns follow the types; the names of the tables follow the table.
    var bytes = original
    kill(table + 24, &bytes)
    let nameless = try salvage(bytes)
    #expect(nameless.lines[0] == #"{"class":"class_0","object":{"_key":0,"n":1}}"#)
    #expect(nameless.report.areNamesLost && !nameless.report.isComplete)
    bytes = original
    let place = try #require(
      original.indices.first { original[$0..<min($0 + 2, original.count)] == [110, 0] })
    kill(place - 8, &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(lines[0] == #"{"class":"A","object":{"_key":0,"property_0":1}}"#)
    #expect(report.lostSchema.map(\.property) == ["property_0"])
  }

  @Test("a class whose types are lost is lost, and so are links to it")
  func lostTypes() throws {
    var file = HandBuiltLegacy()
    let types = file.ints([99])
    let spec = file.refs([types, file.strings(["n"]), file.ints([0])])
    let lost = file.refs([spec, file.refs([file.ints([1])])])
    let origin = file.table([
      Column(type: 12, name: "l", subspecs: [tagged(0)], roots: [file.ints([1])]),
      Column(type: 0, name: "n", roots: [file.ints([5])]),
    ])
    let (report, lines) = try salvage(file.file([("class_T", lost), ("class_O", origin)]))
    #expect(lines == [#"{"class":"O","object":{"_key":0,"n":5}}"#])
    #expect(report.lostSchema.map(\.className) == ["T", "O"])
    #expect(report.lostSchema.map(\.property) == [nil, "l"])
  }

  @Test("without damage, the first of two objects with the same primary key keeps it")
  func duplicates() throws {
    let (report, lines) = try salvage(HandBuiltLegacy.duplicates())
    #expect(
      lines == [
        #"{"class":"A","object":{"id":"x"}}"#, #"{"class":"A","object":{"id":"y"}}"#,
        #"{"class":"LostAndFound_A","object":{"_key":2,"id":null}}"#,
      ])
    #expect(report.classes.map(\.lostKeysOf) == [nil, "A"])
  }

  @Test("the primary keys of a lost table pk are unknown")
  func lostPrimaryKeys() throws {
    var bytes = HandBuiltLegacy.duplicates()
    // The cells of pk_table.
    let place = try #require(
      bytes.indices.first { bytes[$0..<min($0 + 2, bytes.count)] == [UInt8(ascii: "A"), 0] })
    kill(place - 8, &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains("_key") })
    #expect(report.lostSchema.map(\.className) == ["pk"])
  }

  @Test(
    "the primary keys of a table pk whose columns lost their names are unknown, and the report says so"
  )
  func namelessPrimaryKeys() throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 2, name: "id", roots: [file.strings(["x", "y"])])])
    let keys = file.table([
      Column(type: 2, name: "", roots: [file.strings(["A"])]),
      Column(type: 2, name: "", roots: [file.strings(["id"])]),
    ])
    let lost = file.ints([3])
    let other = file.table([Column(type: 0, name: "n", roots: [lost])])
    var bytes = file.file([("class_A", table), ("pk", keys), ("class_B", other)])
    // Nothing is doubted in a realm without errors.
    kill(lost, &bytes)
    let (report, lines) = try salvage(bytes)
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("_key") })
    #expect(report.lostSchema.map(\.className) == ["pk"] && !report.isComplete)
  }

  @Test(
    "the layout of the tables counts, not the format in the header", arguments: [0, 24] as [UInt8])
  func formatOfHeader(format: UInt8) throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 0, name: "n", roots: [file.ints([1, 2])])])
    var bytes = file.file([("class_A", table)])
    bytes[20] = format
    #expect(try salvage(bytes).lines.count == 2)
  }

  @Test("two roots of different formats can both be read")
  func twoFormats() throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 0, name: "n", roots: [file.ints([1, 2])])])
    var old = file.file([("class_A", table)], history: 0)
    let size = old.count
    // The root is in the footer; the header refers to it as slot 1, whose format is newer.
    let top = Int(old[size - 16]) | Int(old[size - 15]) << 8 | Int(old[size - 14]) << 16
    old.replaceSubrange(0..<8, with: Array(repeating: 0, count: 8))
    old.replaceSubrange(8..<16, with: littleEndianBytes(top, count: 8))
    (old[20], old[21], old[23]) = (9, 10, 1)
    let (report, lines) = try salvage(old) { $0.version = .offset(top) }
    #expect(lines.count == 2 && report.roots.map(\.fileFormat) == [9])
  }

  @Test("older versions are not read", arguments: [true, false])
  func olderVersions(fills: Bool) throws {
    let path = try folder.write(HandBuiltLegacy.duplicates(), to: "x.realm")
    var request = SalvageRequest(path: path)
    (request.fillsFromPrevious, request.includesFreed) = (fills, !fills)
    let error = #expect(throws: RequestError.self) {
      try SalvageJob(request).run(to: .realm(folder.path("y.realm"), replacing: false))
    }
    #expect(error?.kind == .noOlderValues(format: 9))
  }
}
