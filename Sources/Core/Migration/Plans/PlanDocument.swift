import RealmQuery
import RealmStorage

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

  /// Some editors write it at the start of a file in UTF-8.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads a document.
  ///
  /// - Parameter bytes: untrusted.
  /// - Returns: the root.
  /// - Throws: what is wrong with the document; that it is not YAML before anything else.
  static func read(_ bytes: [UInt8]) throws(PlanError) -> PlanNode {
    guard bytes.count <= byteCountLimit else {
      throw PlanError(
        .syntax, "the plan has \(bytes.count) bytes, expected at most \(byteCountLimit)",
        at: .nowhere)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw PlanError(.syntax, "the plan is not UTF-8", at: .nowhere)
    }
    let events = try YAMLEvents(
      bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes)
    var root: PlanNode?
    var documentCount = 0
    var open = OpenNodes(limit: nestingLimit)
    while true {
      let (event, place) = try events.next()
      switch event {
      case .scalar(let text): open.add(PlanNode(content: .scalar(text), place: place))
      case .listStart: open.begin(isMapping: false, at: place)
      case .mappingStart: open.begin(isMapping: true, at: place)
      case .end: open.end()
      case .documentStart:
        documentCount += 1
        guard documentCount == 1 else {
          throw YAMLEvents.notYAML("but found another document", at: place)
        }
      case .documentEnd: root = open.root
      case .streamEnd:
        if let error = open.error { throw error }
        guard let root else { throw PlanError(.syntax, "the plan is empty", at: .nowhere) }
        return root
      }
    }
  }
}

/// The lists and mappings that are open while a document is read.
private struct OpenNodes {
  private struct Frame {
    let isMapping: Bool
    let place: PlanPlace
    var elements: [PlanNode] = []
    var members: [(name: PlanText, value: PlanNode)] = []
    /// The name whose value comes next.
    var name: PlanText?
    /// Where each name is.
    var places: [String: PlanPlace] = [:]
  }

  let limit: Int
  private var frames: [Frame] = []
  /// The number of open lists and mappings that are too deep. Nothing of them is kept.
  private var skippedCount = 0
  /// The node that is complete and in no other.
  private(set) var root: PlanNode?
  /// What is wrong first.
  private(set) var error: PlanError?

  init(limit: Int) { self.limit = limit }

  mutating func begin(isMapping: Bool, at place: PlanPlace) {
    if isTooDeep(place) {
      skippedCount += 1
      return
    }
    if let last = frames.last, last.isMapping, last.name == nil {
      fail("found a list or mapping, expected a name", at: place)
    }
    frames.append(Frame(isMapping: isMapping, place: place))
  }

  mutating func end() {
    if skippedCount > 0 {
      skippedCount -= 1
      return
    }
    guard let frame = frames.popLast() else { return }
    add(
      PlanNode(
        content: frame.isMapping ? .mapping(frame.members) : .list(frame.elements),
        place: frame.place))
  }

  mutating func add(_ node: PlanNode) {
    guard !isTooDeep(node.place) else { return }
    guard var frame = frames.popLast() else {
      root = node
      return
    }
    if !frame.isMapping {
      frame.elements.append(node)
    } else if let name = frame.name {
      frame.members.append((name, node))
      frame.name = nil
    } else {
      frame.name = name(node, in: &frame)
    }
    frames.append(frame)
  }

  /// A node as the name of a member. A list or mapping, which ``begin`` has refused, is one without characters.
  private mutating func name(_ node: PlanNode, in frame: inout Frame) -> PlanText {
    guard case .scalar(let text) = node.content else { return PlanText("", at: node.place) }
    if let first = frame.places[text] {
      fail("the member '\(text)' appears twice", at: first)
    } else {
      frame.places[text] = node.place
    }
    return PlanText(text, at: node.place)
  }

  private mutating func isTooDeep(_ place: PlanPlace) -> Bool {
    guard frames.count > limit else { return false }
    fail("lists and mappings are nested more than \(limit) levels deep", at: place)
    return true
  }

  private mutating func fail(_ message: String, at place: PlanPlace) {
    error = error ?? PlanError(.structure, message, at: place)
  }
}
