import RealmModel
import RealmStorage

/// The object keys of the objects with primary keys in format 20.
struct HashedKeys: Sendable {
  /// The objects of a class in the order of their new keys.
  struct Order {
    var stored: [ObjectKey] = []
    var new: [ObjectKey] = []
  }

  /// By position of the class.
  private(set) var orders: [Int: Order] = [:]
  /// The primary keys that share their hash with another, and their object keys, by position of the class.
  private(set) var collisions: [Int: [(global: GlobalKey, key: ObjectKey)]] = [:]
  /// Whether an object has another key than its hash.
  private(set) var differ = false

  /// Marks a key generated from a number because the hash was taken.
  private static let collisionMark: Int64 = 1 << 62

  /// Takes 32 bytes for each object.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  init(of realm: Realm) throws(RealmFileError) {
    let reader = try RealmReader(realm)
    for table in realm.schema.tables {
      guard let position = table.primaryKey, table.isClass else { continue }
      var pairs: [(new: ObjectKey, stored: ObjectKey, global: GlobalKey)] = []
      try reader.nodes.traversing { () throws(RealmFileError) in
        for place in try reader.clusters(of: table) {
          let mark = reader.nodes.mark()
          defer { reader.nodes.release(to: mark) }
          let cluster = try reader.cluster(place)
          let values = try reader.batch(table.columns[position], of: cluster)
          for row in 0..<cluster.count {
            guard let global = GlobalKey(primaryKey: values.value(at: row)) else { continue }
            pairs.append((global.hashedKey, cluster.key(at: row), global))
          }
        }
      }
      add(pairs, of: table.position)
    }
  }

  private mutating func add(
    _ pairs: [(new: ObjectKey, stored: ObjectKey, global: GlobalKey)], of position: Int
  ) {
    var pairs = pairs.sorted { ($0.new.raw, $0.stored.raw) < ($1.new.raw, $1.stored.raw) }
    var number = Int64(pairs.count)
    var others = false
    for i in pairs.indices.dropFirst()
    where pairs[i].global.hashedKey == pairs[i - 1].global.hashedKey {
      let isFirst = pairs[i - 1].new == pairs[i - 1].global.hashedKey
      if isFirst {
        collisions[position, default: []].append((pairs[i - 1].global, pairs[i - 1].new))
      }
      pairs[i].new = ObjectKey(HashedKeys.collisionMark | number)
      collisions[position, default: []].append((pairs[i].global, pairs[i].new))
      (number, others) = (number + 1, true)
    }
    if others { pairs.sort { $0.new.raw < $1.new.raw } }
    if pairs.contains(where: { $0.new != $0.stored }) { differ = true }
    orders[position] = Order(stored: pairs.map(\.stored), new: pairs.map(\.new))
  }
}
