import Foundation
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport

/// The objects of the older versions of an undamaged realm that were not overwritten.
///
/// A result that may be older, as its report says, can have only their values.
struct OlderCells {
  /// The values of each property of one object in one version: by name, and if it is known also by
  /// `property_` and the leaf index.
  private struct Object {
    let identity: String
    let values: [String: Cells.Value]
  }

  /// By class.
  private var objects: [String: [Object]] = [:]

  /// - Parameter path: the undamaged realm.
  init(_ path: String, key: RealmKey?) throws {
    try addVersions(path, key)
    try addTables(path, key)
  }

  /// Adds the objects of the versions whose roots are found.
  private mutating func addVersions(_ path: String, _ key: RealmKey?) throws {
    let folder = try TemporaryFolder()
    var request = SalvageRequest(path: path)
    request.key = key
    for root in try SalvageJob(request).listRoots().roots where !root.isChosen {
      request.version = .offset(root.offset)
      let target = folder.path("older-\(root.offset).realm")
      // Some versions are overwritten.
      guard (try? SalvageJob(request).run(to: .realm(target, replacing: true))) != nil else {
        continue
      }
      add(try Cells(try Realm(path: target, key: key)))
    }
  }

  /// Adds the objects of older top arrays of tables, which no root reaches.
  private mutating func addTables(_ path: String, _ key: RealmKey?) throws {
    let file = try DamagedFile(
      path: path, key: key, cacheByteCount: Snapshot.usualCacheByteCount)
    guard let root = try SalvageRoots(file).roots.first else { return }
    let nodes = try file.makeReader()
    var walk = DamageWalk(root, nodes)
    try walk.run()
    let search = try TableSearch(nodes) { _ in true }
    let list = try nodes.lookUp(root.tables)
    let elements = (0..<list.count).map { list.integer(at: $0) }
    let tops = elements.indices.map { search.tops(inSlot: $0).map { Int64($0.ref) } }
    var lists: [[Int64]] = []
    for slot in elements.indices {
      for top in tops[slot] where top != elements[slot] {
        lists.append(elements)
        lists[lists.count - 1][slot] = top
      }
    }
    // Objects of one age link to each other.
    for age in 1..<max(2, tops.map(\.count).max() ?? 0) {
      lists.append(
        elements.indices.map {
          tops[$0].isEmpty ? elements[$0] : tops[$0][min(age, tops[$0].count - 1)]
        })
    }
    for tables in lists {
      var repairs = SalvageImage.Repairs(walk)
      repairs.tables = repairs.nodes.append(refs: tables)
      let realm = try SalvagedRealm(try SalvageImage.open(file, root, walk, repairs)).realm
      guard let cells = try? Cells(realm, damage: .leaveOut) else { continue }
      add(cells) { name in
        let table = realm.schema.tables.first { $0.isClass && $0.className.text == name }
        return (table?.columns ?? []).map { "property_\($0.key.leafIndex)" }
      }
    }
  }

  /// - Parameter others: returns other names for the properties of a class.
  private mutating func add(_ cells: Cells, others: (String) -> [String] = { _ in [] }) {
    var known: [String: [String]] = [:]
    for object in cells.objects {
      let names = cells.properties[object.className] ?? []
      let others = known[object.className] ?? others(object.className)
      known[object.className] = others
      let name =
        object.className.hasPrefix(SalvageSchema.lostPrefix)
        ? String(object.className.dropFirst(SalvageSchema.lostPrefix.count)) : object.className
      objects[name, default: []].append(
        Object(
          identity: object.identity,
          values: Dictionary(
            Array(zip(names, object.values)) + zip(others, object.values), uniquingKeysWith: { $1 })
        ))
    }
  }

  /// Whether an object had a value in an older version, or the same with more links.
  ///
  /// - Parameter identity: nil for any object.
  func has(
    _ value: Cells.Value, of property: String, className: String, identity: String?
  ) -> Bool {
    (objects[className] ?? []).contains { object in
      guard identity == nil || identity == object.identity, let old = object.values[property]
      else { return false }
      return old == value || value.isWithoutLinks(of: old)
    }
  }

  /// Whether one object had all these values in an older version, each of which may have had more links.
  func hasObject(_ values: [String: Cells.Value], className: String) -> Bool {
    (objects[className] ?? []).contains { object in
      values.allSatisfy { name, value in
        object.values[name].map { $0 == value || value.isWithoutLinks(of: $0) } ?? false
      }
    }
  }
}
