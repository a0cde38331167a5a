import RealmInterchange
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// An output is handed over in pieces. Where one ends must not matter.
@Suite("Edges of written pieces")
struct TextEdgeTests {
  /// Steps in which output is handed over as soon as there are `size` bytes.
  private func steps(_ size: Int, columns: Int? = nil) -> TextSteps {
    var steps = TextSteps()
    (steps.handOverByteCount, steps.chunkByteCount) = (size, size)
    if let columns { steps.columnByteCount = columns }
    return steps
  }

  private func written(
    _ name: String, _ format: ObjectTextFormat, _ steps: TextSteps, jobs: Int = 1
  ) throws -> String {
    var request = ObjectRequest()
    request.normalization = format.normalization
    let output = MemorySink()
    let report = try format.write(
      RealmSource(try Realm(path: Golden.path("\(name).realm")), request),
      RealmJSONHead(schemaVersion: 1, isPartial: false), jobs: jobs, to: SingleOutput(output),
      steps, progress: { _ in })
    return output.text + "\n\(report.losses) \(report.counts.map(\.objects))"
  }

  /// Golden realms, and the sizes of their pieces; the last two are large.
  static let realms: [(name: String, sizes: [Int])] = [
    ("nested-mixed", Array(1...64)), ("links", Array(1...64) + [255, 4095, 4096, 4097]),
    ("all-types", [7]), ("strings", [4097]),
  ]

  @Test(
    "pieces of any size give the same text in each format", arguments: ObjectTextFormat.allCases,
    realms)
  func formats(format: ObjectTextFormat, realm: (name: String, sizes: [Int])) throws {
    let name = realm.name
    let whole = try written(name, format, TextSteps())
    for size in realm.sizes {
      // With and without columns that are prepared for all objects of a batch.
      #expect(try written(name, format, steps(size)) == whole, "pieces of \(size) bytes")
      #expect(
        try written(name, format, steps(size, columns: 0)) == whole,
        "pieces of \(size) bytes, no columns")
    }
    #expect(try written(name, format, steps(1, columns: 100), jobs: 3) == whole)
  }

  @Test("pieces of any size give the same rows", arguments: RowTextFormat.allCases)
  func rows(format: RowTextFormat) throws {
    func written(_ steps: TextSteps) throws -> String {
      var request = ObjectRequest()
      request.normalization = .format24
      let source = RealmSource(try Realm(path: Golden.path("nested-mixed.realm")), request)
      let output = MemorySink()
      _ = try format.write(source, jobs: 1, to: SingleOutput(output), steps)
      return output.text
    }
    let whole = try written(TextSteps())
    for size in 1...64 {
      #expect(try written(steps(size)) == whole, "pieces of \(size) bytes")
      #expect(try written(steps(size, columns: 0)) == whole, "pieces of \(size) bytes, no columns")
    }
  }

  @Test("a long string or binary is written in pieces that end at any byte")
  func longValues() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"),
        properties: [
          Property(name: Name("s"), type: .string), Property(name: Name("b"), type: .binary),
        ])
    ])
    let string = String(repeating: "aé日😀\"\\\n\u{1F}", count: 40)
    let escaped = string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n").replacing("\u{1F}", with: "\\u001f")
    for count in 0...7 {
      let triple: [UInt8] = [0xFB, 0xEF, 0xBE]
      let binary: [UInt8] = (0..<(300 - count)).map { triple[$0 % 3] }
      // Four letters for three bytes; 0xFBEFBE is "++++", 0xFBEF "++8=", 0xFB "+w==".
      let base64 =
        String(repeating: "++++", count: (300 - count) / 3)
        + ["", "+w==", "++8="][binary.count % 3]
      for size in 1...64 {
        let output = MemorySink()
        _ = try ObjectTextFormat.ndjson.write(
          BatchSource(
            schema: schema,
            batches: [
              ObjectBatch(
                classPosition: 0, columns: [.strings([string]), .binaries([binary])])
            ]),
          RealmJSONHead(schemaVersion: nil, isPartial: false), jobs: 1, to: SingleOutput(output),
          steps(size, columns: 0), progress: { _ in })
        let expected =
          "\"object\":{\"s\":\"\(escaped)\",\"b\":{\"$binary\":{\"base64\":\"\(base64)\""
        #expect(output.text.contains(expected), "pieces of \(size) bytes")
      }
    }
  }

  @Test(
    "rows of a database may be inserted in pieces of any size",
    arguments: ["nested-mixed", "links"])
  func database(name: String) throws {
    let folder = try TemporaryFolder()
    let realm = try Realm(path: Golden.path("\(name).realm"))
    var request = ObjectRequest()
    request.normalization = .format24
    func rows(_ steps: TextSteps) throws -> [[String]] {
      let path = try folder.write([], to: "x.sqlite")
      let written = try SQLiteExport.write(
        RealmSource(realm, request), to: DatabaseFile(unfinishedPath: path, path: path),
        schemaVersion: nil, jobs: 1, steps, progress: { _ in })
      let file = SQLiteFile(path)
      #expect(try file.problems() == [])
      return try file.tables().map { try [$0] + file.rows("SELECT * FROM \"\($0)\"") }
        + [["\(written.losses)"]]
    }
    let whole = try rows(TextSteps())
    for size in [1, 2, 3, 7, 16, 64, 1000] {
      #expect(try rows(steps(size)) == whole, "pieces of \(size) bytes")
      #expect(try rows(steps(size, columns: 0)) == whole, "pieces of \(size) bytes, row by row")
    }
  }
}
