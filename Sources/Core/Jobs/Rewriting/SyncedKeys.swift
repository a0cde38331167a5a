import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage
import RealmSync

/// How a class gets the primary key `_id`, which it needs in a synced realm.
public struct SyncedKeyChange: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Its objects get new ObjectIds, in a new property.
    case added
    /// Its property `_id`, which is no primary key yet, becomes the primary key.
    case chosen
    /// Its primary key is renamed; the old name.
    case renamed(from: String)
  }

  public let className: String
  public let kind: Kind
}

/// The changes after which every class that can be synced has the primary key `_id` (chapter 4, section 4.2).
struct SyncedKeys {
  private static let name = "_id"

  private(set) var changes: [SyncedKeyChange] = []
  private(set) var steps: [MigrationStep] = []
  /// Why the realm cannot be synced even after the changes; empty if it can.
  private(set) var obstacles: [SyncObstacle] = []

  /// - Throws: `damaged` and the errors of the source, while comparing the values of existing properties.
  init(for realm: Realm) throws {
    let schema = realm.schema.objects
    for obstacle in SyncObstacle.find(in: schema) {
      let position = schema.appClasses.first {
        schema.classes[$0].name.text == obstacle.className
      }
      guard let position, obstacle.isAboutKey else {
        obstacles.append(obstacle)
        continue
      }
      try addKey(to: position, of: realm)
    }
  }

  /// Adds what gives a class its primary key, or why nothing can.
  private mutating func addKey(to position: Int, of realm: Realm) throws {
    let schema = realm.schema.objects
    let owner = schema.classes[position]
    let existing = owner.position(ofPropertyNamed: SyncedKeys.name)
    if let key = owner.primaryKey {
      let old = owner.properties[key].name
      guard existing == nil else { return refuse(.keyNameTaken, owner, old.text) }
      steps.append(.rename(old, of: owner.name, to: SyncedKeys.name))
      add(.renamed(from: old.text), to: owner)
    } else if let existing {
      let property = owner.properties[existing]
      guard property.canBePrimaryKey else {
        let notation = PropertyNotation(property, isPrimaryKey: false, schema)
        return refuse(.keyType(notation.short ?? notation.long), owner, SyncedKeys.name)
      }
      guard property.index != .fulltext else {
        return refuse(.keyWithWords, owner, SyncedKeys.name)
      }
      let equal = try DuplicateKeys(classPosition: position, property: existing, jobs: 1)
        .list(in: realm)
      guard equal.isEmpty else { return refuse(.equalKeys(equal), owner, SyncedKeys.name) }
      steps.append(.setPrimaryKey(of: owner.name, to: SyncedKeys.name))
      add(.chosen, to: owner)
    } else {
      steps.append(.addObjectIds(to: owner.name, as: SyncedKeys.name))
      steps.append(.setPrimaryKey(of: owner.name, to: SyncedKeys.name))
      add(.added, to: owner)
    }
  }

  private mutating func add(_ kind: SyncedKeyChange.Kind, to owner: ObjectClass) {
    changes.append(SyncedKeyChange(className: owner.name.text, kind: kind))
  }

  private mutating func refuse(
    _ kind: SyncObstacle.Kind, _ owner: ObjectClass, _ property: String
  ) {
    obstacles.append(
      SyncObstacle(kind: kind, className: owner.name.text, property: property))
  }
}

extension SyncObstacle {
  /// Whether the primary key of the class is missing or has another name.
  fileprivate var isAboutKey: Bool { kind == .noPrimaryKey || kind == .primaryKeyName }
}
