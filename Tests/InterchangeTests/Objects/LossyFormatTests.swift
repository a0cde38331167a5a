import RealmInterchange
import RealmModel
import RealmStorage
import Testing

@Suite("Formats that lose something")
struct LossyFormatTests {
  private static let schema = ObjectSchema(classes: [
    ObjectClass(
      name: Name("Person"),
      properties: [
        Property(name: Name("name"), type: .string, isOptional: true),
        Property(name: Name("_id"), type: .double, isOptional: true),
        Property(name: Name("born"), type: .timestamp, isOptional: true),
        Property(name: Name("friend"), type: .link, isOptional: true, target: 0),
        Property(name: Name("scores"), type: .int, collection: .dictionary),
      ], primaryKey: 0)
  ])

  private static let batch = ObjectBatch(
    classPosition: 0,
    columns: [
      .strings(["a,\"b\"\nc", "", nil]), .doubles([1.5, .nan, -.infinity]),
      .dates([
        (seconds: 1, nanoseconds: 500_000_001), nil,
        (seconds: .max, nanoseconds: 0),
      ]),
      .links(to: 0, primaryKeys: [.string("x"), .null, nil], type: .string),
      .dictionaries(ends: [1, 1, 3], keys: ["$a.b", "c", "d"], elements: .ints([1, 2, 3])),
    ])

  @Test("plain JSON has no wrappers, and null for numbers that JSON does not have")
  func plain() throws {
    let (text, losses) = try textOfBatch(
      LossyFormatTests.batch, LossyFormatTests.schema, as: .plain)
    #expect(
      text == """
        {
        "Person":[
        {"name":"a,\\"b\\"\\nc","_id":1.5,"born":"1970-01-01T00:00:01.500000001Z","friend":"x",\
        "scores":{"$a.b":1}},
        {"name":"","_id":null,"born":null,"friend":null,"scores":{}},
        {"name":null,"_id":null,"born":null,"friend":null,"scores":{"c":2,"d":3}}
        ]
        }

        """)
    #expect(losses[.notFiniteNumbers] == 2)
    #expect(losses[.outlyingDates] == 1)
    #expect(losses[.linksToNull] == 1)
    #expect(losses[.cutDates] == 0)
  }

  @Test("Extended JSON calls the primary key _id, and another _id by another name")
  func ejson() throws {
    let (text, losses) = try textOfBatch(
      LossyFormatTests.batch, LossyFormatTests.schema, as: .ejson)
    #expect(
      text == """
        {"_id":"a,\\"b\\"\\nc","__id":{"$numberDouble":"1.5"},"born":{"$date":{"$numberLong":"1500"}},\
        "friend":"x","scores":{"%24a%2Eb":{"$numberLong":"1"}}}
        {"_id":"","__id":{"$numberDouble":"NaN"},"born":null,"friend":null,"scores":{}}
        {"_id":null,"__id":{"$numberDouble":"-Infinity"},"born":null,"friend":null,\
        "scores":{"c":{"$numberLong":"2"},"d":{"$numberLong":"3"}}}

        """)
    #expect(losses[.notFiniteNumbers] == 0)
    #expect(losses[.cutDates] == 1)
    #expect(losses[.outlyingDates] == 1)
    #expect(losses[.linksToNull] == 1)
    #expect(losses[.changedKeys] == 1)
  }

  @Test(
    "CSV quotes fields with commas, quotes or line ends, and distinguishes null from an empty string"
  )
  func csv() throws {
    let (text, losses) = try textOfBatch(LossyFormatTests.batch, LossyFormatTests.schema, as: .csv)
    #expect(
      text
        == [
          "name,_id,born,friend,scores",
          "\"a,\"\"b\"\"\nc\",1.5,1970-01-01T00:00:01.500000001Z,x,\"{\"\"$a.b\"\":1}\"",
          "\"\",,,,{}",
          ",,,,\"{\"\"c\"\":2,\"\"d\"\":3}\"", "",
        ].joined(separator: "\r\n"))
    #expect(losses[.notFiniteNumbers] == 2)
  }

  @Test("mixed values that look like another type are counted")
  func ambiguous() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"),
        properties: [
          Property(name: Name("m"), type: .mixed, isOptional: true),
          Property(name: Name("d"), type: .mixed, isOptional: true, collection: .dictionary),
        ])
    ])
    let texts = ["1.50", "1e3", "TRUE", "[1, 2]", "{}", "1.", "[1", "truer", "007", "", "x"]
    let slices = SliceColumn(copying: texts.map { Array($0.utf8) })
    var values: [BatchValue] = texts.indices.map { slices[$0].map(BatchValue.string) ?? .null }
    values.append(.dictionary(0))
    var mixed = MixedColumn(values: values)
    mixed.dictionaries = CollectionColumn(
      ends: [1], elements: .mixed(MixedColumn(values: [.int(1)])),
      keys: .string(SliceColumn(copying: [Array("$oid".utf8)])))
    let dictionaries = ColumnValues.collection(
      CollectionColumn(
        ends: Array(repeating: 1, count: values.count),
        elements: .mixed(MixedColumn(values: [.int(1)])),
        keys: .string(SliceColumn(copying: [Array("$y".utf8)]))))
    let batch = ObjectBatch(
      classPosition: 0, columns: [BatchColumn(.mixed(mixed)), BatchColumn(dictionaries)])
    // The strings 1.50, 1e3, TRUE, [1, 2] and {}, and the dictionary with $oid.
    #expect(try textOfBatch(batch, schema, as: .csv).losses[.ambiguousValues] == 6)
    #expect(try textOfBatch(batch, schema, as: .plain).losses[.ambiguousValues] == 1)
    #expect(try textOfBatch(batch, schema, as: .ejson).losses[.ambiguousValues] == 0)
    #expect(try textOfBatch(batch, schema, as: .json).losses[.ambiguousValues] == 0)
    withExtendedLifetime(slices) {}
  }

  @Test("the line of an object with one property that is null is not empty")
  func oneProperty() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"), properties: [Property(name: Name("_id"), type: .int, isOptional: true)],
        primaryKey: 0)
    ])
    let batch = ObjectBatch(classPosition: 0, columns: [.ints([nil, 1])])
    #expect(try textOfBatch(batch, schema, as: .csv).text == "_id\r\n\"\"\r\n1\r\n")
  }
}
