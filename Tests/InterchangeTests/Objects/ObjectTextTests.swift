import RealmInterchange
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// The output for one batch, and its losses.
func textOfBatch(
  _ batch: ObjectBatch, _ schema: ObjectSchema, as format: ObjectTextFormat
) throws -> (text: String, losses: FormatLosses) {
  let output = MemorySink()
  let report = try format.write(
    BatchSource(schema: schema, batches: [batch], classes: [batch.classPosition]),
    RealmJSONHead(schemaVersion: nil, isPartial: false),
    jobs: 1, to: SingleOutput(output), progress: { _ in })
  return (output.text, report.losses)
}

@Suite("Output of hand-made batches")
struct ObjectTextTests {
  /// The objects of one batch, one line each.
  private func objects(_ batch: ObjectBatch, _ schema: ObjectSchema) throws -> [String] {
    try textOfBatch(batch, schema, as: .ndjson).text.split(separator: "\n").map(String.init).filter
    {
      $0.hasPrefix("{\"class\":")
    }
  }

  private let town = ObjectClass(
    name: Name("Town"), properties: [Property(name: Name("name"), type: .string)], primaryKey: nil)

  @Test("a link is its target's identity of any type; null is not a link")
  func links() throws {
    let identities: [(BatchColumn, [String])] = [
      (.links(to: 1, primaryKeys: [.int(-5), nil], type: .int), ["-5", "null"]),
      (.links(to: 1, primaryKeys: [.string("a\"b"), nil], type: .string), ["\"a\\\"b\"", "null"]),
      (
        .links(
          to: 1, primaryKeys: [.objectId(Array(0..<12)), nil], type: .objectId),
        ["{\"$oid\":\"000102030405060708090a0b\"}", "null"]
      ),
      (
        .links(to: 1, primaryKeys: [.uuid(Array(240...255)), nil], type: .uuid),
        ["{\"$uuid\":\"f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff\"}", "null"]
      ),
      // The object whose primary key is null is one, too.
      (
        .links(to: 1, primaryKeys: [.null, nil], type: .string),
        ["{\"$link\":{\"id\":null}}", "null"]
      ),
      (.links(to: 1, keys: [ObjectKey(7), nil]), ["7", "null"]),
    ]
    for (column, texts) in identities {
      let schema = ObjectSchema(classes: [
        ObjectClass(
          name: Name("Person"),
          properties: [Property(name: Name("town"), type: .link, isOptional: true, target: 1)],
          primaryKey: nil), town,
      ])
      let batch = ObjectBatch(classPosition: 0, columns: [column])
      #expect(
        try objects(batch, schema)
          == texts.map { "{\"class\":\"Person\",\"object\":{\"town\":\($0)}}" })
    }
  }

  @Test("a property that is not requested leaves no comma behind")
  func absentProperties() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"),
        properties: ["a", "b", "c"].map { Property(name: Name($0), type: .int) }, primaryKey: nil)
    ])
    let columns: [BatchColumn?] = [.ints([1]), .ints([2]), .ints([3])]
    func text(_ given: Set<Int>, keys: [ObjectKey] = []) throws -> [String] {
      let batch = ObjectBatch(
        classPosition: 0, keys: keys,
        columns: columns.indices.map { given.contains($0) ? columns[$0] : nil })
      return try objects(batch, schema)
    }
    #expect(try text([1, 2]) == ["{\"class\":\"T\",\"object\":{\"b\":2,\"c\":3}}"])
    #expect(try text([0, 2]) == ["{\"class\":\"T\",\"object\":{\"a\":1,\"c\":3}}"])
    #expect(
      try text([2], keys: [ObjectKey(4)])
        == ["{\"class\":\"T\",\"object\":{\"_key\":4,\"c\":3}}"])
  }

  @Test("strings of every length are escaped as in JSON, wherever the special byte is")
  func strings() throws {
    var values: [String] = []
    for length in 0..<40 {
      values.append(String(repeating: "x", count: length))
      for place in 0..<length {
        var text = Array(repeating: UInt8(ascii: "x"), count: length)
        text[place] = [0x22, 0x5C, 0x1F][place % 3]
        values.append(String(decoding: text, as: UTF8.self))
      }
    }
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"), properties: [Property(name: Name("s"), type: .string)], primaryKey: nil)
    ])
    for start in stride(from: 0, to: values.count, by: 256) {
      let some = Array(values[start..<min(start + 256, values.count)])
      let texts = try objects(
        ObjectBatch(classPosition: 0, columns: [.strings(some)]), schema)
      #expect(
        texts
          == some.map { value in
            let escaped = value.unicodeScalars.map { scalar in
              switch scalar {
              case "\"": "\\\""
              case "\\": "\\\\"
              case "\u{1F}": "\\u001f"
              default: String(scalar)
              }
            }
            return "{\"class\":\"T\",\"object\":{\"s\":\"\(escaped.joined())\"}}"
          })
    }
  }
}
