import Foundation
import RealmMaintenance
import RealmModel
import RealmStorage
import TestSupport

/// The objects of the older versions of an undamaged realm, as far as they were not overwritten.
///
/// A result that says that it may be older can have values of these, and no others.
struct OlderCells {
  /// The values of each property, of one object in one version.
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
    var request = SalvageJob.Request(path: path)
    request.key = key
    for root in try SalvageJob(request).listRoots().roots where !root.isChosen {
      request.version = .offset(root.offset)
      let target = folder.path("older-\(root.offset).realm")
      // Of some versions nothing is left.
      guard (try? SalvageJob(request).run(to: .realm(target, replacing: true))) != nil else {
        continue
      }
      add(try Cells(try Realm(path: target, key: key)))
    }
  }

  /// Adds the objects of older top arrays of tables, which no root leads to.
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
    for slot in elements.indices {
      for top in search.tops(inSlot: slot) where Int64(top.ref) != elements[slot] {
        var tables = elements
        tables[slot] = Int64(top.ref)
        var repairs = SalvageImage.Repairs(walk)
        repairs.tables = repairs.nodes.append(refs: tables)
        let image = try SalvageImage.open(file, root, walk, repairs)
        if let cells = try? Cells(try SalvagedRealm(image).realm, damage: .leaveOut) { add(cells) }
      }
    }
  }

  private mutating func add(_ cells: Cells) {
    for object in cells.objects {
      let names = cells.properties[object.className] ?? []
      let name =
        object.className.hasPrefix(SalvageSchema.lostPrefix)
        ? String(object.className.dropFirst(SalvageSchema.lostPrefix.count)) : object.className
      objects[name, default: []].append(
        Object(
          identity: object.identity,
          values: Dictionary(zip(names, object.values), uniquingKeysWith: { $1 })))
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
