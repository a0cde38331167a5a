import RealmJobs
import RealmModel
import RealmStorage
import RealmSync

extension InfoJob.Report {
  /// - Parameter withHistory: whether the history is included in detail.
  func json(withHistory: Bool) -> JSONObject {
    [
      "path": path, "size": fileByteCount, "fileFormat": fileFormat,
      "opensWith": SDKReleases.json(format: fileFormat), "encrypted": isEncrypted,
      "streamingForm": isStreamingForm, "version": version, "logicalSize": logicalByteCount,
      "usedBytes": logicalByteCount - freeByteCount, "freeBytes": freeByteCount,
      "schemaVersion": schemaVersion, "history": history(inDetail: withHistory),
      "sync": sync(inDetail: withHistory), "inUse": use == .unknown ? nil : use == .inUse,
      "usedBy": holders.map(\.json), "auxiliaryFiles": auxiliaryFiles.map(\.json),
      "classes": classes.map(\.json), "internalTables": internalTables.map(\.json),
    ] + .omittingNulls(["dataBehindHeader": olderData?.json])
  }

  private func history(inDetail: Bool) -> JSONObject {
    .omittingNulls([
      "kind": historyKind.name, "schemaVersion": historySchemaVersion,
      "entries": inDetail ? historyEntryCount : nil,
    ])
  }

  private func sync(inDetail: Bool) -> JSONObject? {
    guard let sync else { return nil }
    let state: JSONObject = [
      "clientFileIdent": sync.fileIdent, "flexible": isFlexibleSync,
      "unsyncedChanges": sync.pending.count, "serverVersion": sync.downloadServerVersion,
      "latestServerVersion": sync.latestServerVersion,
      "acknowledgedVersion": sync.uploadClientVersion,
    ]
    guard inDetail else { return state }
    let history: JSONObject = [
      "baseVersion": sync.baseVersion, "changesets": sync.changesetCount,
      "changesetBytes": sync.changesetByteCount, "downloadedBytes": sync.downloadedByteCount,
      "downloadableBytes": sync.downloadableByteCount, "uploadedBytes": sync.uploadedByteCount,
      "uploadableBytes": sync.uploadableByteCount, "pending": sync.pending.map(\.json),
    ]
    return state + history + .omittingNulls(["detail": detail?.json])
  }
}

extension InfoJob.Report.OlderData {
  fileprivate var json: JSONObject { ["versions": count, "newest": version, "offset": offset] }
}

extension InfoJob.Report.Class {
  fileprivate var json: JSONObject { ["name": name, "kind": kind.name, "objects": objectCount] }
}

extension InfoJob.Report.SyncDetail {
  fileprivate var json: JSONObject {
    let activeSet = tables.activeSet
    return [
      "unsynced": unsynced.classes.map(\.json), "schemaChanges": unsynced.schemaChanges,
      "undecoded": unsynced.undecoded.map(\.json),
      "complete": unsynced.isComplete && tables.isComplete,
      "subscriptionSets": tables.subscriptionSets.map {
        $0.json(isActive: $0.version == activeSet)
      },
      "pendingBootstraps": tables.pendingBootstraps.map(\.json),
      "interrupted": tables.interruptions.map(\.name),
      "permissions": tables.permissions.map(\.json),
      "queryBased": tables.roleClasses.map {
        ["name": $0.name, "objects": $0.objects] as JSONObject
      },
    ]
  }
}

extension RealmUse.Holder {
  fileprivate var json: JSONObject { ["processID": processID, "name": name] }
}

extension AuxiliaryFile {
  fileprivate var json: JSONObject { ["kind": kind.rawValue, "path": path] }
}

extension ClientHistory.PendingChangeset {
  fileprivate var json: JSONObject { ["version": version, "byteCount": byteCount] }
}

extension SyncTables.SubscriptionSet {
  fileprivate func json(isActive: Bool) -> JSONObject {
    .omittingNulls([
      "version": version, "state": state.rawValue, "active": isActive, "error": error,
      "subscriptions": subscriptions.map(\.json),
    ])
  }
}

extension SyncTables.Subscription {
  fileprivate var json: JSONObject {
    .omittingNulls(["name": name, "class": className, "query": query])
  }
}

extension SyncTables.PendingBootstrap {
  fileprivate var json: JSONObject {
    ["subscriptionSet": subscriptionSet, "changesets": changesets]
  }
}

extension SyncTables.Interruption {
  fileprivate var name: String {
    switch self {
    case .clientReset: "clientReset"
    case .flexibleMigration: "flexibleMigration"
    case .schemaMigration: "schemaMigration"
    }
  }
}

extension SyncTables.Permissions {
  fileprivate var json: JSONObject {
    [
      "class": className, "manage": managing, "write": writing, "read": reading,
      "nothing": nothing,
    ]
  }
}
