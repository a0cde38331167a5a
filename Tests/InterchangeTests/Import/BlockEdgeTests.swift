import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmInterchange

/// An input is read in blocks, and its objects in parts. Where one ends must not matter.
@Suite("Edges of blocks")
struct BlockEdgeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: The usual size

  @Test("white space between two elements may begin with a block", arguments: [-1, 0, 1])
  func whiteSpace(shift: Int) throws {
    // The line feed after the comma is the first byte of the second block.
    let start = #"[{"s":""#
    let end = "\"},"
    let padding =
      ImportSteps().blockByteCount + shift - start.utf8.count - end.utf8.count
    let text = start + String(repeating: "x", count: padding) + end + "\n" + #"{"s":"y"}]"#
    try folder.write(Array(text.utf8), to: "A.json")
    let source = try ImportInput(path: folder.path("A.json"), ImportOptions()).source
    #expect(source.objectCount == 2)
  }

  // MARK: Every size

  /// An input with every kind of token. Its file is named `A` with the extension.
  struct Input: Sendable, CustomTestStringConvertible {
    let name: String
    let fileExtension: String
    let text: String
    /// The start of its error; nil if nothing is wrong.
    let error: String?

    init(_ name: String, _ fileExtension: String, _ text: String, error: String? = nil) {
      (self.name, self.fileExtension, self.text) = (name, fileExtension, text)
      self.error = error
    }

    var testDescription: String { name }
  }

  private static let head =
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":3},"schema":[{"name":"A","#
    + #""properties":{"i":"int","s":"string?","l":"mixed[]"}},{"name":"B é","properties":{"n":"double"}}]"#

  private static let object =
    #"{"i":-12,"s":"a\"\\\/\b\n\u00e9\ud83d\ude00 é日😀]}","l":[true,false,null,1.5e+10,-0,[],{},[[{"$date":"2020-01-01T00:00:00Z"}]]]}"#

  static let inputs = [
    Input(
      "a document", "json",
      head + ",\r\n\t \"objects\" :{ \"A\" : [ \(object) ,\r\n\r\n\(object)\t]\n,\"B \\u00e9\":"
        + "[{\"n\":1e5},{\"n\" : -2.25E-3 }] }\n } \n\n"),
    Input(
      "an array", "json", "\u{FEFF} [\r\n{\"i\":1 ,\"t\":\"\\\"[\"}\n,\n{ }\t,{\"i\":22}\n\n]\r\n"),
    Input(
      "arrays by class", "json",
      "{\n\"A\":[{\"i\":1}, {\"i\":2}],\r\n \"B\\n\" : [ ] ,\"C\":[{\"s\":\"日本 \\\\\"}]}"),
    Input("an object in several lines", "json", "{\n \"A\" : [\n{\n\"i\" : 1\n}\n]\n}"),
    Input(
      "lines", "ndjson",
      "\n {\"i\":1,\"s\":\"é\"}\r\n\r\n\t{\"i\":22,\"s\":\"\\u00e9\\n\"}\n{\"i\":-3}\n\n{\"i\":4.5}"
    ),
    Input(
      "lines of Realm JSON", "ndjson",
      "\(head)}\n{\"class\":\"A\",\"object\":\(object)}\r\n\n{\"class\":\"B é\",\"object\":{\"n\":1}}\n"
        + " {\"counts\":{\"A\":1,\"B é\":1}} \r\n\n "),
    Input(
      "rows", "csv",
      "\r\n\u{FEFF}a,\"b \"\"c\"\"\",日\r\n1,\"x\r\ny,\"\"\",é\r\n\r\n2,,\"\"\r3,\" \",\"\"\"\"\n\n\"4\",-1.5e3,\"{\"\"a\"\":[1]}\""
    ),
    // What is wrong, and where, must not depend on the size either.
    Input(
      "a document with a wrong separator", "json", "[{\"i\":1}\n\n;{\"i\":2}]",
      error: "line 3, column 1"),
    Input(
      "a document with more after its end", "json", "[{\"i\":1}]\n\r\n {}",
      error: "line 3, column 2"),
    Input("an open string", "json", "[{\"i\":1},\r\n{\"s\":\"é\\\"", error: "line 2, column 10"),
    Input("two objects", "json", "{\n\"i\":1\n}\r\n{\n\"i\":2\n}", error: "line 4, column 1"),
    Input("a stray quote", "csv", "a,b\r\n1,2\r\né,x\"y\r\n", error: "line 3, column 4"),
    Input("an open quote", "csv", "a,b\n1,2\n\"é,x\r\ny", error: "line 3, column 1"),
    Input("a byte after a quote", "csv", "a,b\n1,2\n\"é\"x,y\r\ny", error: "line 3, column 4"),
    Input(
      "lines without counts", "ndjson", "\(head)}\n{\"class\":\"A\",\"object\":{\"i\":1}}\n\n "),
  ]

  private func steps(_ block: Int, part: Int = ImportSteps().partByteCount) -> ImportSteps {
    var steps = ImportSteps()
    (steps.blockByteCount, steps.partByteCount) = (block, part)
    return steps
  }

  /// All that a reader finds in the file, in lines: the layout if `showsParts`, each record with its tokens and places, or
  /// the error with its place.
  private func found(_ path: String, _ steps: ImportSteps, showsParts: Bool) -> [String] {
    var lines: [String] = []
    do throws(ImportError) {
      let file = try ImportFile(path: path, steps: steps)
      do throws(ImportError) {
        let isCSV = path.hasSuffix(".csv")
        let header = isCSV ? try CSVHeader(of: file) : nil
        let layout =
          if let header {
            try JSONLayout(rowsOf: file, behind: header)
          } else {
            try JSONLayout(of: file, isLines: path.hasSuffix(".ndjson"))
          }
        lines.append("\(layout.form) \(layout.runs) \(layout.objectCount)")
        if showsParts { lines += layout.parts.map { "\($0)" } }
        if let header {
          lines += header.columns.map { "\($0.name.text) at \($0.offset)" }
        }
        var input = SourceInput(file, layout, header: header)
        if let header {
          input.columns = CSVColumn.untyped(header)
        }
        for part in layout.parts {
          var reader = try RecordReader(input, part, JSONParser(), input.makeRecords())
          while let record = try reader.next() {
            lines.append("\(reader.start) \(reader.pointer) \(BlockEdgeTests.text(record))")
          }
        }
      } catch {
        throw file.located(error)
      }
    } catch {
      lines.append("\(error) at \(error.offset ?? -1)")
    }
    return lines
  }

  /// The tokens of a record.
  private static func text(_ record: JSONRecord) -> String {
    (0..<record.count).map { i in
      let value =
        switch record.kind(i) {
        case .integer: "\(record.integer(i))"
        case .double: "\(record.number(i))"
        case .largeNumber: record.numberText(i)
        case .string, .name: record.bytes(i).text.debugDescription
        case .array, .object: "\(record.count(i))"
        case .null, .no, .yes: ""
        }
      return "\(record.kind(i)) \(value) \(record.end(i)) \(record.offset(i))"
    }.joined(separator: "; ")
  }

  @Test("blocks of any size give the same records", arguments: inputs)
  func blocks(input: Input) throws {
    let path = try folder.write(Array(input.text.utf8), to: "A.\(input.fileExtension)")
    let whole = found(path, ImportSteps(), showsParts: true)
    if let error = input.error {
      #expect(whole.last?.contains(": \(error): ") == true, "\(whole)")
    } else {
      #expect(whole.last?.contains(path) == false, "\(whole)")
    }
    // A block of each size up to the whole file, so that the first one ends at each byte.
    for block in 1...(input.text.utf8.count + 1) {
      #expect(found(path, steps(block), showsParts: true) == whole, "blocks of \(block) bytes")
    }
  }

  @Test("parts of any size give the same records", arguments: inputs)
  func parts(input: Input) throws {
    let path = try folder.write(Array(input.text.utf8), to: "A.\(input.fileExtension)")
    let whole = found(path, ImportSteps(), showsParts: false)
    for part in 1...(input.text.utf8.count + 1) {
      let block = part % 64 + 1
      #expect(
        found(path, steps(block, part: part), showsParts: false) == whole,
        "parts of \(part) bytes, blocks of \(block)")
    }
  }

  @Test("an input that ends at any byte gives the same error", arguments: inputs)
  func truncated(input: Input) throws {
    let bytes = Array(input.text.utf8)
    for count in 1..<bytes.count {
      let path = try folder.write(Array(bytes[..<count]), to: "A.\(input.fileExtension)")
      let whole = found(path, ImportSteps(), showsParts: true)
      for block in [1, 7, count] {
        #expect(
          found(path, steps(block), showsParts: true) == whole,
          "the first \(count) bytes, blocks of \(block)")
      }
    }
  }

  @Test("blocks and parts of any size give the same objects and schema", arguments: inputs)
  func objects(input: Input) throws {
    let path = try folder.write(Array(input.text.utf8), to: "A.\(input.fileExtension)")
    func exported(_ steps: ImportSteps) throws -> String {
      var options = ImportOptions()
      (options.steps, options.errorLimit) = (steps, 3)
      do {
        let input = try ImportInput(path: path, options)
        let output = MemorySink()
        _ = try ObjectTextFormat.json.write(
          input.source, RealmJSONHead(schemaVersion: input.schemaVersion, isPartial: false),
          jobs: 1, to: SingleOutput(output), progress: { _ in })
        return output.text
      } catch let error as ImportError {
        return "\(error)"
      } catch RoadError<ImportError, RealmFileError>.source(let error) {
        return "\(error) \(error.others)"
      }
    }
    let whole = try exported(ImportSteps())
    for size in 1...64 {
      #expect(try exported(steps(size)) == whole, "blocks of \(size) bytes")
      #expect(try exported(steps(65 - size, part: size)) == whole, "parts of \(size) bytes")
    }
  }

  @Test("blocks and parts of any size give the same patch")
  func patch() throws {
    let text = """
      {"realm":{"format":"realm-patch","version":1,"schemaVersion":{"old":null,"new":1}},"schema":[{"name":"A é",\
      "primaryKey":"i","properties":{"i":"int","s":"string?"}}],"schemaChanges":[]}
      {"class":"A é","old":{"i":1,"s":"\\u00e9\\n\\ud83d\\ude00"},"new":{"i":1,"s":"日本 😀"}}\r

      {"class":"A é","new":{"i":2,"s":null}}
       {"counts":{"A é":{"added":1,"removed":0,"changed":1}}}\r


      """
    let path = try folder.write(Array(text.utf8), to: "a.patch")
    func found(_ steps: ImportSteps) throws -> String {
      do {
        let patch = try PatchInput(path: path, steps: steps)
        return try [PatchInput.Side.old, .new].map { side in
          let output = MemorySink()
          _ = try ObjectTextFormat.json.write(
            patch.source(side, for: patch.head.schema),
            RealmJSONHead(schemaVersion: nil, isPartial: false), jobs: 1, to: SingleOutput(output),
            progress: { _ in })
          return output.text
        }.joined() + "\(patch.counts)"
      } catch let error as ImportError {
        return "\(error)"
      }
    }
    let whole = try found(ImportSteps())
    #expect(whole.contains("日本 😀"), "\(whole)")
    for size in 1...(text.utf8.count + 1) {
      #expect(try found(steps(size)) == whole, "blocks of \(size) bytes")
      #expect(try found(steps(7, part: size)) == whole, "parts of \(size) bytes")
    }
  }
}
