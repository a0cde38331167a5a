import RealmMigration
import TestSupport
import Testing

/// The steps on properties, for each type that they apply to. All values are written by hand.
@Suite("Steps of migration plans for each type")
struct StepTypeTests {
  /// A type of single values.
  struct Kind: CustomTestStringConvertible, Sendable {
    let name: String
    /// Two values, and the value of a new property that is required.
    let first: String
    let second: String
    let new: String
    /// An expression, and its value.
    let filler: String
    let filled: String
    let isIndexable: Bool
    let canBeKey: Bool
    /// The values as strings; nil if they do not convert.
    let asStrings: String?

    var testDescription: String { name }
  }

  private static func data(_ base64: String) -> String {
    #"{"$binary":{"base64":"\#(base64)","subType":"00"}}"#
  }

  static let kinds = [
    Kind(
      name: "int", first: "7", second: "-9223372036854775808", new: "0", filler: "5", filled: "5",
      isIndexable: true, canBeKey: true, asStrings: #"["7","-9223372036854775808"]"#),
    Kind(
      name: "bool", first: "true", second: "false", new: "false", filler: "true", filled: "true",
      isIndexable: true, canBeKey: false, asStrings: #"["true","false"]"#),
    Kind(
      name: "string", first: "\"a\"", second: "\"b\"", new: "\"\"", filler: "'z'", filled: "\"z\"",
      isIndexable: true, canBeKey: true, asStrings: #"["a","b"]"#),
    Kind(
      name: "data", first: data("AQI="), second: data(""), new: data(""),
      filler: "binary('z')", filled: data("eg=="), isIndexable: false, canBeKey: false,
      asStrings: nil),
    Kind(
      name: "date", first: #"{"$date":"2000-01-02T03:04:05Z"}"#,
      second: #"{"$date":"1970-01-01T00:00:01.5Z"}"#, new: #"{"$date":"1970-01-01T00:00:00Z"}"#,
      filler: "2001-09-09@01:46:40", filled: #"{"$date":"2001-09-09T01:46:40Z"}"#,
      isIndexable: true, canBeKey: false,
      asStrings: #"["2000-01-02T03:04:05Z","1970-01-01T00:00:01.5Z"]"#),
    Kind(
      name: "float", first: "1.5", second: "-0.25", new: "0.0", filler: "2.5f", filled: "2.5",
      isIndexable: false, canBeKey: false, asStrings: #"["1.5","-0.25"]"#),
    Kind(
      name: "double", first: "1.5", second: "-0.25", new: "0.0", filler: "2.5", filled: "2.5",
      isIndexable: false, canBeKey: false, asStrings: #"["1.5","-0.25"]"#),
    Kind(
      name: "decimal128", first: #"{"$numberDecimal":"1.50"}"#,
      second: #"{"$numberDecimal":"-3"}"#, new: #"{"$numberDecimal":"0"}"#,
      filler: "decimal('2.50')", filled: #"{"$numberDecimal":"2.50"}"#, isIndexable: false,
      canBeKey: false, asStrings: #"["1.50","-3"]"#),
    Kind(
      name: "objectId", first: #"{"$oid":"64f0c0de00000001abcdef01"}"#,
      second: #"{"$oid":"64f0c0de00000001abcdef02"}"#,
      new: #"{"$oid":"000000000000000000000000"}"#, filler: "oid(64f0c0de00000001abcdef03)",
      filled: #"{"$oid":"64f0c0de00000001abcdef03"}"#, isIndexable: true, canBeKey: true,
      asStrings: #"["64f0c0de00000001abcdef01","64f0c0de00000001abcdef02"]"#),
    Kind(
      name: "uuid", first: #"{"$uuid":"3b241101-e2bb-4255-8caf-000000000001"}"#,
      second: #"{"$uuid":"3b241101-e2bb-4255-8caf-000000000002"}"#,
      new: #"{"$uuid":"00000000-0000-0000-0000-000000000000"}"#,
      filler: "uuid(3b241101-e2bb-4255-8caf-000000000003)",
      filled: #"{"$uuid":"3b241101-e2bb-4255-8caf-000000000003"}"#, isIndexable: true,
      canBeKey: true,
      asStrings:
        #"["3b241101-e2bb-4255-8caf-000000000001","3b241101-e2bb-4255-8caf-000000000002"]"#),
  ]

  /// A realm with a property for each use of the type: `v` is required, `o` may be null; lists, sets and
  /// dictionaries of both.
  private func world(_ kind: Kind) throws -> MigrationWorld {
    let (type, a, b) = (kind.name, kind.first, kind.second)
    return try MigrationWorld(
      text: """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
        "schema":[{"name":"A","keyMember":"_key","properties":{"v":"\(type)","w":"\(type)",
        "o":"\(type)?","l":"\(type)[]","s":"\(type)<>","d":"\(type){}","ol":"\(type)?[]",
        "os":"\(type)?<>","od":"\(type)?{}"}}],
        "objects":{"A":[
        {"_key":0,"v":\(a),"w":\(a),"o":\(a),"l":[\(a),\(b),\(a)],"s":[\(a)],"d":{"k":\(a)},
        "ol":[\(a),null],"os":[null],"od":{"k":null,"m":\(b)}},
        {"_key":1,"v":\(b),"w":\(b),"o":null,"l":[],"s":[],"d":{},"ol":[],"os":[],"od":{}}]}}
        """)
  }

  @Test("added, renamed, removed, optional and required properties", arguments: kinds)
  func properties(kind: Kind) throws {
    let (type, a, b, new, filler) = (kind.name, kind.first, kind.second, kind.new, kind.filler)
    let suffixes = ["", "?", "[]", "<>", "{}", "?[]", "?<>", "?{}"]
    let added = suffixes.enumerated().map { i, suffix in
      "add-property: {class: A, name: n\(i), type: '\(type)\(suffix)'}"
    }
    let plain = ["l", "s", "d", "v"].map { "set-optional: {class: A, name: \($0)}" }
    let optional = ["o", "ol", "os", "od"].map {
      #"set-required: {class: A, name: \#($0), value: "\#(filler)"}"#
    }
    let renamed = ["rename-property: {class: A, from: v, to: r}"]
    let removed = ["remove-property: {class: A, name: w}"]
    let computed = [#"add-property: {class: A, name: c, type: \#(type), value: "\#(filler)"}"#]
    let json = try world(kind).migrate(
      (added + plain + optional + renamed + removed + computed).joined(separator: "\n")
    ).json
    let filled = kind.filled
    let expected = [
      "n0": "[\(new),\(new)]", "n1": "[null,null]", "n2": "[[],[]]", "n3": "[[],[]]",
      "n4": "[{},{}]", "n5": "[[],[]]", "n6": "[[],[]]", "n7": "[{},{}]",
      "r": "[\(a),\(b)]", "l": "[[\(a),\(b),\(a)],[]]", "s": "[[\(a)],[]]",
      "d": #"[{"k":\#(a)},{}]"#, "o": "[\(a),\(filled)]", "ol": "[[\(a),\(filled)],[]]",
      "os": "[[\(filled)],[]]", "od": #"[{"k":\#(filled),"m":\#(b)},{}]"#,
      "c": "[\(filled),\(filled)]",
    ]
    for (name, values) in expected {
      #expect(
        JSONValue.array(json.values(of: "A", name).compactMap(\.self)) == (try JSONValue(values)),
        "\(name)")
    }
    let types = try #require(json.properties(of: "A"))
    #expect(
      types.names == [
        "r", "o", "l", "s", "d", "ol", "os", "od", "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7",
        "c",
      ])
    for (name, suffix) in [
      ("r", "?"), ("l", "?[]"), ("s", "?<>"), ("d", "?{}"), ("o", ""), ("ol", "[]"), ("os", "<>"),
      ("od", "{}"),
    ] {
      #expect(types[name] == .string(type + suffix), "\(name)")
    }
  }

  @Test("a null in a property that becomes required ends the migration", arguments: kinds)
  func nulls(kind: Kind) throws {
    for name in ["o", "ol", "os", "od"] {
      #expect("\(name)") {
        _ = try world(kind).migrate("set-required: {class: A, name: \(name)}")
      } throws: { error in
        guard error is MigrationError else { return false }
        return "\(error)".contains("A.\(name)")
      }
    }
  }

  @Test("values become mixed values and come back, and become strings", arguments: kinds)
  func types(kind: Kind) throws {
    let (type, a, b) = (kind.name, kind.first, kind.second)
    // In mixed values, floats are marked.
    func mixed(_ value: String) -> String { type == "float" ? #"{"$float":\#(value)}"# : value }
    let json = try world(kind).migrate(
      """
      change-type: {class: A, name: v, type: mixed}
      change-type: {class: A, name: l, type: 'mixed[]'}
      change-type: {class: A, name: od, type: 'mixed{}'}
      change-type: {class: A, name: w, type: mixed}
      change-type: {class: A, name: w, type: \(type)}
      """
    ).json
    let expected = [
      "v": "[\(mixed(a)),\(mixed(b))]", "l": "[[\(mixed(a)),\(mixed(b)),\(mixed(a))],[]]",
      "od": #"[{"k":null,"m":\#(mixed(b))},{}]"#, "w": "[\(a),\(b)]",
    ]
    for (name, values) in expected {
      #expect(
        JSONValue.array(json.values(of: "A", name).compactMap(\.self)) == (try JSONValue(values)),
        "\(name)")
    }
    guard type != "string" else { return }
    let steps = "change-type: {class: A, name: v, type: string}"
    if let texts = kind.asStrings {
      let json = try world(kind).migrate(steps).json
      #expect(
        JSONValue.array(json.values(of: "A", "v").compactMap(\.self)) == (try JSONValue(texts)))
    } else {
      expectRule("do not convert to string", kind, steps)
    }
  }

  @Test("indexes and primary keys where the type can have them", arguments: kinds)
  func indexes(kind: Kind) throws {
    for name in ["v", "o"] {
      let steps = "add-index: {class: A, name: \(name)}"
      guard kind.isIndexable else {
        expectRule("cannot have an index", kind, steps)
        continue
      }
      let type = try world(kind).migrate(steps).json.properties(of: "A")?[name]
      #expect(type?["indexed"]?.bool == true)
    }
    for name in ["l", "s", "d"] where kind.name != "string" || name != "l" {
      expectRule("cannot have an index", kind, "add-index: {class: A, name: \(name)}")
    }
    let fulltext = "add-index: {class: A, name: v, fulltext: true}"
    if kind.name == "string" {
      let type = try world(kind).migrate(fulltext).json.properties(of: "A")?["v"]
      #expect(type?["fulltext"]?.bool == true)
    } else {
      expectRule("only strings can have", kind, fulltext)
    }
    let key = "set-primary-key: {class: A, name: v}"
    guard kind.canBeKey else {
      expectRule("a primary key is one int, string, objectId or uuid", kind, key)
      return
    }
    let json = try world(kind).migrate(key).json
    #expect(json["schema"]?.array?.first?["primaryKey"]?.string == "v")
    expectRule("a primary key is one int", kind, "set-primary-key: {class: A, name: l}")
  }

  /// Expects that a rule of schemas refuses steps.
  private func expectRule(
    _ message: String, _ kind: Kind, _ steps: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect("\(steps)", sourceLocation: location) {
      _ = try world(kind).migrate(steps)
    } throws: { error in
      guard error is PlanError else { return false }
      return "\(error)".contains(message)
    }
  }
}
