import RealmInterchange
import RealmModel
import TestSupport
import Testing

@Suite("Reading the parts of a file")
struct TextCursorTests {
  @Test("objects after a wrong one do not get into the next part")
  func wrongObject() throws {
    let folder = try TemporaryFolder()
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"A","properties":{"s":"string"}},{"name":"B","properties":{"s":"string"}}],
      "objects":{"A":[{"s":1},{"s":"a text of the first part"}],"B":[{"s":"b"}]}}
      """
    try folder.write(Array(text.utf8), to: "a.json")
    var options = ImportOptions()
    options.errorLimit = 10
    let source = try ImportInput(path: folder.path("a.json"), options).source
    let parts = try source.parts()
    #expect(parts.map(\.classPosition) == [0, 1])
    var cursor = source.makeCursor()
    var batches: [[Int]] = []
    for part in parts {
      try cursor.open(part)
      var found: [Int] = []
      while let batch = try cursor.next() {
        #expect(batch.classPosition == part.classPosition)
        found.append(batch.count)
      }
      _ = cursor.close()
      batches.append(found)
    }
    // The import fails because of the first part, of which no object is used.
    #expect(batches == [[], [1]])
  }
}
