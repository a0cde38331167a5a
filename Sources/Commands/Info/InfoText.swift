import RealmJobs
import RealmModel
import RealmStorage
import RealmSync

/// The text of `info` for people.
struct InfoText {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  init(_ report: InfoJob.Report, withHistory: Bool, palette: Palette) {
    lines.append(palette.bold(report.path.printable))
    var facts = Table([.left, .left])
    for fact in InfoText.facts(report, withHistory: withHistory) {
      facts.append([fact.name, fact.value])
    }
    append(facts)

    let objects = report.classes.reduce(0) { $0 &+ $1.objectCount }
    lines.append(
      "  " + Text.count(report.classes.count, "class", "classes") + ", "
        + Text.count(objects, "object"))
    var classes = Table([.left, .right, .left])
    for table in report.classes {
      classes.append(
        [
          table.name, "\(table.objectCount)",
          table.kind == .topLevel ? "" : table.kind.name,
        ])
    }
    append(classes, indent: "    ")
  }

  /// The facts with their names, in order.
  static func facts(
    _ report: InfoJob.Report, withHistory: Bool = false
  ) -> [(name: String, value: String)] {
    var facts = [("file format", format(report))]
    if let data = report.olderData {
      facts.append(
        (
          "data behind it",
          Text.count(data.count, "version") + ", the newest of which is \(data.version), at byte "
            + "\(data.offset); `realm-cli salvage` recovers it"
        ))
    }
    if let releases = SDKReleases.openingText(format: report.fileFormat) {
      facts.append(("opened by", releases))
    }
    if let releases = SDKReleases.upgradingText(format: report.fileFormat) {
      facts.append(("upgraded by", releases))
    }
    facts += [
      ("size", size(report)),
      ("encrypted", report.isEncrypted ? "yes" : "no"), ("version", "\(report.version)"),
      ("schema version", report.schemaVersion.map { "\($0)" } ?? "not set"),
      ("history", history(report)),
    ]
    if let sync = report.sync {
      facts.append(("sync", sync.summary(isFlexible: report.isFlexibleSync)))
    }
    if withHistory { facts += historyDetail(report) }
    facts.append(("in use", use(report)))
    if !report.auxiliaryFiles.isEmpty {
      facts.append(
        ("files beside it", report.auxiliaryFiles.map(\.path).joined(separator: ", ")))
    }
    return facts
  }

  private mutating func append(_ table: Table, indent: String = "  ") {
    let text = table.text(indent: indent)
    lines += text.split(separator: "\n").map(String.init)
  }

  private static func format(_ report: InfoJob.Report) -> String {
    guard report.fileFormat != 0 else {
      return report.olderData == nil
        ? "none yet: nothing was ever committed" : "none: the header is that of a new realm"
    }
    return "\(report.fileFormat)" + (report.isStreamingForm ? ", streaming form" : "")
  }

  private static func size(_ report: InfoJob.Report) -> String {
    let used = report.logicalByteCount - report.freeByteCount
    return "\(Text.size(report.fileByteCount)), of which \(Text.size(used)) used, "
      + "\(Text.size(report.freeByteCount)) free"
  }

  private static func history(_ report: InfoJob.Report) -> String {
    let kind =
      switch report.historyKind {
      case .none: "none"
      case .outOfRealm: "in separate log files"
      case .inRealm: "local"
      case .syncClient: "sync client"
      case .syncServer: "sync server"
      }
    return report.historyKind == .none
      ? kind
      : "\(kind), schema version \(report.historySchemaVersion)"
        + (report.isHistoryLocal ? ", but its root is that of a local one" : "")
  }

  private static func historyDetail(_ report: InfoJob.Report) -> [(String, String)] {
    var rows: [(String, String)] = []
    if let count = report.historyEntryCount { rows.append(("history entries", "\(count)")) }
    guard let sync = report.sync else { return rows }
    rows += [
      ("history versions", "after \(sync.baseVersion), up to \(sync.version)"),
      ("changesets", "\(sync.changesetCount), \(Text.size(sync.changesetByteCount))"),
      (
        "server version",
        "\(sync.downloadServerVersion) integrated, \(sync.latestServerVersion) known"
      ), ("acknowledged", "local versions up to \(sync.uploadClientVersion)"),
      ("downloaded", downloads(sync, isFlexible: report.isFlexibleSync)),
      (
        "uploaded", "\(Text.size(sync.uploadedByteCount)) of \(Text.size(sync.uploadableByteCount))"
      ),
    ]
    for change in sync.pending {
      let size = change.byteCount.map { Text.size($0) } ?? "of unknown size"
      rows.append(("unsynced", "version \(change.version), \(size)"))
    }
    guard let detail = report.detail else { return rows }
    return rows + detail.unsynced.lines.map { ("unsynced", $0) } + rowsOf(detail.tables)
  }

  /// The rows about the internal tables of sync.
  private static func rowsOf(_ tables: SyncTables) -> [(String, String)] {
    var rows: [(String, String)] = []
    let activeSet = tables.activeSet
    for set in tables.subscriptionSets {
      let active = set.version == activeSet ? ", active" : ""
      let error = set.error.map { ": \($0)" } ?? ""
      rows.append(("subscriptions", "set \(set.version), \(set.state.rawValue)\(active)\(error)"))
      rows += set.subscriptions.map { subscription in
        let name = subscription.name.map { "\($0): " } ?? ""
        return ("", "\(name)\(subscription.className), \(subscription.query)")
      }
    }
    rows += tables.pendingBootstraps.map {
      let count = Text.count($0.changesets, "changeset")
      return ("not applied", "a download of \(count) for set \($0.subscriptionSet)")
    }
    if !tables.isComplete { rows.append(("", "and more, not listed")) }
    rows += tables.interruptions.map { ("interrupted", $0.text) }
    rows += tables.permissions.map {
      (
        "permissions",
        "\($0.className): \($0.managing) manage, \($0.writing) write, \($0.reading) read, "
          + "\($0.nothing) nothing"
      )
    }
    return rows
      + tables.roleClasses.map {
        ("query-based", "\($0.name): \(Text.count($0.objects, "object"))")
      }
  }

  private static func downloads(_ sync: ClientHistory, isFlexible: Bool) -> String {
    let done = Text.size(sync.downloadedByteCount)
    let rest = sync.downloadableByteCount
    guard rest > 0, sync.schemaVersion > 0 else { return done }
    guard isFlexible else { return "\(done), about \(Text.size(rest)) left" }
    let hundredths = rest % 100
    return
      "\(done), \(rest / 100).\(hundredths < 10 ? "0" : "")\(hundredths) % of the subscriptions"
  }

  private static func use(_ report: InfoJob.Report) -> String {
    switch report.use {
    case .free: return "no"
    case .unknown: return "unknown: the lock file is not accessible"
    case .inUse:
      let holders = report.holders.map { holder in
        holder.name.isEmpty
          ? "process \(holder.processID)" : "\(holder.name) (process \(holder.processID))"
      }
      return holders.isEmpty ? "yes" : "yes, by " + holders.joined(separator: ", ")
    }
  }
}

extension ClientHistory {
  /// The state of sync in a line, also for `users list`.
  func summary(isFlexible: Bool) -> String {
    let client = fileIdent == 0 ? "never connected" : "client file \(fileIdent)"
    return (isFlexible ? "flexible, " : "") + "\(client), "
      + Text.count(pending.count, "unsynced changeset")
  }
}

extension SyncTables.Interruption {
  fileprivate var text: String {
    switch self {
    case .clientReset(let recovers):
      "a client reset"
        + (recovers.map { $0 ? ", which keeps local changes" : ", which drops local changes" } ?? "")
    case .flexibleMigration(1): "a migration to flexible sync"
    case .flexibleMigration: "a return from flexible sync"
    case .schemaMigration(let version):
      "a change of the server's schema; schema version \(version) before"
    }
  }
}
