import TestSupport

/// Compares the export of a random realm with the imported JSON: the order of objects,
/// of members of sets and of dictionary entries may differ, and a number may be written differently.
struct DocumentComparison {
  let schema: RandomSchema

  /// - Returns: the first difference; nil if there is none.
  func difference(_ made: JSONValue, _ exported: JSONValue) -> String? {
    for name in ["realm", "schema"] where made[name] != exported[name] {
      return "\(name) is \(text(exported[name])), not \(text(made[name]))"
    }
    guard made["objects"]?.names == exported["objects"]?.names else {
      return "the classes are \(exported["objects"]?.names ?? [])"
    }
    for (position, objectClass) in schema.classes.enumerated() where objectClass.kind != .embedded {
      let name = JSONText.memberName(objectClass.name)
      let ours = lines(made["objects"]?[name], position)
      let theirs = lines(exported["objects"]?[name], position)
      guard ours.count == theirs.count else {
        return "class \(name) has \(theirs.count) objects, not \(ours.count)"
      }
      for (our, their) in zip(ours, theirs) where our != their {
        let same = zip(our.unicodeScalars, their.unicodeScalars).prefix { $0 == $1 }.count
        return "class \(name) has \(excerpt(their, same)), not \(excerpt(our, same))"
      }
    }
    return nil
  }

  private func text(_ value: JSONValue?) -> String { value?.text ?? "nothing" }

  /// The surroundings of the first difference of two strings.
  private func excerpt(_ text: String, _ position: Int) -> String {
    let scalars = text.unicodeScalars.dropFirst(max(0, position - 60)).prefix(160)
    return "…" + String(String.UnicodeScalarView(scalars)) + "…"
  }

  /// The objects in a canonical form, sorted.
  private func lines(_ objects: JSONValue?, _ position: Int) -> [String] {
    (objects?.array ?? []).map { canonical($0, class: position) }.sorted()
  }

  private func canonical(_ object: JSONValue, class position: Int) -> String {
    let objectClass = schema.classes[position]
    guard let members = object.members else { return object.text }
    return members.map { member in
      let property = objectClass.properties.first {
        JSONText.memberName($0.name).utf8.elementsEqual(member.name.utf8)
      }
      return member.name + ":"
        + (property.map { canonical(member.value, $0) } ?? text(member.value))
    }.joined(separator: ",")
  }

  private func canonical(_ value: JSONValue, _ property: RandomProperty) -> String {
    switch property.collection {
    case nil: return element(value, property)
    case .list: return (value.array ?? []).map { element($0, property) }.joined(separator: ",")
    case .set:
      return (value.array ?? []).map { element($0, property) }.sorted().joined(separator: ",")
    case .dictionary:
      let entries = value.names == ["$dictionary"] ? value["$dictionary"] : value
      return (entries?.members ?? []).map { $0.name + ":" + element($0.value, property) }
        .sorted().joined(separator: ",")
    }
  }

  private func element(_ value: JSONValue, _ property: RandomProperty) -> String {
    if let target = property.target, schema.classes[target].kind == .embedded {
      return "(" + canonical(value, class: target) + ")"
    }
    return anything(value)
  }

  /// A value whose arrays are lists.
  private func anything(_ value: JSONValue) -> String {
    switch value {
    case .number(let token):
      // An int keeps its digits; a double may be written differently.
      guard token.contains(where: { ".eE".contains($0) }) else { return token }
      return Double(token).map { "double \($0.bitPattern)" } ?? token
    case .array(let elements):
      return "[" + elements.map(anything).joined(separator: ",") + "]"
    case .object(let members):
      return "{"
        + members.map { JSONValue.string($0.name).text + ":" + anything($0.value) }.sorted()
        .joined(separator: ",") + "}"
    case .null, .bool, .string: return value.text
    }
  }
}
