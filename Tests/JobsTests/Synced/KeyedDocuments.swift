import TestJobs
import TestSupport
import Testing

/// Expects that a realm has the objects of another one, in the same order, except for the values of the primary keys
/// that were added, and the names of those that were renamed.
///
/// Links are compared by their targets: the document of each realm gives every object the number of its place in its
/// class, and links are replaced by the number of their target.
func expectSameObjects(_ source: String, withKeys result: String) throws {
  let (a, b) = (try KeyedDocument(source), try KeyedDocument(result))
  #expect(a.objects.keys.sorted() == b.objects.keys.sorted())
  for (name, objects) in a.objects {
    let others = try #require(b.objects[name])
    #expect(objects.count == others.count, "\(name)")
    let identity = (a: a.identities[name] ?? "", b: b.identities[name] ?? "")
    // A key that was renamed, or was a plain property before, has the values that it had.
    let wasProperty = objects.first?[identity.b] != nil
    let isCompared = a.hasPrimaryKey.contains(name) || wasProperty
    for (number, (object, other)) in zip(objects, others).enumerated() {
      var (object, other) = (object, other)
      let (old, new) = (object[identity.a], other[identity.b])
      if !wasProperty { object[identity.a] = nil }
      other[identity.b] = wasProperty ? new : nil
      if a.hasPrimaryKey.contains(name) { #expect(old == new, "\(name) \(number)") }
      if wasProperty { object[identity.a] = identity.a == identity.b ? old : nil }
      #expect(object == other, "\(name) \(number)")
      #expect(isCompared || new != nil, "\(name) \(number)")
    }
  }
}

/// The Realm JSON of a realm with links replaced by numbers.
private struct KeyedDocument {
  /// The member with the identity of each class that is not embedded.
  private(set) var identities: [String: String] = [:]
  private(set) var hasPrimaryKey: Set<String> = []
  /// The members of the objects of each class, as text.
  private(set) var objects: [String: [[String: String]]] = [:]
  /// The type of each property, `Class.property`, as written in the schema.
  private var types: [String: String] = [:]
  private var classNames: Set<String> = []
  /// The place of each object in its class, by `Class identity`.
  private var places: [String: Int] = [:]

  init(_ path: String) throws {
    let document = try realmJSON(of: path)
    for content in document["schema"]?.array ?? [] {
      let name = content["name"]?.string ?? ""
      classNames.insert(name)
      if content["primaryKey"] != nil { hasPrimaryKey.insert(name) }
      identities[name] = content["primaryKey"]?.string ?? content["keyMember"]?.string
      for property in content["properties"]?.members ?? [] {
        let long = property.value["type"]?.string
        types["\(name).\(property.name)"] =
          long == "object" ? property.value["objectType"]?.string : long ?? property.value.string
      }
    }
    for content in document["objects"]?.members ?? [] {
      for (place, object) in (content.value.array ?? []).enumerated() {
        let identity = identities[content.name].flatMap { object[$0] }?.text ?? "null"
        places["\(content.name) \(identity)"] = place
      }
    }
    for content in document["objects"]?.members ?? [] {
      objects[content.name] = (content.value.array ?? []).map { members(of: $0, content.name) }
    }
  }

  private func members(of object: JSONValue, _ name: String) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (object.members ?? []).map { member in
        (member.name, numbered(member.value, types["\(name).\(member.name)"] ?? "").text)
      })
  }

  /// The value with links to objects that do not exist as apps see them, and others as numbers.
  private func numbered(_ value: JSONValue, _ type: String) -> JSONValue {
    let target = String(type.prefix { !"?[]<>{}".contains($0) })
    if value["$link"]?["unresolved"] != nil { return .null }
    if let link = value["$link"], let name = link["class"]?.string {
      return .string("link to \(name) \(place(of: link["id"] ?? .null, in: name))")
    }
    guard target == "mixed" || classNames.contains(target) else { return value }
    switch value {
    case .array(let elements):
      return .array(
        elements.filter { target == "mixed" || $0["$link"]?["unresolved"] == nil }
          .map { numbered($0, target) })
    case .object(let members):
      if classNames.contains(target), identities[target] == nil, !type.hasSuffix("}") {
        let parts = self.members(of: value, target)
        return .array(parts.sorted { $0.key < $1.key }.map { .string("\($0.key): \($0.value)") })
      }
      if classNames.contains(target), let link = value["$link"] {
        return .string("link to \(target) \(place(of: link["id"] ?? .null, in: target))")
      }
      guard target == "mixed" || type.hasSuffix("}") else {
        return .string("link to \(target) \(place(of: value, in: target))")
      }
      return .object(members.map { JSONValue.Member($0.name, numbered($0.value, target)) })
    case .null: return .null
    default:
      return target == "mixed"
        ? value : .string("link to \(target) \(place(of: value, in: target))")
    }
  }

  private func place(of identity: JSONValue, in name: String) -> String {
    places["\(name) \(identity.text)"].map(String.init) ?? "nowhere: \(identity.text)"
  }
}
