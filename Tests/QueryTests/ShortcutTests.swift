import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmQuery

/// Indexes and sets of linked objects must not change a result. The realms were written by the reference
/// and have file formats 11 to 24.
@Suite("Indexes and sets of linked objects")
struct ShortcutTests {
  /// Queries about one property, reached over `prefix`.
  private static func queries(_ prefix: String, _ property: Property) -> [String] {
    // Names in these realms may have characters that a query cannot contain.
    let isPlain = property.name.text.utf8.allSatisfy {
      ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || (0x30...0x39).contains($0)
    }
    guard isPlain else { return [] }
    let path = prefix + property.name.text
    let values: [String] =
      switch property.type {
      case .int: ["0", "1", "3.5", "{0, 1, 2}"]
      case .bool: ["true", "false"]
      case .float, .double, .decimal: ["0", "1.5", "NaN"]
      case .string: ["''", "'a'", "{'a', 'b', null}"]
      case .binary: ["binary('')"]
      case .timestamp: ["T0:0", "T1:0"]
      case .objectId: ["oid(000000000000000000000000)"]
      case .uuid: ["uuid(00000000-0000-0000-0000-000000000000)"]
      case .mixed, .typedLink: ["0", "'a'", "true"]
      case .link: []
      }
    var texts = ["\(path) == null", "\(path).@count > 0", "\(path).@size == null"]
    for value in values {
      texts += [
        "\(path) == \(value)", "\(path) != \(value)", "\(path) < \(value)",
        "ALL \(path) >= \(value)", "NONE \(path) == \(value)", "\(path) IN \(value)",
      ]
    }
    if property.type == .string {
      texts += ["\(path) CONTAINS[c] 'A'", "\(path) TEXT 'a'", "\(path) TEXT 'a* -b'"]
    }
    return texts
  }

  /// Queries about a class: its properties, and those of the classes that it links to or that link to it.
  private static func queries(_ position: Int, _ schema: ObjectSchema) -> [String] {
    let objectClass = schema.classes[position]
    var texts = ["@links.@count == 1"]
    for property in objectClass.properties {
      texts += queries("", property)
      guard property.type == .link, let target = schema.target(of: property) else { continue }
      let name = property.name.text
      for inner in target.properties.prefix(4) { texts += queries("\(name).", inner) }
      texts.append("SUBQUERY(\(name), $x, TRUEPREDICATE).@count > 0")
    }
    for origin in schema.appClasses {
      for property in schema.classes[origin].properties where property.target == position {
        let prefix = "@links.\(schema.classes[origin].name.text).\(property.name.text)"
        texts.append("\(prefix).@count > 0")
        for inner in schema.classes[origin].properties.prefix(3) {
          texts += queries("\(prefix).", inner)
        }
      }
    }
    return texts
  }

  /// Every sixteenth realm: each takes some seconds.
  private static let names = Lived.names.enumerated().filter { $0.offset % 16 == 0 }.map(\.element)

  @Test("results are the same with and without them", arguments: names)
  func comparison(name: String) throws {
    let realm = try Realm(path: Lived.path("\(name).realm"))
    let schema = realm.schema.objects
    for position in schema.appClasses {
      for text in ShortcutTests.queries(position, schema) {
        guard
          let query = try? Query(
            text, ofClass: schema.classes[position].name.text, in: schema)
        else { continue }
        let fast = try QueryRun(realm, query.resolved, jobs: 2).run().keys
        let slow = try QueryRun(realm, query.resolved, jobs: 1, usesShortcuts: false).run().keys
        #expect(fast == slow, "\(schema.classes[position].name.text): \(text)")
      }
    }
  }
}
