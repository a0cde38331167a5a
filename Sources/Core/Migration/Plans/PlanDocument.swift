import RealmQuery
import RealmStorage
import Yams

/// A node of a YAML document.
struct PlanNode {
  enum Content {
    case scalar(String)
    case list([PlanNode])
    case mapping([(name: PlanText, value: PlanNode)])
  }

  let content: Content
  let place: PlanPlace

  /// What the node is, for messages.
  var kind: String {
    switch content {
    case .scalar(let text): "'\(text.count > 40 ? text.prefix(40) + "…" : text[...])'"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// Reads YAML, of which JSON is a part.
package enum PlanDocument {
  /// Largest size of a plan in bytes.
  package static let byteCountLimit = 1 << 20
  /// How deep lists and mappings may nest; a plan has seven levels.
  private static let nestingLimit = 20

  /// - Parameter text: untrusted.
  /// - Returns: the root of the document.
  /// - Throws: what is wrong with the text.
  static func read(_ text: [UInt8]) throws(PlanError) -> PlanNode {
    guard text.count <= byteCountLimit else {
      throw PlanError(
        .syntax, "the plan has \(text.count) bytes, expected at most \(byteCountLimit)",
        at: .nowhere)
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw PlanError(.syntax, "the plan is not UTF-8", at: .nowhere)
    }
    try checkHasNoAnchors(text)
    let root: Yams.Node?
    do {
      // The default encoding depends on the environment.
      root = try Parser(yaml: string, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw self.error(error, in: string)
    }
    guard let root else { throw PlanError(.syntax, "the plan is empty", at: .nowhere) }
    return try node(root, depth: 0)
  }

  private static func node(_ node: Yams.Node, depth: Int) throws(PlanError) -> PlanNode {
    let place = place(node.mark)
    guard depth <= nestingLimit else {
      throw PlanError(
        .structure, "found more than \(nestingLimit) levels of nesting, expected at most that",
        at: place)
    }
    switch node {
    case .scalar(let scalar): return PlanNode(content: .scalar(scalar.string), place: place)
    case .sequence(let list):
      var elements: [PlanNode] = []
      for element in list { elements.append(try self.node(element, depth: depth + 1)) }
      return PlanNode(content: .list(elements), place: place)
    case .mapping(let mapping):
      var members: [(name: PlanText, value: PlanNode)] = []
      for (name, value) in mapping {
        guard case .scalar(let scalar) = name else {
          throw PlanError(.structure, "a name is expected here", at: self.place(name.mark))
        }
        members.append(
          (
            PlanText(scalar.string, at: self.place(name.mark)),
            try self.node(value, depth: depth + 1)
          ))
      }
      return PlanNode(content: .mapping(members), place: place)
    case .alias: throw anchorError(at: place)
    }
  }

  private static func place(_ mark: Mark?) -> PlanPlace {
    mark.map { PlanPlace(line: $0.line, column: $0.column) } ?? .nowhere
  }

  // MARK: Errors

  /// Refuses anchors before the text is parsed: a small text with nested aliases can stand for an endless
  /// document.
  private static func checkHasNoAnchors(_ text: [UInt8]) throws(PlanError) {
    func isNamePart(_ byte: UInt8) -> Bool {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    var (line, start) = (1, 0)
    for (i, byte) in text.enumerated() {
      if byte == UInt8(ascii: "\n") { (line, start) = (line + 1, i + 1) }
      guard byte == UInt8(ascii: "&"), i + 1 < text.count,
        isNamePart(text[i + 1]) || text[i + 1] == UInt8(ascii: "-"),
        i == 0 || !isNamePart(text[i - 1]) && text[i - 1] != UInt8(ascii: "&")
      else { continue }
      // A column is a character; only its first byte counts.
      let column = text[start...i].count { $0 & 0xC0 != 0x80 }
      throw anchorError(at: PlanPlace(line: line, column: column))
    }
  }

  private static func anchorError(at place: PlanPlace) -> PlanError {
    PlanError(
      .syntax, "found '&' before a word, but a plan has no anchors and aliases", at: place,
      hint: "in a text, leave a space after the &, or write \\u0026 in an expression")
  }

  /// What the parser says about a text that is not YAML.
  private static func error(_ error: any Error, in text: String) -> PlanError {
    func notYAML(_ problem: String, _ place: PlanPlace) -> PlanError {
      PlanError(
        .syntax, "this is not YAML: \(problem)", at: place,
        hint: "types with brackets, and expressions with quotes or a colon, stand in quotes")
    }
    switch error as? YamlError {
    case .reader(let problem, let offset, _, _):
      // The offset counts characters, unlike the one of the parser underneath, which counts bytes.
      let before = text.prefix(offset ?? 0)
      let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let column = lines.last.map(\.unicodeScalars.count) ?? 0
      return notYAML(problem, PlanPlace(line: lines.count, column: column + 1))
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return notYAML(problem, place(mark))
    case .duplicatedKeysInMapping(let names, let context):
      let name = names.first ?? ""
      return PlanError(
        .structure, "the member '\(name)' stands here twice", at: place(context.mark))
    default: return PlanError(.syntax, "this is not YAML", at: .nowhere)
    }
  }
}
