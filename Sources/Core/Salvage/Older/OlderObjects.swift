import RealmModel
package import RealmStorage

/// What of older versions comes into the result: values and objects that the salvaged version lost, and objects
/// in freed space.
///
/// * An object is taken for a lost one if the salvaged version lost the node that would lead to it, and no cluster
///   that was found since can have it. It may have been deleted since.
/// * An object is in freed space if the salvaged version does not have it.
///
/// Of several versions with an object the newest one counts. An object whose primary key is that of another
/// object of the result is left out. Memory: about 100 bytes for each object that comes from an older version, of
/// which there is a limit: an object of a class without columns can take less than a byte of the file.
package struct OlderObjects: Sendable {
  /// The most objects that come from older versions, unless others are asked for: 400 MB.
  package static let limit = 1 << 22

  /// What is asked for.
  package struct Request: Sendable {
    /// Whether lost values and objects are taken from older versions.
    package var fillsLost = false
    /// Whether objects in freed space come too, in classes of their own.
    package var includesFreed = false
    /// The most objects that come from older versions.
    package var objectLimit = OlderObjects.limit

    package init() {}
  }

  /// An object of an older version.
  struct Entry: Sendable {
    let key: ObjectKey
    /// Position of the version.
    let version: Int
    /// The node that is lost, of a lost object.
    let lostRef: Ref
  }

  /// The newest first.
  package let versions: [OlderVersion]
  let matches: [VersionMatch]
  let fillsLost: Bool
  /// The keys of the objects that each version lost, by position of the class in the salvaged version.
  private(set) var gaps: [[Int: KeyGaps]]
  /// Lost objects by class, in the order of their keys.
  private(set) var filled: [Int: [Entry]] = [:]
  /// The first keys of the clusters that the salvaged version has, by ref, of classes with filled objects.
  private(set) var firstKeys: [Int: [Ref: UInt64]] = [:]
  /// Objects in freed space by class, in the order of their keys.
  private(set) var freed: [Int: [Entry]] = [:]
  /// Lost objects that older versions have, and that cannot be taken.
  private(set) var losses: [LostValues] = []

  /// - Parameters:
  ///   - salvaged: the version that is salvaged.
  ///   - lost: the keys of the objects that it may have lost.
  ///   - versions: the versions before, the newest first.
  ///   - isTaken: whether the salvaged version has the node at a ref.
  /// - Throws: errors that say nothing about the file.
  package init(
    _ request: Request, _ salvaged: SalvagedRealm, _ lost: LostKeys, versions: [OlderVersion],
    isTaken: @escaping (Ref) -> Bool
  ) throws(RealmFileError) {
    let schema = salvaged.realm.schema
    let kept = SalvageSchema(schema.objects, withLostObjects: []).properties
    (self.versions, fillsLost) = (versions, request.fillsLost)
    matches = versions.map { VersionMatch(schema, keeping: kept, in: $0.realm.schema) }
    gaps = versions.map { _ in [:] }
    let reader = try RealmReader(salvaged.realm)
    var readers: [RealmReader] = []
    for version in versions { readers.append(try RealmReader(version.realm)) }
    var room = request.objectLimit
    for position in schema.objects.topLevelClasses {
      var search = try OlderObjectSearch(
        request, reader, schema.tables[position], lost, room: room, isTaken)
      for (i, older) in readers.enumerated() {
        guard let place = matches[i].classes[position] else { break }
        let table = older.realm.schema.tables[place]
        let primaryKey = schema.tables[position].primaryKey
          .flatMap { kept[position].firstIndex(of: $0) }
          .flatMap { matches[i].properties[position][$0] }
        gaps[i][position] = try search.visit(table, older, version: i, primaryKey: primaryKey)
      }
      room = search.room
      losses += search.losses { versions[$0].number }
      let (filled, freed) = try search.unique()
      if !filled.isEmpty {
        self.filled[position] = filled
        firstKeys[position] = search.firstKeys
      }
      if !freed.isEmpty { self.freed[position] = freed }
    }
  }

  /// Whether a lost object comes from an older version.
  func isFilled(_ key: ObjectKey, ofClass position: Int) -> Bool {
    guard let entries = filled[position] else { return false }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.raw < key.raw { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].key == key
  }

  /// Leaves out the objects of a class that are in freed space.
  package mutating func removeFreed(ofClass position: Int) { freed[position] = nil }

  /// Whether some objects of the class are in freed space.
  package func hasFreed(ofClass position: Int) -> Bool { freed[position] != nil }
}
