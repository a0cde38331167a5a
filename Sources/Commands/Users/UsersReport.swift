internal import RealmMaintenance
internal import RealmSync

/// The report of `users list`, as JSON.
struct UsersSummary: Encodable {
  struct RealmFile: Encodable {
    var path: String
    var name: String
    var size: Int?
    var clientFileIdent: Int?
    var unsyncedChanges: Int?
    /// Why the realm could not be read.
    var error: ErrorReport?
  }

  struct User: Encodable {
    struct Identity: Encodable {
      var provider: String
      var id: String
    }
    var identity: String
    var state: String
    var current: Bool
    var identities: [Identity]
    var realms: [RealmFile]
  }

  struct FileAction: Encodable {
    var path: String
    /// `delete`, or `backUpAndDelete`.
    var action: String
    var backup: String?
  }

  struct App: Encodable {
    var path: String
    var layout: String
    var identifier: String?
    var users: [User]
    var orphans: [RealmFile]
    var fileActions: [FileAction]
    /// False if there are more users or file actions.
    var complete: Bool
    /// Folders and files that could not be read.
    var unreadable: [ErrorReport]
    var error: ErrorReport?
  }

  var apps: [App]

  init(_ report: UsersJob.Report) {
    apps = report.apps.map { app in
      App(
        path: app.path, layout: app.layout.rawValue, identifier: app.identifier,
        users: app.users.map { User($0) }, orphans: app.orphans.map { RealmFile($0) },
        fileActions: app.fileActions.map {
          FileAction(
            path: $0.path, action: $0.backup == nil ? "delete" : "backUpAndDelete",
            backup: $0.backup)
        }, complete: app.isComplete, unreadable: app.unreadable.map { ErrorReport($0) },
        error: app.problem.map { ErrorReport($0) })
    }
  }
}

extension UsersSummary.User {
  fileprivate init(_ entry: UsersJob.User) {
    self.init(
      identity: entry.user.identity, state: entry.user.state.rawValue,
      current: entry.user.isCurrent,
      identities: entry.user.identities.map { Identity(provider: $0.provider, id: $0.id) },
      realms: entry.realms.map { UsersSummary.RealmFile($0) })
  }
}

extension UsersSummary.RealmFile {
  fileprivate init(_ file: UsersJob.RealmFile) {
    self.init(
      path: file.path, name: file.name, size: file.info?.fileByteCount,
      clientFileIdent: file.info?.sync?.fileIdent,
      unsyncedChanges: file.info?.sync?.pending.count, error: file.problem.map { ErrorReport($0) })
  }
}

/// The report of `users list` for people.
struct UsersText {
  private(set) var text = ""

  init(_ report: UsersJob.Report) {
    for app in report.apps {
      text += "\(app.path.printable)\n"
      if let identifier = app.identifier { text += "  app \(identifier.printable)\n" }
      for entry in app.users {
        let identities = entry.user.identities.map { "\($0.provider) \($0.id)" }
        text +=
          "  \(entry.user.isCurrent ? "*" : " ") \(entry.user.identity.printable)  "
          + "\(entry.user.state.words)\(identities.isEmpty ? "" : ", ")"
          + identities.joined(separator: ", ").printable + "\n"
        append(entry.realms)
      }
      if !app.orphans.isEmpty {
        text += app.problem == nil ? "    of no known user\n" : "    of unknown users\n"
        append(app.orphans)
      }
      if !app.isComplete, app.problem == nil { text += "    and more, which is not listed\n" }
      for action in app.fileActions {
        text +=
          action.backup.map {
            "    will be moved to \($0.printable): \(action.path.printable)\n"
          } ?? "    will be deleted: \(action.path.printable)\n"
      }
    }
  }

  private mutating func append(_ files: [UsersJob.RealmFile]) {
    var table = Table([.left, .right, .left, .left])
    for file in files {
      let state =
        file.info.map { info in
          info.sync.map { InfoText.sync($0, isFlexible: info.isFlexibleSync) } ?? "local"
        } ?? file.problem.map { "\($0)" } ?? ""
      table.append(
        [file.name, file.info.map { Text.size($0.fileByteCount) } ?? "", state, file.path])
    }
    text += table.text(indent: "      ")
  }
}

extension SyncMetadata.User.State {
  fileprivate var words: String {
    switch self {
    case .loggedIn: "logged in"
    case .loggedOut: "logged out"
    case .removed: "removed"
    }
  }
}
