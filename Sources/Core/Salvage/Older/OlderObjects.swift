import RealmModel
import RealmStorage

/// What older versions add to the result: objects that the salvaged version lost, and objects in
/// freed space.
///
/// * An object is *lost* if the salvaged version lost the node for its key, and no cluster that was
///   found can have it. It may also have been deleted.
/// * An object is in *freed space* if the salvaged version does not have it.
///
/// The newest version with an object counts. An object is left out if another one in the result has
/// its primary key. An object takes about 100 bytes of memory. Their number is limited, because an
/// object of a class without columns can take less than a byte of the file.
struct OlderObjects: Sendable {
  /// The most objects from older versions, by default: 400 MB.
  static let limit = 1 << 22

  /// An object of an older version.
  struct Entry: Sendable {
    let key: ObjectKey
    /// Position of the version.
    let version: Int
    /// The lost node of a lost object.
    let lostRef: Ref
  }

  /// The newest first.
  let versions: [OlderVersion]
  let matches: [VersionMatch]
  /// The keys of the objects that each version lost, by position of the class in the salvaged version.
  private(set) var gaps: [[Int: KeyGaps]]
  /// Lost objects by class, in the order of their keys.
  private(set) var filled: [Int: [Entry]] = [:]
  /// For classes with lost objects, the first keys of the salvaged version's clusters, by ref.
  private(set) var firstKeys: [Int: [Ref: UInt64]] = [:]
  /// Objects in freed space by class, in the order of their keys.
  var freed: [Int: [Entry]] = [:]
  /// Lost objects that older versions have, but that cannot be taken.
  private(set) var losses: [LostValues] = []

  /// - Parameters:
  ///   - salvaged: the version that is salvaged.
  ///   - lost: the keys of the objects that it may have lost.
  ///   - versions: the versions before, the newest first.
  ///   - isTaken: whether the salvaged version has the node at a ref.
  /// - Throws: errors that are not damage.
  init(
    _ request: SalvageRequest, _ salvaged: SalvagedRealm, _ lost: LostKeys,
    versions: [OlderVersion], isTaken: @escaping (Ref) -> Bool
  ) throws(RealmFileError) {
    let schema = salvaged.realm.schema
    let kept = SalvageSchema(schema.objects, withLostObjects: []).properties
    self.versions = versions
    matches = versions.map { VersionMatch(schema, keeping: kept, in: $0.realm.schema) }
    gaps = versions.map { _ in [:] }
    let reader = try RealmReader(salvaged.realm)
    var readers: [RealmReader] = []
    for version in versions { readers.append(try RealmReader(version.realm)) }
    var room = request.olderObjectLimit
    for position in schema.objects.topLevelClasses {
      var search = try OlderObjectSearch(
        request, reader, schema.tables[position], lost, room: room, isTaken)
      for (i, older) in readers.enumerated() {
        guard let place = matches[i].classes[position] else { break }
        let table = older.realm.schema.tables[place]
        let primaryKey = schema.tables[position].primaryKey
          .flatMap { kept[position].firstIndex(of: $0) }
          .flatMap { matches[i].properties[position][$0] }
        gaps[i][position] = try search.visit(
          table, older, of: versions[i], number: i, primaryKey: primaryKey)
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
    let i = entries.prefixEnd { $0.key.raw < key.raw }
    return i < entries.count && entries[i].key == key
  }
}
