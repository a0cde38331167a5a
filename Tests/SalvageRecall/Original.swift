import Foundation
import RealmModel
import RealmStorage
import TestSupport

/// An undamaged realm, read once for all runs.
final class Original {
  let name: String
  /// A number that depends on the name only.
  var seed: UInt64 {
    name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
  let bytes: [UInt8]
  let key: RealmKey?
  let realm: Realm
  let cells: Cells
  let linked: LinkedObjects
  /// Positions of primary keys, by class; nil for a class without one.
  let primaryKeys: [String: Int?]
  /// The places of the nodes with refs above objects.
  let innerNodes: [Range<Int>]
  private let path: String
  private var knownOlder: OlderCells?

  /// The key of an encrypted realm is in a file next to it that ends with .key.
  init(_ path: String) throws {
    self.path = path
    name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    bytes = try readFile(path)
    let keyPath = String(path.dropLast(".realm".count)) + ".key"
    key = FileManager.default.fileExists(atPath: keyPath) ? try KeyFile.read(keyPath).key : nil
    realm = try Realm(path: path, key: key)
    cells = try Cells(realm)
    linked = try LinkedObjects(realm)
    primaryKeys = realm.schema.objects.appClasses.reduce(into: [:]) { [realm] keys, position in
      let objectClass = realm.schema.objects.classes[position]
      keys[objectClass.name.text] = .some(objectClass.primaryKey)
    }
    innerNodes = try Original.innerNodes(of: realm)
  }

  /// The objects of older versions, which are read on first use.
  func older() throws -> OlderCells {
    if let knownOlder { return knownOlder }
    let older = try OlderCells(path, key: key)
    knownOlder = older
    return older
  }

  /// The original of a class of a result: lost names are `class_` and the slot of the table.
  func className(_ name: String) -> String {
    guard primaryKeys[name] == nil, name.hasPrefix("class_"),
      let slot = Int(name.dropFirst("class_".count)),
      let table = realm.schema.tables.first(where: { $0.key.slot == slot })
    else { return name }
    return table.className.text
  }

  /// The embedded classes that have fewer properties in a result, and those that embed them.
  func classes(lackingPropertiesIn result: Realm) -> Set<Int> {
    let classes = realm.schema.objects.classes
    var counts: [String: Int] = [:]
    for objectClass in result.schema.objects.classes {
      counts[className(objectClass.name.text)] = objectClass.properties.count
    }
    var lacking = Set(
      classes.indices.filter {
        classes[$0].kind == .embedded
          && counts[classes[$0].name.text] != classes[$0].properties.count
      })
    var count = -1
    while count < lacking.count {
      count = lacking.count
      for i in classes.indices where classes[i].kind == .embedded {
        let targets = classes[i].properties.compactMap(\.target)
        if targets.contains(where: lacking.contains) { lacking.insert(i) }
      }
    }
    return lacking
  }

  private static func innerNodes(of realm: Realm) throws -> [Range<Int>] {
    let nodes = try realm.snapshot.makeReader()
    var (ranges, stack): ([Range<Int>], [Ref]) = ([], [realm.snapshot.top.tables])
    while let ref = stack.popLast() {
      let node = try nodes.lookUp(ref)
      guard node.hasRefs else { continue }
      ranges.append(ref..<ref + node.header.nodeByteCount)
      for i in 0..<node.count {
        if case .ref(let child) = node.element(at: i) { stack.append(child) }
      }
    }
    return ranges
  }
}

/// The objects in values: embedded ones, and the targets of links.
struct LinkedObjects {
  /// An object, by position of its table.
  struct Place: Hashable {
    let table: Int
    let key: Int64
  }

  /// By object and position of the property.
  private var embedded: [Place: [Int: [Place]]] = [:]
  private var targets: [Place: [Int: [Place]]] = [:]

  init(_ realm: Realm) throws {
    let schema = realm.schema.objects
    var request = ObjectRequest()
    (request.embedded, request.links) = (.asClass, .keys)
    let source = RealmSource(realm, request, classes: Array(schema.classes.indices))
    let cursor = try source.makeCursor()
    func links(_ value: RealmValue) -> [RealmLink] {
      switch value {
      case .link(let link): link.isUnresolved ? [] : [link]
      case .list(let values): values.flatMap(links)
      case .dictionary(let entries): entries.flatMap { links($0.value) }
      default: []
      }
    }
    for part in try source.parts() {
      let properties = schema.classes[part.classPosition].properties
      let wanted = properties.indices.filter { [.link, .mixed].contains(properties[$0].type) }
      guard !wanted.isEmpty else { continue }
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          let place = Place(table: part.classPosition, key: batch.keys[row].raw)
          for i in wanted {
            for link in links(try batch.value(ofProperty: i, row: row)) {
              guard let key = link.key else { continue }
              let other = Place(table: link.classPosition, key: key.raw)
              if schema.classes[link.classPosition].kind == .embedded {
                embedded[place, default: [:]][i, default: []].append(other)
              } else {
                targets[place, default: [:]][i, default: []].append(other)
              }
            }
          }
        }
      }
      _ = cursor.close()
    }
  }

  /// The embedded objects that a value has.
  func embedded(_ place: Place, _ property: Int) -> [Place] { embedded[place]?[property] ?? [] }

  /// The targets of the links in a value.
  func targets(_ place: Place, _ property: Int) -> [Place] { targets[place]?[property] ?? [] }
}
