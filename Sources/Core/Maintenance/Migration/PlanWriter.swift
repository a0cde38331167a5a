import RealmInterchange
import RealmModel

/// Writes a migration plan as YAML.
struct PlanWriter {
  private var lines: [String]

  /// - Parameters:
  ///   - version: the schema version that the steps lead to.
  ///   - notes: what the steps do not do; comments before them.
  /// - Returns: the text of the plan.
  static func text(_ steps: [MigrationStep], to version: UInt64, notes: [String]) -> String {
    var writer = PlanWriter(lines: ["realm-migration: 1", "versions:", "  - to: \(version)"])
    writer.lines += notes.map { "    # \($0)" }
    writer.lines.append(steps.isEmpty ? "    steps: []" : "    steps:")
    for step in steps { writer.append(step.action) }
    return writer.lines.map { $0 + "\n" }.joined()
  }

  private mutating func append(_ action: MigrationAction) {
    let members = PlanWriter.members(of: action).map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    lines.append("      - \(action.name.rawValue): {\(members)}")
  }

  private static func members(of action: MigrationAction) -> [(String, String)] {
    func owned(_ owner: PlanText, _ name: PlanText) -> [(String, String)] {
      [("class", quoted(owner)), ("name", quoted(name))]
    }
    func value(_ text: PlanText?) -> [(String, String)] {
      text.map { [("value", quoted($0, always: true))] } ?? []
    }
    switch action {
    case .addProperty(let owner, let property, let formula):
      return owned(owner, property.name) + members(of: property) + value(formula)
    case .removeProperty(let owner, let name), .setOptional(let owner, let name),
      .setPrimaryKey(let owner, let name), .removeIndex(let owner, let name):
      return owned(owner, name)
    case .renameProperty(let owner, let from, let to):
      return [("class", quoted(owner)), ("from", quoted(from)), ("to", quoted(to))]
    case .changeType(let owner, let name, let type, let formula):
      return owned(owner, name) + [("type", text(type))] + value(formula)
    case .setRequired(let owner, let name, let formula): return owned(owner, name) + value(formula)
    case .removePrimaryKey(let owner), .setEmbedded(let owner), .setTopLevel(let owner):
      return [("class", quoted(owner))]
    case .addIndex(let owner, let name, let index):
      return owned(owner, name) + (index == .fulltext ? [("fulltext", "true")] : [])
    case .addClass(let added): return members(of: added)
    case .removeClass(let name): return [("name", quoted(name))]
    case .renameClass(let from, let to): return [("from", quoted(from)), ("to", quoted(to))]
    case .setValues(let owner, let condition, let values):
      let set = values.map { "\(quoted($0.name)): \(quoted($0.value, always: true))" }
      return [("class", quoted(owner))]
        + (condition.map { [("where", quoted($0, always: true))] } ?? [])
        + [("values", "{\(set.joined(separator: ", "))}")]
    case .deleteObjects(let owner, let condition):
      return [("class", quoted(owner)), ("where", quoted(condition, always: true))]
    }
  }

  private static func members(of added: PlannedClass) -> [(String, String)] {
    let properties = added.properties.map { property in
      let members = members(of: property)
      let short = members.count == 1
      return "\(quoted(property.name)): "
        + (short
          ? members[0].1 : "{\(members.map { "\($0.0): \($0.1)" }.joined(separator: ", "))}")
    }
    return [("name", quoted(added.name))]
      + (added.primaryKey.map { [("primary-key", quoted($0))] } ?? [])
      + (added.isEmbedded ? [("embedded", "true")] : [])
      + [("properties", "{\(properties.joined(separator: ", "))}")]
  }

  private static func members(of property: PlannedProperty) -> [(String, String)] {
    switch property.index {
    case .search: [("type", text(property.type)), ("indexed", "true")]
    case .fulltext: [("type", text(property.type)), ("fulltext", "true")]
    case nil: [("type", text(property.type))]
    }
  }

  /// The type in one word.
  private static func text(_ type: PlannedType) -> String {
    let name = type.target?.text ?? PropertyNotation.name(of: type.type)
    let suffix =
      switch type.collection {
      case .list: "[]"
      case .set: "<>"
      case .dictionary: "{}"
      case nil: ""
      }
    let isMarked = type.isOptional && type.type != .mixed
    return quoted(PlanText(name + (isMarked ? "?" : "") + suffix))
  }

  /// A text as a YAML scalar: in double quotes unless it is a plain word.
  private static func quoted(_ text: PlanText, always: Bool = false) -> String {
    let isWord = text.text.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "_")
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    guard always || !isWord || text.text.isEmpty else { return text.text }
    var buffer = TextBuffer(capacity: text.text.utf8.count + 16)
    buffer.append(jsonEscaped: text.text)
    return "\"\(String(decoding: buffer.bytes, as: UTF8.self))\""
  }
}
