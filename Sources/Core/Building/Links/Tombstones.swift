import RealmModel
import RealmStorage

/// The tombstones of a class: missing objects that links refer to (chapter 3, section 4.7).
struct Tombstones {
  /// The primary keys by object key; nil in a class without a primary key.
  private(set) var identities: [ObjectKey: Identity?] = [:]
  private var keys: [Identity: ObjectKey] = [:]
  /// The keys of tombstones whose links expect an object.
  private var expectedKeys: [Identity: ObjectKey] = [:]
  /// Primary keys that share their hash with another, and the keys generated for them (section 4.5).
  private(set) var collisions: [(global: GlobalKey, key: ObjectKey)] = []

  /// Marks a key generated from a number because the hash was taken.
  private static let collisionMark: Int64 = 1 << 62

  /// The keys in the order of the cluster tree, as unsigned numbers.
  var sortedKeys: [ObjectKey] {
    identities.keys.sorted { UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw) }
  }

  /// Records the tombstone with `key` of a class without a primary key.
  mutating func insert(_ key: ObjectKey) { identities[key] = .some(nil) }

  /// The key of the tombstone for the object with a primary key.
  ///
  /// - Parameter nextNumber: returns a number that no object has.
  mutating func key(of identity: Identity, nextNumber: () -> Int) -> ObjectKey {
    if let key = keys[identity] { return key }
    guard let global = identity.globalKey else { return .null }
    var key = global.hashedKey
    if let other = identities[key.unresolved], let other, let otherGlobal = other.globalKey {
      if !collisions.contains(where: { $0.global == otherGlobal }) {
        collisions.append((otherGlobal, key))
      }
      key = ObjectKey(Tombstones.collisionMark | Int64(nextNumber()))
      collisions.append((global, key))
    }
    keys[identity] = key.unresolved
    identities[key.unresolved] = identity
    return key.unresolved
  }
}

extension Tombstones {
  /// Marks the key of a tombstone for links that are not marked as unresolved. No other key has these bits:
  /// hashes have 62 bits, and numbers fewer.
  fileprivate static let expectedMark = collisionMark | 1 << 61

  /// The key of the tombstone for links that expect the object with a primary key to exist.
  mutating func expectedKey(of identity: Identity) -> ObjectKey {
    if let key = expectedKeys[identity] { return key }
    let key = ObjectKey(Tombstones.expectedMark | Int64(expectedKeys.count)).unresolved
    expectedKeys[identity] = key
    identities[key] = identity
    return key
  }
}

extension ObjectKey {
  /// True for the key of a tombstone whose links are not marked as unresolved, in a class with a primary key of
  /// a realm that was built with ``RealmBuilder/Request/separatesMissingTargets``.
  package var isExpected: Bool {
    isUnresolved && unresolved.raw & Tombstones.expectedMark == Tombstones.expectedMark
  }
}

extension CollisionMap {
  /// Appends a collision map.
  static func append(
    _ rows: [(global: GlobalKey, key: ObjectKey)], into nodes: FileNodes
  ) throws(RealmFileError) -> Ref {
    let sorted = rows.sorted {
      (Int64(bitPattern: $0.global.high), $0.global.low)
        < (Int64(bitPattern: $1.global.high), $1.global.low)
    }
    let lows = try nodes.append(integers: sorted.map { Int64(bitPattern: $0.global.low) })
    let highs = try nodes.append(integers: sorted.map { Int64(bitPattern: $0.global.high) })
    let keys = try nodes.append(integers: sorted.map(\.key.raw))
    return try nodes.append(refs: [Int64(lows), Int64(highs), Int64(keys)])
  }
}
