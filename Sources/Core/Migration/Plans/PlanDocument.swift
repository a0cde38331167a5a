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

/// Reads YAML documents. JSON is a part of YAML.
package enum PlanDocument {
  /// Largest size of a plan in bytes.
  package static let byteCountLimit = 1 << 20
  /// Largest number of levels of lists and mappings. A plan has seven.
  private static let nestingLimit = 20

  /// Reads a document.
  ///
  /// - Parameter bytes: untrusted.
  /// - Returns: the root.
  /// - Throws: what is wrong with the document.
  static func read(_ bytes: [UInt8]) throws(PlanError) -> PlanNode {
    guard bytes.count <= byteCountLimit else {
      throw PlanError(
        .syntax, "the plan has \(bytes.count) bytes, expected at most \(byteCountLimit)",
        at: .nowhere)
    }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw PlanError(.syntax, "the plan is not UTF-8", at: .nowhere)
    }
    try checkHasNoAnchors(bytes)
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
        .structure, "lists and mappings are nested more than \(nestingLimit) levels deep", at: place
      )
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
          throw PlanError(
            .structure, "found a list or mapping, expected a name", at: self.place(name.mark))
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

  /// Refuses anchors before parsing: with nested aliases, a small file can stand for an endless document.
  private static func checkHasNoAnchors(_ bytes: [UInt8]) throws(PlanError) {
    func isNamePart(_ byte: UInt8) -> Bool {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    var (line, start) = (1, 0)
    for (i, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { (line, start) = (line + 1, i + 1) }
      guard byte == UInt8(ascii: "&"), i + 1 < bytes.count,
        isNamePart(bytes[i + 1]) || bytes[i + 1] == UInt8(ascii: "-"),
        i == 0 || !isNamePart(bytes[i - 1]) && bytes[i - 1] != UInt8(ascii: "&")
      else { continue }
      // Columns are characters: only the first byte of each counts.
      let column = bytes[start...i].count { $0 & 0xC0 != 0x80 }
      throw anchorError(at: PlanPlace(line: line, column: column))
    }
  }

  private static func anchorError(at place: PlanPlace) -> PlanError {
    PlanError(
      .syntax, "found '&' before a word, but plans cannot have anchors or aliases", at: place,
      hint: "leave a space after the &, or write \\u0026 in a string of an expression")
  }

  /// The error of the parser as one of the plan.
  private static func error(_ error: any Error, in document: String) -> PlanError {
    func notYAML(_ problem: String, _ place: PlanPlace) -> PlanError {
      PlanError(
        .syntax, "this is not YAML: \(problem)", at: place,
        hint: "put types with brackets, and expressions with quotes or a colon, in quotes")
    }
    switch error as? YamlError {
    case .reader(let problem, let offset, _, _):
      // This offset counts characters; the offset of libyaml counts bytes.
      let before = document.prefix(offset ?? 0)
      let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let column = lines.last.map(\.unicodeScalars.count) ?? 0
      return notYAML(problem, PlanPlace(line: lines.count, column: column + 1))
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return notYAML(problem, place(mark))
    case .duplicatedKeysInMapping(let names, let context):
      let name = names.first ?? ""
      return PlanError(
        .structure, "the member '\(name)' appears twice", at: place(context.mark))
    default: return PlanError(.syntax, "this is not YAML", at: .nowhere)
    }
  }
}
