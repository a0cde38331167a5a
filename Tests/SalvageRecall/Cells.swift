import RealmModel
import RealmStorage
import TestSupport

/// The objects of a realm, cell by cell. A cell is a value of a property of an object.
struct Cells {
  /// A value: hashes of its string form, of that form without links, and of its links.
  struct Value: Equatable {
    let text: Int
    let withoutLinks: Int
    let links: [Int]

    /// Whether this is `other` without some of its links.
    func isWithoutLinks(of other: Value) -> Bool {
      var rest = other.links
      return withoutLinks == other.withoutLinks
        && links.allSatisfy { link in
          rest.firstIndex(of: link).map { rest.remove(at: $0) } != nil
        }
    }
  }

  /// An object with its values in the order of the properties.
  struct Object {
    let className: String
    let key: Int64
    /// The primary key, or the object key if there is none.
    let identity: String
    let values: [Value]
  }

  private(set) var objects: [Object] = []
  /// Names of the properties, by class.
  private(set) var properties: [String: [String]] = [:]

  /// Reads all objects, embedded ones inside of their owners.
  ///
  /// - Parameters:
  ///   - damage: what happens with values that cannot be read.
  ///   - name: returns the name of a class for the one in the realm.
  init(
    _ realm: Realm, damage: ObjectRequest.Damage = .stop, name: (String) -> String = { $0 }
  ) throws {
    let schema = realm.schema.objects
    var request = ObjectRequest()
    request.damage = damage
    let names = schema.classes.map { name($0.name.text) }
    for position in schema.topLevelClasses {
      let objectClass = schema.classes[position]
      properties[objectClass.name.text] = objectClass.properties.map(\.name.text)
    }
    let source = RealmSource(realm, request)
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      let objectClass = schema.classes[part.classPosition]
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          var values: [Value] = []
          var identity = "key \(batch.keys[row].raw)"
          for i in objectClass.properties.indices {
            var links: [Int] = []
            let value = try batch.value(ofProperty: i, row: row)
            let text = Cells.text(value, names, &links)
            if objectClass.primaryKey == i { identity = text }
            values.append(
              Value(
                text: text.hashValue,
                withoutLinks: Cells.text(Cells.withoutLinks(value), names, &links).hashValue,
                links: links))
          }
          objects.append(
            Object(
              className: objectClass.name.text, key: batch.keys[row].raw, identity: identity,
              values: values))
        }
      }
      _ = cursor.close()
    }
  }

  /// A string that is equal for equal values of different realms.
  private static func text(_ value: RealmValue, _ names: [String], _ links: inout [Int]) -> String {
    func texts(_ values: [RealmValue]) -> String {
      values.map { text($0, names, &links) }.joined(separator: ",")
    }
    switch value {
    case .link(let link):
      let key = link.primaryKey.first.map { text($0, names, &links) } ?? "\(link.key?.raw ?? -1)"
      let found = "\u{1}link \(names[link.classPosition]) \(key) \(link.isUnresolved)"
      links.append(found.hashValue)
      return found
    case .object(let values): return "{" + texts(values) + "}"
    case .list(let values): return "[" + texts(values) + "]"
    case .dictionary(let entries): return "<" + texts(entries.flatMap { [$0.key, $0.value] }) + ">"
    default: return value.text
    }
  }

  /// The value without links: null in place of a link, and without the links and nulls of a list.
  private static func withoutLinks(_ value: RealmValue) -> RealmValue {
    switch value {
    case .link: .null
    case .object(let values): .object(values.map(withoutLinks))
    case .list(let values): .list(values.map(withoutLinks).filter { $0 != .null })
    case .dictionary(let entries):
      .dictionary(entries.map { RealmEntry(key: $0.key, value: withoutLinks($0.value)) })
    default: value
    }
  }
}
