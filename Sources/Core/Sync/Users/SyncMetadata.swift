public import RealmModel
public import RealmStorage

/// The users of an app, from the realm in which its SDK stores them (chapter 4, section 7.4). All schema versions of
/// that realm are read. Tokens are not kept.
public struct SyncMetadata: Sendable {
  public struct User: Sendable, Equatable {
    public enum State: String, Sendable {
      case loggedIn, loggedOut
      /// The user and its realms will be deleted when the app starts again.
      case removed
    }

    /// A way to log in as the user.
    public struct Identity: Sendable, Equatable {
      /// The authentication provider, such as `local-userpass`.
      public var provider: String
      public var id: String
    }

    /// The identifier of the user.
    public var identity: String
    public var state: State
    public var identities: [Identity]
    /// Identifiers from earlier SDK versions, which occur in the names of folders.
    public var legacyIdentifiers: [String]
    /// The paths of realms when they were opened.
    public var realmPaths: [String]
    public var isCurrent = false
  }

  /// A realm that will be deleted when the app starts again.
  public struct FileAction: Sendable, Equatable {
    public var path: String
    /// The path to which the realm is copied first; nil if it is not copied.
    public var backup: String?
  }

  /// Maximum number of rows of a table that are read.
  private static let rowLimit = 10_000

  public private(set) var schemaVersion: UInt64?
  /// The users, in the order of their rows. Rows with the same identity are one user.
  public private(set) var users: [User] = []
  public private(set) var fileActions: [FileAction] = []
  /// False if there are more users, identities or actions than were read.
  public private(set) var isComplete = true

  /// - Throws: `damaged`; the errors of an encrypted realm.
  public init(_ realm: Realm) throws(RealmFileError) {
    schemaVersion = try realm.schemaVersion()
    let limit = SyncMetadata.rowLimit
    let identityTable = realm.schema.table(named: "class_UserIdentity")
    var identities: [ObjectKey: User.Identity] = [:]
    let hasAllIdentities = try NamedRows.forEach(
      of: identityTable, in: realm, columns: ["id", "provider_type"], limit: limit
    ) { key, values in identities[key] = User.Identity(values) }
    var users: [User] = []
    let hasAllUsers = try NamedRows.forEach(
      of: realm.schema.table(named: "class_UserMetadata"), in: realm, limit: limit
    ) { _, values in
      let found = (values["identities"]?.elements ?? []).compactMap { element in
        if case .link(let link) = element { return link.key.flatMap { identities[$0] } }
        return User.Identity(NamedRows.fields(element, of: identityTable))
      }
      users.append(User(values, found))
    }
    self.users = SyncMetadata.merged(users)
    var current: String?
    try NamedRows.forEach(
      of: realm.schema.table(named: "class_current_user_identity"), in: realm, limit: 1
    ) { _, values in current = values["current_user_identity"]?.string }
    let loggedIn = self.users.filter { $0.state == .loggedIn }.map(\.identity)
    let marked = loggedIn.first { $0 == current } ?? loggedIn.first
    if let position = self.users.firstIndex(where: { $0.identity == marked }) {
      self.users[position].isCurrent = true
    }
    var actions: [FileAction] = []
    let hasAllActions = try NamedRows.forEach(
      of: realm.schema.table(named: "class_FileActionMetadata"), in: realm,
      columns: ["original_name", "new_name", "action"], limit: limit
    ) { _, values in
      actions.append(
        FileAction(
          path: values["original_name"]?.string ?? "",
          backup: values["action"]?.int == 1 ? values["new_name"]?.string ?? "" : nil))
    }
    fileActions = actions
    isComplete = hasAllIdentities && hasAllUsers && hasAllActions
  }

  /// One user for each identity: the libraries merge rows the same way.
  private static func merged(_ rows: [User]) -> [User] {
    var users: [User] = []
    var positions: [String: Int] = [:]
    for row in rows {
      guard let position = positions[row.identity] else {
        positions[row.identity] = users.count
        users.append(row)
        continue
      }
      users[position].merge(row)
    }
    return users
  }
}

extension SyncMetadata.User {
  /// - Parameter identities: the identities to which the row refers.
  fileprivate init(_ values: [String: RealmValue], _ identities: [Identity]) {
    func hasValue(_ name: String) -> Bool { values[name]?.string.map { !$0.isEmpty } ?? false }
    func strings(_ name: String) -> [String] { (values[name]?.elements ?? []).compactMap(\.string) }
    identity = values["identity"]?.string ?? ""
    self.identities = identities
    legacyIdentifiers =
      strings("legacy_uuids")
      + [values["local_uuid"]?.string].compactMap { $0 }.filter { !$0.isEmpty }
    realmPaths = strings("local_realm_paths")
    let hasTokens =
      values["user_token"] == nil
      ? hasValue("refresh_token") && hasValue("access_token") : hasValue("user_token")
    if values["marked_for_removal"]?.bool == true || values["state"]?.int == 2 {
      state = .removed
    } else {
      state = hasTokens && values["state"]?.int ?? 1 == 1 ? .loggedIn : .loggedOut
    }
  }

  /// Adds the facts from another row with the same identity.
  fileprivate mutating func merge(_ other: SyncMetadata.User) {
    func rank(_ state: State) -> Int {
      state == .loggedIn ? 2 : state == .loggedOut ? 1 : 0
    }
    if rank(other.state) > rank(state) { state = other.state }
    identities += other.identities.filter { !identities.contains($0) }
    legacyIdentifiers += other.legacyIdentifiers.filter { !legacyIdentifiers.contains($0) }
    realmPaths += other.realmPaths.filter { !realmPaths.contains($0) }
  }
}

extension SyncMetadata.User.Identity {
  fileprivate init(_ values: [String: RealmValue]) {
    self.init(
      provider: values["provider_type"]?.string ?? "", id: values["id"]?.string ?? "")
  }
}
