import RealmModel

/// A set of object keys: a hash table with open addressing, at most half full, 16 to 32 bytes per key.
///
/// The factor is random: otherwise the keys of a crafted realm could all have the same place.
struct KeySet: Sendable {
  /// Free places hold the null key, which is never in the set.
  private let places: [Int64]
  private let shift: UInt64
  private let factor: UInt64
  let count: Int

  /// - Parameter keys: object keys, without repetitions.
  init(_ keys: [ObjectKey]) {
    count = keys.count
    var bits: UInt64 = 4
    while 1 << bits < keys.count * 2 { bits += 1 }
    shift = 64 - bits
    factor = .random(in: 0 ... .max) | 1
    var places = [Int64](repeating: ObjectKey.null.raw, count: 1 << Int(bits))
    for key in keys {
      var place = KeySet.place(of: key, shift, factor)
      while places[place] != ObjectKey.null.raw { place = (place + 1) & (places.count - 1) }
      places[place] = key.raw
    }
    self.places = places
  }

  /// The keys in ascending order.
  var sortedKeys: [ObjectKey] {
    places.lazy.filter { $0 != ObjectKey.null.raw }.sorted().map { ObjectKey($0) }
  }

  /// Mixes the bits, since keys of objects without a primary key are consecutive numbers.
  @inline(__always)
  private static func place(of key: ObjectKey, _ shift: UInt64, _ factor: UInt64) -> Int {
    var mixed = UInt64(bitPattern: key.raw) &* factor
    mixed = (mixed ^ mixed &>> 32) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> shift)
  }

  @inline(__always)
  func contains(_ key: ObjectKey) -> Bool {
    var place = KeySet.place(of: key, shift, factor)
    while true {
      let found = places[place]
      if found == key.raw { return true }
      if found == ObjectKey.null.raw { return false }
      place = (place &+ 1) & (places.count &- 1)
    }
  }
}
