import Foundation
import TestSupport
import Testing

@Suite("Documentation")
struct DocumentationTests {
  static let pages = DocumentedPage.all.filter { page in
    page.blocks.contains { $0.language == "console" }
  }
  static let texts = DocumentedPage.all.flatMap(\.blocks).filter { $0.language == "json" }

  @Test("every command of a page prints what the page shows", arguments: pages)
  func commands(page: DocumentedPage) throws {
    let folder = try DocumentedPage.makeFolder()
    var files: [String: String] = [:]
    let needsServer = page.blocks.contains { block in
      block.commands.contains { $0.script.contains("psql") }
    }
    let server = try needsServer && PostgresServer.isInstalled ? PostgresServer() : nil
    for block in page.blocks {
      if let name = block.title {
        files[name] = block.lines.joined(separator: "\n") + "\n"
        try folder.write(Array((files[name] ?? "").utf8), to: name)
      }
      guard block.language == "console" else { continue }
      for command in block.commands where command.canRun(files) {
        let result = try runScript(
          command.script, environment: server?.environment ?? [:], folder: folder.url)
        let printed = result.text + result.stderr
        #expect(result.status == 0, "\(command.place): \(printed)")
        #expect(command.matches(printed), "\(command.place) printed:\n\(printed)")
      }
    }
  }

  @Test("every link of a page leads to a file", arguments: DocumentedPage.all)
  func links(page: DocumentedPage) {
    let folder = packageFolder.appending(path: page.path).deletingLastPathComponent()
    for link in page.links {
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: link).path), "\(link)")
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
    let commands = DocumentationTests.pages.flatMap(\.blocks).filter { $0.language == "console" }
      .flatMap(\.commands)
    #expect(commands.count > 120)
    #expect(DocumentationTests.texts.count >= 6)
  }

  @Test(
    "the first two examples of Realm JSON are exports", arguments: [(0, "json"), (1, "ndjson")])
  func exports(index: Int, format: String) throws {
    let block = DocumentationTests.texts.filter { $0.page == "docs/realm-json.md" }[index]
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
