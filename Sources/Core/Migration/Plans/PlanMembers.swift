import RealmStorage

/// The members of a mapping in a plan.
struct PlanMembers {
  /// What the mapping is, such as `add-property`, for messages.
  private let subject: String
  let place: PlanPlace
  private let members: [(name: PlanText, value: PlanNode)]

  /// - Parameter known: the names that the mapping can have.
  /// - Throws: `structure` if the node is no mapping, or has other members.
  init(_ node: PlanNode, of subject: String, known: [String]) throws(PlanError) {
    (self.subject, place) = (subject, node.place)
    guard case .mapping(let members) = node.content else {
      throw PlanError(
        .structure, "found \(node.kind), expected the members of \(subject)", at: node.place,
        hint: "its members are \(known.joined(separator: ", "))")
    }
    self.members = members
    for (name, _) in members where !known.contains(name.text) {
      throw PlanError(
        .structure, "\(subject) has no member '\(name.text)'", at: name.place,
        hint: NearestName.suggestion(name.text, known, of: "its members are"))
    }
  }

  /// The value of a member; nil if it is absent.
  func value(_ name: String) -> PlanNode? { members.first { $0.name.text == name }?.value }

  func required(_ name: String) throws(PlanError) -> PlanNode {
    guard let value = value(name) else {
      throw PlanError(.structure, "\(subject) needs the member '\(name)'", at: place)
    }
    return value
  }

  /// A required string, which must not be empty.
  func text(_ name: String) throws(PlanError) -> PlanText {
    try PlanMembers.text(try required(name), name)
  }

  func optionalText(_ name: String) throws(PlanError) -> PlanText? {
    guard let node = value(name) else { return nil }
    return try PlanMembers.text(node, name)
  }

  static func text(_ node: PlanNode, _ name: String) throws(PlanError) -> PlanText {
    guard case .scalar(let text) = node.content, !text.isEmpty else {
      throw PlanError(
        .structure, "'\(name)' is \(node.kind), expected a non-empty string", at: node.place)
    }
    return PlanText(text, at: node.place)
  }

  /// `true` or `false`; false if the member is absent.
  func flag(_ name: String) throws(PlanError) -> Bool {
    guard let node = value(name) else { return false }
    switch node.content {
    case .scalar("true"): return true
    case .scalar("false"): return false
    default:
      throw PlanError(
        .structure, "'\(name)' is \(node.kind), expected true or false", at: node.place)
    }
  }

  /// The members of a required mapping.
  func pairs(_ name: String) throws(PlanError) -> [(name: PlanText, value: PlanNode)] {
    let node = try required(name)
    guard case .mapping(let members) = node.content else {
      throw PlanError(
        .structure, "'\(name)' is \(node.kind), expected names with their values", at: node.place)
    }
    return members
  }
}
