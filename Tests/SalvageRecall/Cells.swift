import RealmModel
import RealmStorage

/// A value of an object: the object by class and primary key, or by object key where there is none.
struct Cell: Hashable {
  let className: String
  let identity: String
  let property: String
}

/// The objects of a realm, cell by cell.
struct Cells {
  /// An object, and the texts of its values by property.
  struct Object {
    let className: String
    let key: Int64
    let identity: String
    let values: [String: Int]
    /// Whether a value is a link, or has links in it.
    let links: Set<String>
  }

  private(set) var objects: [Object] = []

  /// Reads all objects, embedded ones inside of their owners.
  init(_ realm: Realm) throws {
    let schema = realm.schema.objects
    let source = RealmSource(realm)
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      let objectClass = schema.classes[part.classPosition]
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          var values: [String: Int] = [:]
          var links = Set<String>()
          var identity = "key \(batch.keys[row].raw)"
          for (i, property) in objectClass.properties.enumerated() {
            let value = try batch.value(ofProperty: i, row: row)
            let text = Cells.text(value, schema)
            if objectClass.primaryKey == i { identity = text }
            values[property.name.text] = text.hashValue
            if text.contains("\u{1}link") { links.insert(property.name.text) }
          }
          objects.append(
            Object(
              className: objectClass.name.text, key: batch.keys[row].raw, identity: identity,
              values: values, links: links))
        }
      }
      _ = cursor.close()
    }
  }

  /// A text that is equal for equal values of different realms.
  private static func text(_ value: RealmValue, _ schema: ObjectSchema) -> String {
    switch value {
    case .link(let link):
      let name = schema.classes[link.classPosition].name.text
      let key = link.primaryKey.first.map { text($0, schema) } ?? "\(link.key?.raw ?? -1)"
      return "\u{1}link \(name) \(key) \(link.isUnresolved)"
    case .object(let values):
      return "{" + values.map { text($0, schema) }.joined(separator: ",") + "}"
    case .list(let values):
      return "[" + values.map { text($0, schema) }.joined(separator: ",") + "]"
    case .dictionary(let entries):
      return "<"
        + entries.map { text($0.key, schema) + ":" + text($0.value, schema) }.joined(separator: ",")
        + ">"
    default: return "\(value)"
    }
  }
}
