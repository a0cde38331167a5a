import RealmJobs
import RealmStorage
import RealmSync

// The report of `users list`.

extension UsersJob.Report {
  var json: JSONObject { ["apps": apps.map(\.json)] }

  var text: String { apps.map(\.text).joined() }
}

extension UsersJob.App {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "path": path, "layout": layout.rawValue, "identifier": identifier,
      "users": users.map(\.json), "orphans": orphans.map(\.json),
      "fileActions": fileActions.map(\.json), "complete": isComplete,
      "unreadable": unreadable.map { ErrorReport($0) }, "error": problem.map { ErrorReport($0) },
    ])
  }

  fileprivate var text: String {
    var text = "\(path.printable)\n"
    if let identifier { text += "  app \(identifier.printable)\n" }
    for entry in users {
      let identities = entry.user.identities.map { "\($0.provider) \($0.id)" }
      text +=
        "  \(entry.user.isCurrent ? "*" : " ") \(entry.user.identity.printable)  "
        + "\(entry.user.state.words)\(identities.isEmpty ? "" : ", ")"
        + identities.joined(separator: ", ").printable + "\n"
      text += UsersJob.RealmFile.text(entry.realms)
    }
    if !orphans.isEmpty {
      text += problem == nil ? "    of no known user\n" : "    of unknown users\n"
      text += UsersJob.RealmFile.text(orphans)
    }
    if !isComplete, problem == nil { text += "    and more, not listed\n" }
    for action in fileActions {
      text +=
        action.backup.map {
          "    will be moved to \($0.printable): \(action.path.printable)\n"
        } ?? "    will be deleted: \(action.path.printable)\n"
    }
    return text
  }
}

extension UsersJob.User {
  fileprivate var json: JSONObject {
    [
      "identity": user.identity, "state": user.state.rawValue, "current": user.isCurrent,
      "identities": user.identities.map { ["provider": $0.provider, "id": $0.id] },
      "realms": realms.map(\.json),
    ]
  }
}

extension UsersJob.RealmFile {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "path": path, "name": name, "size": info?.fileByteCount,
      "clientFileIdent": info?.sync?.fileIdent, "unsyncedChanges": info?.sync?.pending.count,
      "error": problem.map { ErrorReport($0) },
    ])
  }

  fileprivate static func text(_ files: [UsersJob.RealmFile]) -> String {
    var table = Table([.left, .right, .left, .left])
    for file in files {
      let state =
        file.info.map { info in
          info.sync.map { $0.summary(isFlexible: info.isFlexibleSync) } ?? "local"
        } ?? file.problem.map { "\($0)" } ?? ""
      table.append(
        [file.name, file.info.map { Text.size($0.fileByteCount) } ?? "", state, file.path])
    }
    return table.text(indent: "      ")
  }
}

extension SyncMetadata.FileAction {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "path": path, "action": backup == nil ? "delete" : "backUpAndDelete", "backup": backup,
    ])
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
