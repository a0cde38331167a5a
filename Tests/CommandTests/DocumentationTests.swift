import Foundation
import TestSupport
import Testing

/// A block of code in a page of `docs`.
struct DocumentedBlock: CustomTestStringConvertible, Sendable {
  var page: String
  var language: String
  /// Number of the first line.
  var line: Int
  var lines: [String]

  var testDescription: String { "\(page):\(line)" }

  static let all: [DocumentedBlock] = {
    let folder = packageFolder.appending(path: "docs").path
    do {
      let pages = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      return try pages.filter { $0.hasSuffix(".md") }.flatMap { page in
        blocks(of: page, try String(contentsOfFile: "\(folder)/\(page)", encoding: .utf8))
      }
    } catch {
      preconditionFailure("the pages cannot be read: \(error)")
    }
  }()

  private static func blocks(of page: String, _ text: String) -> [DocumentedBlock] {
    var blocks: [DocumentedBlock] = []
    var isInside = false
    for (i, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isInside.toggle()
        let language = String(line.dropFirst(3))
        if isInside {
          blocks.append(DocumentedBlock(page: page, language: language, line: i + 2, lines: []))
        }
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }

  /// The commands of a block and what they print. Those with `jq` are not run, as it need not be there.
  var commands: [(command: String, output: [String])] {
    var commands: [(command: String, output: [String])] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        commands.append((String(line.dropFirst(2)), []))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output.append(line)
      }
    }
    return commands.filter { !$0.command.contains("| jq") }
  }
}

@Suite("Documentation")
struct DocumentationTests {
  static let consoles = DocumentedBlock.all.filter { $0.language == "console" }
  static let texts = DocumentedBlock.all.filter { $0.language == "json" }

  @Test("every command of a page prints what the page says", arguments: consoles)
  func commands(block: DocumentedBlock) throws {
    let folder = try TemporaryFolder()
    for name in ["people", "links", "names-v0", "tasks-synced"] {
      try folder.copyGolden("\(name).realm")
    }
    // The plan that the page shows before.
    let plan = DocumentedBlock.all.last {
      $0.page == block.page && $0.language == "yaml" && $0.line < block.line
    }
    if let plan {
      try folder.write(Array(plan.lines.joined(separator: "\n").utf8), to: "plan.yml")
    }
    for (command, expected) in block.commands {
      let result = try runScript(command, folder: folder.url)
      #expect(result.status == 0)
      var lines = (result.text + result.stderr).components(separatedBy: "\n").dropLast()
      // An ellipsis stands for the rest.
      if expected.last == "…" { lines = lines.prefix(expected.count - 1) + ["…"] }
      #expect(Array(lines) == expected)
    }
  }

  @Test("every example of JSON is JSON, as a whole or by line", arguments: texts)
  func json(block: DocumentedBlock) {
    #expect(throws: Never.self) {
      do {
        _ = try JSONParser.parse(block.lines.joined(separator: "\n"))
      } catch {
        for line in block.lines { _ = try JSONParser.parse(line) }
      }
    }
  }

  @Test(
    "every operator of the query language finds the same objects as the reference in its example")
  func operators() throws {
    let page = try String(
      contentsOf: packageFolder.appending(path: "docs/query.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## Operators\n").last)
      .components(separatedBy: "\n## ")[0]
    let examples = section.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map {
      $0.components(separatedBy: "`")[1]
    }
    #expect(examples.count > 50)
    let measured = try MeasuredQuery.all().filter { $0.className == "Person" }
    for example in examples {
      let known = try #require(measured.first { $0.text == example }, "\(example)")
      let result = try runTool(
        "query", MeasuredQuery.realm, "Person", example,
        "--format", "ids")
      let keys = result.text.split(separator: "\n").joined(separator: ",")
      #expect("[\(keys)]" == known.result, "\(example)")
    }
  }

  @Test("docs/architecture.md names every file with unsafe code, or its folder")
  func unsafeCode() throws {
    let page = try String(
      contentsOf: packageFolder.appending(path: "docs/architecture.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("Where unsafe code is allowed") })
    let places = section.components(separatedBy: "`").filter {
      $0.hasPrefix("Core/") || $0.hasPrefix("Commands/")
    }
    let sources = packageFolder.appending(path: "Sources")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      let isUnsafe = lines.contains { line in
        !line.drop { $0 == " " }.hasPrefix("//")
          && line.contains("unsafe ")
      }
      guard isUnsafe else { continue }
      let path = String(file.path.dropFirst(sources.path.count + 1))
      count += 1
      #expect(places.contains { path == $0 || path.hasPrefix($0 + "/") }, "\(path)")
    }
    #expect(count > 50)
  }

  @Test("there are examples to check")
  func count() {
    #expect(DocumentationTests.consoles.flatMap(\.commands).count >= 6)
    #expect(DocumentationTests.texts.count >= 6)
  }

  @Test(
    "the first two examples of Realm JSON are exports", arguments: [(0, "json"), (1, "ndjson")])
  func exports(index: Int, format: String) throws {
    let block = DocumentationTests.texts.filter { $0.page == "realm-json.md" }[index]
    let result = try runTool("export", "--format", format, Golden.path("names-v0.realm"))
    #expect(result.text == block.lines.joined(separator: "\n") + "\n")
  }

  @Test("the JSON Schema has the version that exports have")
  func schemaVersion() throws {
    let path = packageFolder.appending(path: "docs/realm-json.schema.json")
    let schema = try JSONParser.parse([UInt8](try Data(contentsOf: path)))
    let head = schema["$defs"]?["head"]?["properties"]
    let document = try JSONParser.parse(
      try runTool("export", Golden.path("names-v0.realm")).stdout)
    #expect(head?["version"]?["const"] == document["realm"]?["version"])
    #expect(head?["format"]?["const"] == document["realm"]?["format"])
  }
}
