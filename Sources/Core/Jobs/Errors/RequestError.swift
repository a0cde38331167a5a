public import RealmModel
public import RealmStorage
public import RealmSync

/// Why a job rejects a request. The realm is undamaged, but it lacks the requested class or property,
/// would lose data, or is of a kind that the job does not support.
public struct RequestError: PathError, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The realm has no class of this name.
    case noSuchClass(String)
    /// The class of this name is embedded: its objects are parts of other objects.
    case embeddedClass(String)
    /// No class has a property of this name.
    case noSuchProperty(String)
    /// The property cannot be dropped.
    case cannotDrop(DropObstacle)
    /// This many changesets were not uploaded and would be lost. If `asymmetricClasses` is not empty,
    /// only the objects of these classes would be lost.
    case wouldLose(changes: Int, asymmetricClasses: [String])
    /// This many changesets were not uploaded, and never would be from a copy; the classes that they change.
    case wouldNotUpload(changesets: Int, [UnsyncedChanges.ClassChanges])
    /// The realm to encrypt is encrypted already.
    case alreadyEncrypted
    /// The realm to decrypt or rekey is not encrypted.
    case notEncrypted
    /// The realm belongs to a sync server, not to an app.
    case serverRealm
    /// The history of the realm is in separate log files.
    case outOfRealmHistory
    /// The realm is synced, and objects that are added or changed would not be uploaded.
    case syncedTarget(SyncedTargetObstacle)
    /// The realm is synced, and a server does not take these changes of a migration, each in a few words.
    case syncedMigration([String])
    /// The realm is synced and has this file format, whose histories are not continued.
    case oldSyncedFormat(Int)
    /// New realms of this file format are not written.
    case formatNotWritten(Int)
    /// The realm has this file format, which changes only with an upgrade to the current one.
    case needsUpgrade(Int)
    /// The realm has a newer file format than the wanted one, which is no upgrade.
    case olderFormat(Int, wanted: Int)
    /// The realm is synced, and the libraries of the wanted file format do not know the schema version of its history.
    case historyTooNew(schemaVersion: Int, format: Int)
    /// The schemas differ in these ways, which no patch can hold.
    case notInPatch([String])
    /// The classes of the realm are not those of the patch; how they differ from them.
    case otherClasses([String])
    /// A migration would not raise the schema version.
    case versionNotHigher(stored: UInt64, wanted: UInt64)
    /// The plan has no steps to this version, only to others.
    case noSuchVersion(UInt64, known: [UInt64])
    /// No version of the realm has its top array at this offset.
    case noRoot(Int)
    /// The realm has this file format, one of 2 to 9, in which nothing is taken from another reading.
    case noOlderValues(format: Int)
    /// There is no folder of an app with users.
    case noUsers
    /// No app has this user.
    case noSuchUser(String)
    /// No app has both users.
    case noCommonApp(String, String)
    /// Several apps, with these folders, have the realm.
    case severalApps([String])
    /// The users are those of an object server, whose realms cannot be copied for another user.
    case objectServerUsers
    /// The file name is a hash of the realm's path, so the realm of another user has another name.
    case hashedRealmName(String)
    /// The request names a realm of App Services by a URL, or a realm of an object server by something else.
    case foreignRealmName(isURL: Bool)
    /// The user has several realms, or none, and the request names none of these.
    case noSuchUserRealm([String])
    /// No partition has such a value.
    case noPartition(String)
    /// The realm has no history of a sync client.
    case notSynced
    /// The realm to convert is already synced.
    case alreadySynced
    /// The realm cannot become a synced one.
    case cannotSync(SyncObstacle)
    /// Only realms of the current file format become synced ones; this one has an older format.
    case oldFormatToSync(Int)
    /// No local realm becomes one of flexible sync.
    case flexibleConversion
    /// The realm is synced, and its history has this schema version from before 2020, with another layout.
    case oldSyncHistory(Int)
    /// The realm is synced, and its history has this schema version, which no known library wrote.
    case unknownSyncHistory(Int)
  }

  public var kind: Kind
  /// Path of the realm as the user wrote it.
  public var path: String
  /// Name of the class that the request is about, without prefix.
  public var className: String?
  /// Name of the property that the request is about.
  public var property: String?
  /// Further reasons to reject the request.
  public var others: [RequestError] = []

  public init(
    _ kind: Kind, path: String = "", className: String? = nil, property: String? = nil
  ) {
    (self.kind, self.path) = (kind, path)
    (self.className, self.property) = (className, property)
  }
}

/// Why objects cannot be added to a synced realm, or changed in it, so that the changes upload.
public enum SyncedTargetObstacle: Equatable, Sendable {
  /// No changeset can describe objects of the class.
  case schema(SyncObstacle)
  /// Objects of the class exist only until they are uploaded.
  case asymmetric
  /// No subscription of flexible sync includes objects of the class.
  case notSubscribed
  /// The objects of the class are embedded; changesets name them by their owners.
  case embedded
  /// Changesets name objects by the property.
  case primaryKey
}

extension SyncedTargetObstacle: CustomStringConvertible {
  /// A clause without the class.
  public var description: String {
    switch self {
    case .schema(let obstacle):
      if obstacle.kind == .noPrimaryKey {
        "the realm is synced, and without a primary key the class cannot be changed here"
      } else {
        obstacle.description
      }
    case .asymmetric:
      "the realm is synced, and objects of this asymmetric class are uploaded without being stored"
    case .notSubscribed:
      "the realm uses flexible sync, and no subscription of its newest set includes the class"
    case .embedded:
      "the realm is synced, and embedded objects are changed only together with their owners"
    case .primaryKey: "the realm is synced, and the primary key of an object cannot change"
    }
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
    case .wouldLose(1, []): "1 changeset is not uploaded and would be lost"
    case .wouldLose(let count, []): "\(count) changesets are not uploaded and would be lost"
    case .wouldNotUpload(let count, let classes):
      "\(RequestError.changesets(count)) would never be uploaded from the copy"
        + (classes.isEmpty ? "" : " (\(classes.map(\.description).joined(separator: "; ")))")
    case .wouldLose(let count, let classes):
      "not uploaded: \(RequestError.changesets(count)); the objects of asymmetric "
        + "classes among them (\(classes.joined(separator: ", "))) would be lost"
    case .alreadyEncrypted: "the realm is already encrypted"
    case .notEncrypted: "the realm is not encrypted"
    case .serverRealm: "the realm belongs to a sync server, not to an app"
    case .outOfRealmHistory:
      "the history of the realm is in separate log files, as libraries wrote it before 2016"
    case .syncedMigration(let changes):
      "the realm is synced, so classes, properties and indexes can only be added; the migration would "
        + changes.joined(separator: ", ")
    case .notInPatch(let changes):
      "a patch adds to a schema, and cannot hold " + changes.joined(separator: ", ")
    case .otherClasses(let changes):
      "the patch is for other classes; from the realm to the patch: "
        + changes.joined(separator: ", ")
    case .oldSyncedFormat(let format):
      "the realm is synced and has file format \(format); only synced realms of formats 22 to 24 can be changed"
    case .formatNotWritten(let format):
      "no realm of file format \(format) is written; expected \(RequestError.builtFormats)"
    case .needsUpgrade(let format):
      "the realm has file format \(format); a change would upgrade it to format \(FileFormat.current.number), which its app may be unable to open"
    case .olderFormat(let format, let wanted):
      "the realm has file format \(format), and format \(wanted) is older"
    case .historyTooNew(let version, let format):
      "the realm is synced, and its history has schema version \(version), which no app with file format \(format) knows"
    case .versionNotHigher(let stored, let wanted):
      "the realm has schema version \(stored), and version \(wanted) is not higher"
    case .noSuchVersion(let version, let known):
      "the plan has no version \(version); it has \(known.map(String.init).joined(separator: ", "))"
    case .noRoot(let offset): "no version of the realm has its top array at byte \(offset)"
    case .noOlderValues(let format):
      "the realm has file format \(format); values of older versions are recovered from format 10 on"
    case .noUsers: "there is no folder with the users of an app"
    case .noSuchUser(let user): "no app has a user \(user)"
    case .noCommonApp(let one, let other): "no app has both users, \(one) and \(other)"
    case .severalApps(let folders):
      "several apps have a realm of this name: \(folders.joined(separator: ", "))"
    case .objectServerUsers:
      "the users are those of an object server, whose realms cannot be copied for another user"
    case .hashedRealmName(let file):
      "the file name \(file) is a hash of its path, so the copy needs another one"
    case .foreignRealmName(true):
      "a URL names a realm of an object server, and the user is one of App Services"
    case .foreignRealmName(false):
      "the user is one of an object server, whose realms are named by URLs"
    case .noSuchUserRealm([]): "the user has no such realm"
    case .noSuchUserRealm(let names): "the realms of the user are \(names.joined(separator: ", "))"
    case .noPartition(let text):
      "\(text) is not a partition value: expected a string, an integer, an ObjectId, a UUID or null"
    case .notSynced: "the realm is not synced, so it has no changes to upload"
    case .alreadySynced: "the realm is already synced"
    case .cannotSync(let obstacle): obstacle.description
    case .oldFormatToSync(let format):
      "the realm has file format \(format); only realms of formats 22 to 24 can become synced"
    case .flexibleConversion: "no SDK converts a local realm to flexible sync"
    case .oldSyncHistory(let version):
      "the realm is synced, and its history has schema version \(version); only 11 and 12 are supported"
    case .unknownSyncHistory(let version):
      "the realm is synced, and its history has schema version \(version); known are \(ClientHistory.knownSchemaVersions)"
    case .syncedTarget(let obstacle): obstacle.description
    }
  }

  /// The formats of new realms, such as "20, 22, 23 or 24".
  private static var builtFormats: String {
    let numbers = FileFormat.built.map { String($0.number) }
    return numbers.dropLast().joined(separator: ", ") + " or " + (numbers.last ?? "")
  }

  private static func changesets(_ count: Int) -> String {
    count == 1 ? "1 changeset" : "\(count) changesets"
  }
}
