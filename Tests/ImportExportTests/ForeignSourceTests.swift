import Foundation
import TestSupport
import Testing

/// Formats other than Realm JSON, against objects written by hand.
@Suite("Imports of other formats")
struct ForeignSourceTests {
  /// Two objects, and their export.
  private static let objects = [
    #"{"class":"Dog","object":{"_key":0,"name":"Rex","age":3}}"#,
    #"{"class":"Dog","object":{"_key":1,"name":"Fido","age":null}}"#,
  ]

  /// The two objects in each form that a file of one class has.
  static let forms: [(name: String, text: String)] = [
    ("Dog.json", "[{\"name\":\"Rex\",\"age\":3},\n {\"name\":\"Fido\"}]"),
    ("Dog.ndjson", "{\"name\":\"Rex\",\"age\":3}\n{\"name\":\"Fido\",\"age\":null}"),
    ("Dog.jsonl", "{\"name\":\"Rex\",\"age\":3}\r\n\r\n{\"name\":\"Fido\",\"age\":null}\r\n"),
    ("Dog.json", "{\"name\":\"Rex\",\"age\":3}\n{\"name\":\"Fido\",\"age\":null}\n"),
    ("x.json", "{\"Dog\":[{\"name\":\"Rex\",\"age\":3},{\"name\":\"Fido\"}]}"),
    ("Dog.csv", "name,age\r\nRex,3\r\nFido,\r\n"),
    ("Dog.csv", "name,age\nRex,3\nFido,"),
    ("Dog.CSV", "\u{FEFF}\"name\",\"age\"\n\"Rex\",\"3\"\n\n\"Fido\",\"\"\n"),
    ("Dog.csv", "name,age\rRex,3\rFido,\r"),
  ]

  @Test("plain JSON, lines and CSV have the same objects", arguments: forms)
  func form(example: (name: String, text: String)) throws {
    let foreign = try ForeignImport().write(example.text, to: example.name)
    #expect(try foreign.objects(example.name) == ForeignSourceTests.objects)
  }

  @Test("--class names the class; standard input requires it")
  func className() throws {
    let folder = try TemporaryFolder()
    for (text, arguments) in [
      ("name,age\nRex,3\nFido,\n", ["--format", "csv"]),
      (ForeignSourceTests.forms[0].text, []), (ForeignSourceTests.forms[1].text, []),
    ] {
      let unnamed = try runTool(
        ["import", "-", "-o", "y.realm"] + arguments, stdin: Array(text.utf8), folder: folder.url)
      #expect(unnamed.status == 64)
      #expect(
        unnamed.stderr == """
          realm-cli: standard input: the input does not name the class of its objects
            hint: name the class with --class

          """)
      let result = try runTool(
        ["import", "-", "-o", "x.realm", "--force", "--class", "Dog"] + arguments,
        stdin: Array(text.utf8), folder: folder.url)
      #expect(result.status == 0, "\(result.stderr)")
      let lines = try runTool("export", "--format", "ndjson", "x.realm", folder: folder.url).text
        .split(separator: "\n").map(String.init)
      #expect(Array(lines.dropFirst().dropLast()) == ForeignSourceTests.objects)
    }
  }

  @Test("one object in a file is an object, not a document with an array for each class")
  func oneObject() throws {
    let foreign = try ForeignImport().write(#"{"name":"Rex","age":3}"#, to: "Dog.json")
    #expect(try foreign.objects("Dog.json") == [ForeignSourceTests.objects[0]])
    try foreign.write(#"{"tags":["x"]}"#, to: "Dog.ndjson")
    #expect(
      try foreign.objects("Dog.ndjson")
        == [#"{"class":"Dog","object":{"_key":0,"tags":["x"]}}"#])
  }

  @Test("a property and a class may have the name realm")
  func realm() throws {
    let foreign = try ForeignImport().write(
      "{\"_id\":1,\"realm\":\"eu\"}\n{\"_id\":2,\"realm\":\"us\"}\n", to: "User.ndjson")
    #expect(
      try foreign.objects("User.ndjson") == [
        #"{"class":"User","object":{"_id":1,"realm":"eu"}}"#,
        #"{"class":"User","object":{"_id":2,"realm":"us"}}"#,
      ])
    try foreign.write("{\"realm\":{\"name\":\"eu\"}}\n{\"realm\":null}\n", to: "User.json")
    #expect(
      try foreign.objects("User.json") == [
        #"{"class":"User","object":{"_key":0,"realm":{"name":"eu"}}}"#,
        #"{"class":"User","object":{"_key":1,"realm":null}}"#,
      ])
    let expected = [#"{"class":"realm","object":{"_key":0,"a":1}}"#]
    try foreign.write(#"{"realm":[{"a":1}]}"#, to: "x.json")
    #expect(try foreign.objects("x.json") == expected)
    let plain = try runTool("export", "--format", "plain", "x.realm", folder: foreign.folder.url)
    #expect(plain.text == "{\n\"realm\":[\n{\"_key\":0,\"a\":1}\n]\n}\n")
    try foreign.write(plain.text, to: "y.json")
    try foreign.write(#"[{"name":"realm","properties":{"a":"int"}}]"#, to: "s.json")
    #expect(try foreign.objects("y.json", "--schema", "s.json") == expected)
  }

  @Test("a folder has a file for each class, with links between them")
  func folder() throws {
    let foreign = try ForeignImport()
    try foreign.write(
      #"[{"name":"Dog","primaryKey":"id","properties":{"id":"int","owner":"Per/son?"}},"#
        + #"{"name":"Per/son","primaryKey":"name","properties":{"name":"string","dogs":"Dog[]"}},"#
        + #"{"name":"None","properties":{"x":"int"}},{"name":"Bare","properties":{}}]"#,
      to: "in/schema.json")
    try foreign.write("id,owner\n2,Ann\n1,\n", to: "in/Dog.csv")
    try foreign.write(#"[{"name":"Ann","dogs":[1,2]}]"#, to: "in/Per%2Fson.json")
    try foreign.write("", to: "in/None.ndjson")
    try foreign.write("\r\n", to: "in/Bare.csv")
    try foreign.write("read me", to: "in/README.txt")
    try foreign.write("junk", to: "in/.hidden.json")
    #expect(
      try foreign.objects("in") == [
        #"{"class":"Dog","object":{"id":2,"owner":"Ann"}}"#,
        #"{"class":"Dog","object":{"id":1,"owner":null}}"#,
        #"{"class":"Per/son","object":{"name":"Ann","dogs":[1,2]}}"#,
      ])
    let refused = try runTool(
      "import", "in", "-o", "y.realm", "--class", "Dog", folder: foreign.folder.url)
    #expect(refused.status == 64)
    #expect(
      refused.stderr.hasPrefix("realm-cli: in: the input already names the classes of its objects"))
  }

  private static let types =
    #"[{"name":"T","primaryKey":"id","properties":{"id":"int","s":"string","o":"string?","b":"bool?","#
    + #""f":"float?","d":"double?","n":"decimal128?","t":"date?","i":"objectId?","u":"uuid?","x":"data?","#
    + #""l":"int[]","e":"E?","k":"string{}","next":"T?","m":"mixed"}},"#
    + #"{"name":"E","embedded":true,"properties":{"q":"string?"}}]"#

  @Test("fields of CSV become values of the types of the schema")
  func fields() throws {
    let foreign = try ForeignImport().write(ForeignSourceTests.types, to: "s.json")
    try foreign.write(
      """
      m,next,k,e,l,x,u,i,t,n,d,f,b,o,s,id
      5,2,"{""a"":""b""}","{""q"":""r""}","[1,2]",//4=,3b241101-e2bb-4255-8caf-000000000001,64f0c0de00000001abcdef01,2023-11-14T22:13:20.5Z,1.50,1,0.1,TRUE,"","a,""b""\n c",1
      ,,,,,,,,,,,,,,,2
      "","","","","","","","","","","","","","","",3
      [1,,,,,,,,,,,,,,plain,4
      "[1,{""z"":true}]",,,,,,,,,,,,,,,5
      1.5,,,,,,,,,,,,,,,6
      false,,,,,,,,,,,,,,,7

      """, to: "T.csv")
    func object(_ id: Int, _ change: [String: String]) -> String {
      let names = ["s", "o", "b", "f", "d", "n", "t", "i", "u", "x", "l", "e", "k", "next", "m"]
      let usual = ["s": #""""#, "l": "[]", "k": "{}"]
      let members = names.map { "\"\($0)\":\(change[$0] ?? usual[$0] ?? "null")" }
      return #"{"class":"T","object":{"id":\#(id),"# + members.joined(separator: ",") + "}}"
    }
    let expected = [
      object(
        1,
        [
          "s": #""a,\"b\"\n c""#, "o": #""""#, "b": "true", "f": "0.1", "d": "1.0",
          "n": #"{"$numberDecimal":"1.50"}"#, "t": #"{"$date":"2023-11-14T22:13:20.5Z"}"#,
          "i": #"{"$oid":"64f0c0de00000001abcdef01"}"#,
          "u": #"{"$uuid":"3b241101-e2bb-4255-8caf-000000000001"}"#,
          "x": #"{"$binary":{"base64":"//4=","subType":"00"}}"#, "l": "[1,2]", "e": #"{"q":"r"}"#,
          "k": #"{"a":"b"}"#, "next": "2", "m": "5",
        ]),
      object(2, [:]),
      object(
        3,
        ["o": #""""#, "m": #""""#, "x": #"{"$binary":{"base64":"","subType":"00"}}"#]),
      object(4, ["s": #""plain""#, "m": #""[1""#]),
      object(5, ["m": #"[1,{"z":true}]"#]),
      object(6, ["m": "1.5"]),
      object(7, ["m": "false"]),
    ]
    #expect(try foreign.objects("T.csv", "--schema", "s.json") == expected)
  }

  @Test("--ignore-unknown leaves out columns, and members of plain JSON")
  func ignoreUnknown() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"Dog","properties":{"name":"string","age":"int?"}}]"#, to: "s.json")
    try foreign.write("age,coat,name\n3,brown,Rex\n,,Fido\n", to: "Dog.csv")
    #expect(
      try foreign.objects("Dog.csv", "--schema", "s.json", "--ignore-unknown")
        == ForeignSourceTests.objects)
    try foreign.write(#"[{"name":"Rex","age":3,"coat":{}},{"name":"Fido"}]"#, to: "Dog.json")
    #expect(
      try foreign.objects("Dog.json", "--schema", "s.json", "--ignore-unknown")
        == ForeignSourceTests.objects)
  }

  @Test("a large CSV with line ends in its fields is cut between rows, for any number of threads")
  func parts() throws {
    // 13 MB: four parts. Line ends between quotes are everywhere a cut may fall.
    let rows = 40_000
    let filler = String(repeating: "a\n\"\"b,\n", count: 40)
    var text = "id,text\n"
    for i in 0..<rows { text += "\(i),\"\(filler)\(i)\"\n" }
    let foreign = try ForeignImport().write(text, to: "T.csv")
    let realms = try ["1", "3"].map { jobs in
      let result = try runTool(
        "import", "T.csv", "-o", "\(jobs).realm", "--jobs", jobs, "-q", "--primary-key", "id",
        folder: foreign.folder.url)
      #expect(result.status == 0, "\(result.stderr)")
      return try Data(contentsOf: foreign.folder.url.appending(path: "\(jobs).realm"))
    }
    #expect(realms[0] == realms[1])
    let out = try runTool(
      "export", "1.realm", "--format", "ndjson", folder: foreign.folder.url
    ).text.split(separator: "\n")
    #expect(out.count == rows + 2)
    let value = String(repeating: #"a\n\"b,\n"#, count: 40)
    for i in [0, 12_345, rows - 1] {
      #expect(
        out[i + 1]
          == "{\"class\":\"T\",\"object\":{\"id\":\(i),\"text\":\"\(value)\(i)\"}}")
    }
  }

  @Test("a file with a schema refuses another one")
  func ownSchema() throws {
    let folder = try TemporaryFolder()
    let text = try runTool("export", Golden.path("names-v0.realm")).stdout
    for (arguments, message) in [
      (["--schema", "s.json"], "the input has its own schema"),
      (["--primary-key", "age"], "the input has its own schema"),
      (["--class", "Person"], "the input already names the classes of its objects"),
    ] {
      let result = try runTool(
        ["import", "-", "-o", "x.realm"] + arguments, stdin: text, folder: folder.url)
      #expect(result.status == 64)
      #expect(result.stderr.contains(message))
    }
    let schema = try runTool("import", "-", "--infer-only", stdin: text, folder: folder.url)
    let shown = try runTool("schema", "show", "--format", "json", Golden.path("names-v0.realm"))
    #expect(schema.text == shown.text)
  }

  @Test("-o and --infer-only exclude each other, and one of them is needed")
  func usage() throws {
    for arguments in [["--infer-only", "-o", "x.realm"], []] {
      let result = try runTool(["import", "x.json"] + arguments)
      #expect(result.status == 64)
      #expect(result.stderr.contains("-o"))
    }
  }
}
