public import RealmModel

/// Why a job rejects a request. The realm is sound, but it lacks the requested class or property,
/// would lose data, or is of a kind that the job does not support.
public struct RequestError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The realm has no class of this name.
    case noSuchClass(String)
    /// The class of this name is embedded: its objects are parts of other objects.
    case embeddedClass(String)
    /// No class has a property of this name.
    case noSuchProperty(String)
    /// The property cannot be dropped.
    case cannotDrop(DropObstacle)
    /// This many changes were not uploaded and would be lost. If `asymmetricClasses` is not empty,
    /// only the objects of these classes would be lost.
    case wouldLose(changes: Int, asymmetricClasses: [String])
    /// The realm to encrypt is encrypted already.
    case alreadyEncrypted
    /// The realm to decrypt or rekey is not encrypted.
    case notEncrypted
    /// The realm is synced: a copy would have the same identity.
    case syncedCopy
    /// The realm belongs to a sync server, not to an app.
    case serverRealm
    /// The realm is synced: objects that are added would not be uploaded.
    case syncedTarget
    /// The realm is synced: an upgrade would lose its history and its identity.
    case syncedUpgrade
    /// The realm is synced: devices and the server would not know the changes of a migration.
    case syncedMigration
    /// A migration would not raise the schema version.
    case versionNotHigher(stored: UInt64, wanted: UInt64)
    /// The plan has no steps to this version, only to others.
    case noSuchVersion(UInt64, known: [UInt64])
  }

  public var kind: Kind
  /// Path of the realm as the user wrote it.
  public var path: String
  /// Name of the class that the request is about, without prefix.
  public var className: String?
  /// Name of the property that the request is about.
  public var property: String?

  public init(
    _ kind: Kind, path: String = "", className: String? = nil, property: String? = nil
  ) {
    (self.kind, self.path) = (kind, path)
    (self.className, self.property) = (className, property)
  }
}

extension RequestError: CustomStringConvertible {
  /// One line: the path, the class and property, and the reason.
  public var description: String {
    let place = className.map { "class \($0)" + (property.map { ".\($0)" } ?? "") + ": " } ?? ""
    return (path.isEmpty ? "" : "\(path): ") + place + problem
  }

  private var problem: String {
    switch kind {
    case .noSuchClass(let name): "there is no class named \(name)"
    case .embeddedClass(let name):
      "the objects of class \(name) are embedded in objects of other classes"
    case .noSuchProperty(let name): "no class has a property named \(name)"
    case .cannotDrop(.primaryKey):
      "the property is the primary key, which identifies the objects"
    case .cannotDrop(.embeddedObjects):
      "the property holds embedded objects, which would be lost"
    case .cannotDrop(.unresolvedLinks):
      "the property may hold links to objects that do not exist yet, which would be lost"
    case .wouldLose(1, []): "1 change is not uploaded and would be lost"
    case .wouldLose(let count, []): "\(count) changes are not uploaded and would be lost"
    case .wouldLose(let count, let classes):
      "not uploaded: \(count) \(count == 1 ? "change" : "changes"); the objects of asymmetric "
        + "classes among them (\(classes.joined(separator: ", "))) would be lost"
    case .alreadyEncrypted: "the realm is encrypted already"
    case .notEncrypted: "the realm is not encrypted"
    case .syncedCopy: "the realm is synced: the server would mistake a copy for the original"
    case .serverRealm: "the realm belongs to a sync server, not to an app"
    case .syncedUpgrade:
      "the realm is synced, and an upgrade would lose the changes that are not uploaded"
    case .syncedMigration:
      "the realm is synced, and the server would not take the changes of a migration"
    case .versionNotHigher(let stored, let wanted):
      "the realm has schema version \(stored), and version \(wanted) is not higher"
    case .noSuchVersion(let version, let known):
      "the plan has no version \(version); it has \(known.map(String.init).joined(separator: ", "))"
    case .syncedTarget: "the realm is synced: objects that are added here would never be uploaded"
    }
  }
}
