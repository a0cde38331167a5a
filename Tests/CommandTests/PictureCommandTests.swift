import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Pictures")
struct PictureCommandTests {
  /// An element of a picture, as a parser of XML reads it.
  private struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
  }

  /// Collects the elements of a document in the order of their starts.
  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [Element] = []
    private var open: [Int] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String] = [:]
    ) {
      open.append(elements.count)
      elements.append(Element(name: name, attributes: attributes))
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
      if let last = open.last { elements[last].text += text }
    }
  }

  /// The elements of a picture, which must be well-formed XML without scripts or references.
  private func elements(_ svg: [UInt8]) throws -> [Element] {
    let reader = Reader()
    let parser = XMLParser(data: Data(svg))
    parser.delegate = reader
    let isWellFormed = parser.parse()
    #expect(isWellFormed, "\(parser.parserError.map { "\($0)" } ?? "")")
    let root = try #require(reader.elements.first)
    #expect(root.name == "svg")
    #expect(root.attributes["role"] == "img")
    #expect(reader.elements.filter { $0.name == "title" }.first?.text.isEmpty == false)
    #expect(reader.elements.contains { $0.name == "desc" && !$0.text.isEmpty })
    for element in reader.elements {
      #expect(!["script", "image", "use", "a", "foreignObject"].contains(element.name))
      #expect(element.attributes.keys.allSatisfy { !$0.hasPrefix("on") && !$0.hasSuffix("href") })
      #expect(element.name == "style" || !element.text.contains("url("))
    }
    return reader.elements
  }

  @Test("every golden realm has both pictures, in two runs the same", arguments: Golden.names)
  func golden(name: String) throws {
    let path = Golden.path("\(name).realm")
    let key = name.hasSuffix("-encrypted") ? ["--key-file", Golden.path("\(name).key")] : []
    for arguments in [
      ["schema", "show", path, "--format", "svg"], ["stats", path, "--format", "svg"],
      ["stats", path, "--format", "svg", "--by", "property"],
      ["stats", path, "--format", "svg", "--by", "kind"],
    ] {
      let result = try runTool(arguments + key)
      #expect(result.status == 0, "\(result.stderr)")
      _ = try elements(result.stdout)
      #expect(try runTool(arguments + key).stdout == result.stdout)
    }
  }

  @Test(
    "the areas of a treemap are in proportion to the bytes, and together the whole file",
    arguments: ["class", "property", "kind"])
  func areas(division: String) throws {
    let path = Golden.path("people.realm")
    let picture = try elements(
      try runTool("stats", path, "--format", "svg", "--by", division).stdout)
    let report = try JSONParser.parse(try runTool("stats", path, "--json").stdout)
    let size = Double(try #require(report["size"]?.int))
    var total = 0.0
    var areas: [String: Double] = [:]
    for (i, element) in picture.enumerated()
    where element.name == "g" && element.attributes["class"]?.hasPrefix("area") == true {
      let (title, rectangle) = (picture[i + 1], picture[i + 2])
      #expect(title.name == "title" && rectangle.name == "rect")
      let area =
        Double(rectangle.attributes["width"] ?? "")! * Double(rectangle.attributes["height"] ?? "")!
      total += area
      areas[String(title.text.prefix { $0 != ":" }), default: 0] += area
    }
    // The picture has 960 by 540 pixels; each side is rounded to a hundredth.
    #expect(abs(total - 960 * 540) < 50)
    let free = try #require(
      report["parts"]?.array?.first { $0["use"]?.string == "reusable" }?["bytes"]?.int)
    let area = try #require(areas["free, usable at once"])
    #expect(abs(area - Double(free) / size * 960 * 540) < 20)
    if division == "property" {
      let person = report["classes"]?.array?.first { $0["name"]?.string == "Person" }
      let property = person?["properties"]?.array?.first {
        $0["name"]?.string == "name" || $0["name"]?.string == "firstName"
      }
      let name = try #require(property?["name"]?.string)
      let parts = try #require(property?["parts"]?.array)
      let bytes = try #require(property?["bytes"]?.int)
      let drawn =
        parts.count == 1
        ? areas[name]
        : areas.filter { $0.key.hasPrefix(name + ",") }
          .values.reduce(0, +)
      #expect(abs((drawn ?? 0) - Double(bytes) / size * 960 * 540) < 20)
    }
  }

  @Test("notes and warnings are marked in the picture and told below it")
  func concerns() throws {
    let picture = try elements(
      try runTool("stats", Golden.path("people.realm"), "--format", "svg").stdout)
    #expect(picture.contains { $0.attributes["class"] == "area note" })
    #expect(picture.contains { $0.text == "compact makes the file 442 kB smaller" })
  }

  /// Boxes with a title, and the places of all of them.
  private func boxes(_ picture: [Element]) -> [(
    x: Double, y: Double, width: Double, height: Double
  )] {
    picture.filter { $0.attributes["class"] == "box" }.map { box in
      func number(_ name: String) -> Double { Double(box.attributes[name] ?? "") ?? .nan }
      return (number("x"), number("y"), number("width"), number("height"))
    }
  }

  @Test(
    "a class diagram has a box for each class, a row for each property, and a line for each link")
  func diagram() throws {
    let path = Golden.path("links.realm")
    let picture = try elements(try runTool("schema", "show", path, "--format", "svg").stdout)
    let schema = try JSONParser.parse(try runTool("schema", "show", path, "--json").stdout)
    let classes = try #require(schema.array)
    let texts = Set(picture.filter { $0.name == "text" }.map(\.text))
    #expect(boxes(picture).count == classes.count)
    for objectClass in classes {
      let name = try #require(objectClass["name"]?.string)
      #expect(texts.contains(name))
      for property in objectClass["properties"]?.names ?? [] { #expect(texts.contains(property)) }
    }
    let lines = picture.indices.filter { picture[$0].attributes["class"] == "link" }
    let titles = Set(lines.map { picture[$0 + 1].text })
    // From the listing: an embedded object, a collection, and a link.
    for title in ["Person.address: Address?", "Person.addresses: Address[]", "Dog.owner: Person?"] {
      #expect(titles.contains(title), "\(titles)")
    }
    #expect(picture.contains { $0.attributes["class"] == "embedded" })
    #expect(texts.isSuperset(of: ["pk", "ix", "primary key", "string?"]))
  }

  @Test("a schema of 200 classes and a class of 300 properties are drawn without overlaps")
  func large() throws {
    let folder = try TemporaryFolder()
    var classes: [String] = []
    for i in 0..<200 {
      var properties = ["\"_id\":\"int\"", "\"next\":\"C\((i + 1) % 200)?\""]
      if i % 3 == 0 { properties.append("\"all\":\"C\(i / 3)[]\"") }
      if i % 7 == 0 { properties.append("\"self\":\"C\(i)?\"") }
      if i == 5 { properties += (0..<300).map { "\"property\($0)\":\"string?\"" } }
      if i == 5 { properties.append("\"last\":\"C0?\"") }
      classes.append(
        "{\"name\":\"C\(i)\",\"primaryKey\":\"_id\",\"properties\":{\(properties.joined(separator: ","))}}"
      )
    }
    let text =
      "{\"realm\":{\"format\":\"realm-json\",\"version\":1,\"schemaVersion\":0},\"schema\":[\(classes.joined(separator: ","))],\"objects\":{}}"
    try folder.write(Array(text.utf8), to: "big.json")
    let made = try runTool("import", "big.json", "-o", "big.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    let result = try runTool(
      "schema", "show", "big.realm", "--format", "svg", "-o", "big.svg", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    let picture = try elements(try readFile(folder.path("big.svg")))
    let boxes = boxes(picture)
    #expect(boxes.count == 200)
    for (i, a) in boxes.enumerated() {
      for b in boxes[(i + 1)...] {
        #expect(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y
            || b.y + b.height <= a.y)
      }
    }
    #expect(picture.count { $0.attributes["class"] == "link" } == 200 + 67 + 29 + 1)
    // The link is the last of the properties, of which the first ones are shown.
    let texts = Set(picture.map(\.text))
    #expect(texts.contains("last") && texts.contains("property50"))
    #expect(!texts.contains("property299"))
    #expect(texts.contains { $0.hasPrefix("… 24") && $0.hasSuffix("more") })
  }

  @Test("names with markup, quotes, control and bidirectional characters are text")
  func hostile() throws {
    let folder = try TemporaryFolder()
    let names = [
      "<script>alert(1)</script>", "\"'><x onload=x>", "&amp;<![CDATA[", "]]>\\u001b[2J",
      "\\u202etxt.exe\\u0000x", "</title><svg onload=x>", "\\ufffe\\uffff",
    ].map { $0.replacing("\"", with: "\\\"") }
    let properties = names.map { "\"\($0)\":\"string?\"" }.joined(separator: ",")
    let classes = names.map { "{\"name\":\"\($0)\",\"properties\":{\(properties)}}" }
    let text =
      "{\"realm\":{\"format\":\"realm-json\",\"version\":1,\"schemaVersion\":0},\"schema\":[\(classes.joined(separator: ","))],\"objects\":{}}"
    try folder.write(Array(text.utf8), to: "evil.json")
    let made = try runTool("import", "evil.json", "-o", "<b>&evil.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    let diagram = try runTool(
      "schema", "show", "<b>&evil.realm", "--format", "svg", folder: folder.url)
    let texts = try elements(diagram.stdout).map(\.text)
    #expect(texts.contains("<script>alert(1)</script>"))
    #expect(texts.contains("\"'><x onload=x>"))
    #expect(texts.contains("\\u{202e}txt.exe\\u{0}x"))
    for by in ["class", "property"] {
      let treemap = try runTool(
        "stats", "<b>&evil.realm", "--format", "svg", "--by", by, folder: folder.url)
      let texts = try elements(treemap.stdout).map(\.text)
      #expect(texts.contains { $0.hasPrefix("<b>&evil.realm: ") })
    }
  }

  @Test("a picture goes to a file as other results do")
  func file() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("people.realm")
    let arguments = ["stats", "people.realm", "--format", "svg", "-o", "people.svg"]
    let first = try runTool(arguments, folder: folder.url)
    #expect(first.status == 0)
    #expect(first.text.hasPrefix("people.realm: treemap of 1.0 MB written to people.svg"))
    #expect(try runTool(arguments, folder: folder.url).status == 73)
    #expect(try runTool(arguments + ["--force"], folder: folder.url).status == 0)
    #expect(
      try runTool("stats", "people.realm", "-o", "x", folder: folder.url).status == 64)
    #expect(try runTool("stats", ".", "--format", "svg", folder: folder.url).status == 64)
    #expect(
      try runTool(
        "stats", "people.realm", "--format", "svg", "-o", "people.realm", "--force",
        folder: folder.url
      ).status == 64)
  }
}
