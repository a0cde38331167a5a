import Foundation
import TestSupport
import Testing

/// Documents of MongoDB, against objects written by hand.
@Suite("Import of documents of MongoDB")
struct DocumentTests {
  /// The output of `mongoexport` in its relaxed and its canonical form, as lines and with `--jsonArray`.
  @Test("collections that mongoexport writes become classes")
  func mongoexport() throws {
    let foreign = try ForeignImport()
    try foreign.write(
      """
      {"_id":{"$oid":"64f0c0de00000001abcdef01"},"n":1,"at":{"$date":"2023-11-14T22:13:20.123Z"},"tags":["a"]}
      {"_id":{"$oid":"64f0c0de00000001abcdef02"},"n":{"$numberInt":"2"},"at":{"$date":{"$numberLong":"-1"}},"tags":[]}

      """, to: "in/events.json")
    try foreign.write(
      #"[{"_id":"a","sum":{"$numberDecimal":"1.50"},"big":{"$numberLong":"9007199254740993"}},"#
        + #"{"_id":"b","sum":{"$numberDecimal":"2"},"big":{"$numberLong":"1"}}]"#,
      to: "in/orders.json")
    #expect(
      try foreign.schema("in") == [
        #"{"name":"events","primaryKey":"_id","properties":{"_id":"objectId","n":"int","at":"date","tags":"string[]"}}"#,
        #"{"name":"orders","primaryKey":"_id","properties":{"_id":"string","sum":"decimal128","big":"int"}}"#,
      ])
    #expect(
      try foreign.objects("in") == [
        #"{"class":"events","object":{"_id":{"$oid":"64f0c0de00000001abcdef01"},"n":1,"at":{"$date":"2023-11-14T22:13:20.123Z"},"tags":["a"]}}"#,
        #"{"class":"events","object":{"_id":{"$oid":"64f0c0de00000001abcdef02"},"n":2,"at":{"$date":"1969-12-31T23:59:59.999Z"},"tags":[]}}"#,
        #"{"class":"orders","object":{"_id":"a","sum":{"$numberDecimal":"1.50"},"big":9007199254740993}}"#,
        #"{"class":"orders","object":{"_id":"b","sum":{"$numberDecimal":"2"},"big":1}}"#,
      ])
  }

  @Test("binaries with a subtype that realms do not have are imported, counted and reported")
  func subtypes() throws {
    let foreign = try ForeignImport().write(
      """
      {"a":{"$binary":{"base64":"AQI=","subType":"00"}},"m":[{"$binary":{"base64":"Aw==","subType":"05"}}]}
      {"a":{"$binary":{"base64":"BA==","subType":"80"}},"m":[{"$binary":{"base64":"","subType":"3"}}]}

      """, to: "T.ndjson")
    try foreign.write(#"[{"name":"T","properties":{"a":"data","m":"mixed[]"}}]"#, to: "s.json")
    let result = try runTool(
      "import", "T.ndjson", "--schema", "s.json", "-o", "y.realm", "--json",
      folder: foreign.folder.url)
    #expect(result.stderr.contains("stored 3 binaries without the subtype"))
    #expect(try JSONParser.parse(result.stdout)["lostSubtypes"]?.int == 3)
    #expect(
      try foreign.objects("T.ndjson", "--schema", "s.json") == [
        #"{"class":"T","object":{"_key":0,"a":{"$binary":{"base64":"AQI=","subType":"00"}},"#
          + #""m":[{"$binary":{"base64":"Aw==","subType":"00"}}]}}"#,
        #"{"class":"T","object":{"_key":1,"a":{"$binary":{"base64":"BA==","subType":"00"}},"#
          + #""m":[{"$binary":{"base64":"","subType":"00"}}]}}"#,
      ])
    let wrong = try ForeignImport().write(
      #"{"a":{"$binary":{"base64":"AQI=","subType":"xyz"}},"m":[]}"#, to: "T.ndjson"
    )
    .write(#"[{"name":"T","properties":{"a":"data","m":"mixed[]"}}]"#, to: "s.json")
    #expect(
      try wrong.failure("T.ndjson", "--schema", "s.json").hasSuffix(
        #"/a/$binary/subType, class T.a: found "xyz", expected a subtype of one or two hexadecimal digits"#
      ))
  }

  @Test("references of MongoDB are links if the schema has the class")
  func references() throws {
    let foreign = try ForeignImport()
    try foreign.write(
      #"{"_id":1,"next":{"$ref":"A","$id":2},"any":{"$ref":"A","$id":1}}"#
        + "\n" + #"{"_id":2,"next":null,"any":"x"}"# + "\n", to: "A.ndjson")
    try foreign.write(
      #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","next":"A?","any":"mixed"}}]"#,
      to: "s.json")
    #expect(
      try foreign.objects("A.ndjson", "--schema", "s.json") == [
        #"{"class":"A","object":{"_id":1,"next":2,"any":{"$link":{"class":"A","id":1}}}}"#,
        #"{"class":"A","object":{"_id":2,"next":null,"any":"x"}}"#,
      ])
  }

  /// Objects with a name, some of them with an `_id`, in any order.
  @Test(
    "_id is not the primary key next to the real one, for any order of the objects",
    arguments: [
      [#"{"_id":"x1","name":"Ann","age":3}"#, #"{"_id":"x2","name":"Bob","age":4}"#],
      [#"{"name":"Ann","age":3}"#, #"{"_id":"x2","name":"Bob","age":4}"#],
      [#"{"_id":"x1","name":"Ann","age":3}"#, #"{"name":"Bob","age":4}"#],
    ])
  func realKey(objects: [String]) throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"P","primaryKey":"name","properties":{"name":"string?","age":"int?"}}]"#,
      to: "s.json")
    for order in [objects, objects.reversed()] {
      try foreign.write("[" + order.joined(separator: ",") + "]", to: "P.json")
      let people = try foreign.objects("P.json", "--schema", "s.json", "--ignore-unknown")
      #expect(
        people.sorted() == [
          #"{"class":"P","object":{"name":"Ann","age":3}}"#,
          #"{"class":"P","object":{"name":"Bob","age":4}}"#,
        ])
    }
  }

  @Test("_id next to the primary key is reported, and documents stay documents")
  func documents() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"P","primaryKey":"name","properties":{"name":"string?","age":"int?"}}]"#,
      to: "s.json")
    try foreign.write(#"[{"_id":"x1","age":3},{"_id":"x2","name":"Bob"}]"#, to: "P.json")
    #expect(
      try foreign.failure("P.json", "--schema", "s.json")
        == "realm-cli: P.json: line 1, column 35, /1/name, class P: the first object of the class has "
        + "the primary key in _id, but this object in name")
    try foreign.write(#"[{"_id":"x2","name":"Bob"},{"_id":"x1","age":3}]"#, to: "P.json")
    #expect(
      try foreign.failure("P.json", "--schema", "s.json")
        == "realm-cli: P.json: line 1, column 3, /0/_id, class P: the class has no property named _id"
    )
    try foreign.write(
      #"[{"_id":"Ann","age":3,"coat":1},{"_id":"Bob","age":4}]"#, to: "P.json")
    #expect(
      try foreign.objects("P.json", "--schema", "s.json", "--ignore-unknown") == [
        #"{"class":"P","object":{"name":"Ann","age":3}}"#,
        #"{"class":"P","object":{"name":"Bob","age":4}}"#,
      ])
  }
}
