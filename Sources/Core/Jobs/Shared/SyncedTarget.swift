import RealmBuilding
import RealmModel
import RealmStorage
import RealmSync

/// Checks what a synced realm must fulfil before changes are appended to its history.
enum SyncedTarget {
  /// Checks that the history of a sync client can be continued.
  ///
  /// - Throws: `oldSyncHistory`.
  static func checkHistory(of snapshot: Snapshot) throws {
    let version = snapshot.top.historySchemaVersion
    guard version >= ClientHistory.oldestDecodedSchemaVersion else {
      throw RequestError(.oldSyncHistory(version), path: snapshot.path)
    }
  }

  /// Whether the realm is synced, so that changes belong into its history.
  ///
  /// - Throws: `oldSyncHistory`, `oldSyncedFormat` for a synced realm that takes none; `serverRealm`,
  ///   `outOfRealmHistory`.
  static func takesChanges(_ snapshot: Snapshot) throws -> Bool {
    guard try isSynced(try HistoryKind(of: snapshot.top), path: snapshot.path) else {
      return false
    }
    try checkHistory(of: snapshot)
    guard snapshot.fileFormat.isBuilt,
      snapshot.fileFormat.clientHistorySchemaVersion >= ClientHistory.newestSchemaVersion
    else {
      throw RequestError(.oldSyncedFormat(snapshot.format), path: snapshot.path)
    }
    return true
  }

  /// Whether a realm with this kind of history is synced.
  ///
  /// - Parameter path: path of the realm.
  /// - Throws: `serverRealm`, `outOfRealmHistory`.
  static func isSynced(_ kind: HistoryKind, path: String) throws -> Bool {
    switch kind {
    case .none, .inRealm: return false
    case .syncClient: return true
    case .syncServer: throw RequestError(.serverRealm, path: path)
    case .outOfRealm: throw RequestError(.outOfRealmHistory, path: path)
    }
  }

  /// Checks that objects can be added to a realm, changed or deleted.
  ///
  /// - Parameters:
  ///   - changed: positions of the classes of the objects.
  ///   - deleted: positions of the classes whose objects are deleted. Links to these are removed from other objects.
  /// - Throws: `syncedTarget` with all obstacles; the errors of reading the realm.
  static func check(
    _ realm: Realm, takesObjectsOf changed: [Int], deletionsOf deleted: [Int] = []
  ) throws {
    let origins = deleted.flatMap { position in
      realm.schema.tables[position].backlinkColumns.compactMap { realm.schema.table($0.origin) }
    }
    let linking = Set(origins.filter { $0.kind != .embedded && $0.objectCount > 0 }.map(\.position))
    let classes = changed + linking.subtracting(changed).sorted()
    let schema = realm.schema.objects
    var errors: [RequestError] = []
    func add(_ obstacle: SyncedTargetObstacle, _ position: Int) {
      errors.append(
        RequestError(
          .syncedTarget(obstacle), path: realm.snapshot.path,
          className: schema.classes[position].name.text))
    }
    let reached = schema.reached(from: classes)
    for obstacle in SyncObstacle.find(in: schema) {
      let isReached = (obstacle.kind == .noPrimaryKey ? reached.named : reached.written).contains {
        schema.classes[$0].name.text == obstacle.className
      }
      guard isReached, obstacle.kind != .primaryKeyName else { continue }
      errors.append(
        RequestError(
          .syncedTarget(.schema(obstacle)), path: realm.snapshot.path,
          className: obstacle.className, property: obstacle.property))
    }
    for position in classes where schema.classes[position].kind == .asymmetric {
      add(.asymmetric, position)
    }
    if InternalTables.isFlexibleSync(realm.schema) {
      let newest = try SyncTables(realm).subscriptionSets.last
      let subscribed = Set(newest?.subscriptions.map(\.className) ?? [])
      for position in classes where !subscribed.contains(schema.classes[position].name.text) {
        add(.notSubscribed, position)
      }
    }
    guard var first = errors.first else { return }
    first.others = Array(errors.dropFirst())
    throw first
  }
}

extension ObjectSchema {
  /// The classes that changesets with objects of `classes` mention.
  ///
  /// - Returns: positions of the classes whose properties are written, and of those whose objects are named by
  ///   their primary keys, in links too.
  fileprivate func reached(from classes: [Int]) -> (written: Set<Int>, named: Set<Int>) {
    var (written, named, waiting) = (Set(classes), Set(classes), classes)
    while let position = waiting.popLast() {
      for property in self.classes[position].properties {
        if property.type == .mixed { named.formUnion(topLevelClasses) }
        guard let target = property.target else { continue }
        if self.classes[target].kind != .embedded {
          named.insert(target)
        } else if written.insert(target).inserted {
          waiting.append(target)
        }
      }
    }
    return (written, named)
  }
}

extension RequestError {
  /// The refusal of a realm with objects or classes that cannot be synced.
  ///
  /// - Parameter obstacles: at least one.
  static func cannotSync(_ obstacles: [SyncObstacle], path: String) -> any Error {
    let errors = obstacles.map { obstacle in
      RequestError(
        .cannotSync(obstacle), path: path,
        className: obstacle.className.isEmpty ? nil : obstacle.className,
        property: obstacle.property)
    }
    var error = errors[0]
    error.others = Array(errors.dropFirst())
    return error
  }
}
