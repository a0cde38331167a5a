import RealmInterchange
import RealmModel
import RealmStorage

/// Writes a migration plan as YAML.
package struct PlanWriter {
  private var lines: [String]

  /// - Parameters:
  ///   - version: the schema version after the steps.
  ///   - notes: comments before the steps, about changes that no step can make.
  package static func text(_ steps: [MigrationStep], to version: UInt64, notes: [String]) -> String
  {
    var writer = PlanWriter(lines: ["realm-migration: 1", "versions:", "  - to: \(version)"])
    writer.lines += notes.map { "    # \(escaped($0, isQuoted: false))" }
    writer.lines.append(steps.isEmpty ? "    steps: []" : "    steps:")
    for step in steps { writer.lines.append("      - \(line(step))") }
    return writer.lines.map { $0 + "\n" }.joined()
  }

  /// The step as it is in a plan, in one line.
  package static func line(_ step: MigrationStep) -> String {
    let members = members(of: step.action).map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    return "\(step.action.name.rawValue): {\(members)}"
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
      return owned(owner, name) + members(of: type) + value(formula)
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
        + members(of: condition) + [("values", "{\(set.joined(separator: ", "))}")]
    case .deleteObjects(let owner, let condition):
      return [("class", quoted(owner))] + members(of: condition)
    }
  }

  private static func members(of choice: ObjectChoice<PlanText>) -> [(String, String)] {
    switch choice {
    case .meeting(let condition): [("where", quoted(condition, always: true))]
    // A plan finds its objects by conditions alone.
    case .all, .keys: []
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
    case .search: members(of: property.type) + [("indexed", "true")]
    case .fulltext: members(of: property.type) + [("fulltext", "true")]
    case nil: members(of: property.type)
    }
  }

  /// The type in one word, or in the long form if one word would be ambiguous.
  private static func members(of type: PlannedType) -> [(String, String)] {
    let notation = PropertyNotation(
      type: type.type, isOptional: type.isOptional, collection: type.collection,
      target: type.target.map { Name($0.text) })
    if let short = notation.short { return [("type", quoted(short))] }
    return [("type", quoted(notation.type))]
      + (notation.objectType.map { [("objectType", quoted($0.text))] } ?? [])
      + (notation.isOptional ? [("optional", "true")] : [])
      + (notation.collection.map { [("collection", quoted($0))] } ?? [])
  }

  private static func quoted(_ text: PlanText, always: Bool = false) -> String {
    quoted(text.text, always: always)
  }

  /// A string as a YAML scalar, in double quotes unless it is a plain word.
  package static func quoted(_ string: String, always: Bool = false) -> String {
    let isWord = string.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "_")
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    guard always || !isWord || string.isEmpty else { return string }
    return "\"\(escaped(string, isQuoted: true))\""
  }

  /// Escapes characters that end a line in YAML, that YAML does not allow, or that nobody would see, as `\uXXXX`.
  private static func escaped(_ string: String, isQuoted: Bool) -> String {
    var result = ""
    for scalar in string.unicodeScalars {
      if isQuoted, scalar == "\"" || scalar == "\\" { result += "\\" }
      if isPrintable(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        var digits = TextBuffer(capacity: 8)
        digits.append(hex: UInt64(scalar.value), digits: 4)
        result += "\\u" + String(decoding: digits.bytes, as: UTF8.self)
      }
    }
    return result
  }

  /// Whether YAML allows the character unescaped and does not end a line at it (YAML 1.1, sections 5.1 and 5.4), and a page or
  /// terminal shows it as it is. All other characters are below U+10000.
  private static func isPrintable(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0xFFFD, 0x10000...:
      String(scalar).printable.unicodeScalars.elementsEqual([scalar])
    default: false
    }
  }
}
