internal import RealmMaintenance
internal import RealmModel
internal import RealmStorage
internal import RealmSync

/// The JSON of `info`: the names of the members are a contract.
struct InfoSummary: Encodable {
  struct History: Encodable {
    /// `none`, `inRealm`, `syncClient`, `syncServer` or `outOfRealm`.
    var kind: String
    var schemaVersion: Int
    /// With `--history`: number of entries; null if they cannot be read.
    var entries: Int?
  }

  struct Sync: Encodable {
    struct Pending: Encodable {
      var version: Int
      /// Null if the changeset cannot be decoded.
      @OrNull var byteCount: Int?
    }
    var clientFileIdent: Int
    var flexible: Bool
    /// Local changesets that the server has not acknowledged.
    var unsyncedChanges: Int
    var serverVersion: Int
    var latestServerVersion: Int
    var acknowledgedVersion: Int
    /// With `--history`.
    var baseVersion: Int?
    var changesets: Int?
    var changesetBytes: Int?
    var downloadedBytes: Int?
    var downloadableBytes: Int?
    var uploadedBytes: Int?
    var uploadableBytes: Int?
    var pending: [Pending]?
    var detail: SyncDetailSummary?
  }

  struct Class: Encodable {
    var name: String
    /// `class`, `embedded` or `asymmetric`.
    var kind: String
    var objects: Int
  }

  struct Holder: Encodable {
    var processID: Int32
    var name: String
  }

  struct File: Encodable {
    var kind: String
    var path: String
  }

  var path: String
  var size: Int
  var fileFormat: Int
  var encrypted: Bool
  var streamingForm: Bool
  var version: Int
  var logicalSize: Int
  var usedBytes: Int
  var freeBytes: Int
  @OrNull var schemaVersion: UInt64?
  var history: History
  @OrNull var sync: Sync?
  /// Null if it is unknown.
  @OrNull var inUse: Bool?
  var usedBy: [Holder]
  var auxiliaryFiles: [File]
  var classes: [Class]
  var internalTables: [Class]

  init(_ report: InfoJob.Report, withHistory: Bool) {
    path = report.path
    size = report.fileByteCount
    fileFormat = report.fileFormat
    encrypted = report.isEncrypted
    streamingForm = report.isStreamingForm
    version = report.version
    logicalSize = report.logicalByteCount
    usedBytes = report.logicalByteCount - report.freeByteCount
    freeBytes = report.freeByteCount
    schemaVersion = report.schemaVersion
    history = History(
      kind: report.historyKind.name, schemaVersion: report.historySchemaVersion,
      entries: withHistory ? report.historyEntryCount : nil)
    sync = report.sync.map {
      Sync(
        $0, isFlexible: report.isFlexibleSync, withHistory: withHistory, report.detail)
    }
    inUse = report.use == .unknown ? nil : report.use == .inUse
    usedBy = report.holders.map { Holder(processID: $0.processID, name: $0.name) }
    auxiliaryFiles = report.auxiliaryFiles.map { File(kind: $0.kind.rawValue, path: $0.path) }
    classes = report.classes.map { Class($0) }
    internalTables = report.internalTables.map { Class($0) }
  }
}

extension InfoSummary.Sync {
  init(
    _ history: ClientHistory, isFlexible: Bool, withHistory: Bool,
    _ detail: InfoJob.Report.SyncDetail?
  ) {
    clientFileIdent = history.fileIdent
    flexible = isFlexible
    unsyncedChanges = history.pending.count
    serverVersion = history.downloadServerVersion
    latestServerVersion = history.latestServerVersion
    acknowledgedVersion = history.uploadClientVersion
    guard withHistory else { return }
    baseVersion = history.baseVersion
    changesets = history.changesetCount
    changesetBytes = history.changesetByteCount
    downloadedBytes = history.downloadedByteCount
    downloadableBytes = history.downloadableByteCount
    uploadedBytes = history.uploadedByteCount
    uploadableBytes = history.uploadableByteCount
    self.detail = detail.map { SyncDetailSummary($0) }
    pending = history.pending.map { Pending(version: $0.version, byteCount: $0.byteCount) }
  }
}

extension InfoSummary.Class {
  init(_ table: InfoJob.Report.Class) {
    self.init(name: table.name, kind: table.kindName, objects: table.objectCount)
  }
}

extension InfoJob.Report.Class {
  /// The kind of the class as scripts read it.
  var kindName: String {
    switch kind {
    case .topLevel: "class"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}

extension HistoryKind {
  /// The kind as scripts read it.
  var name: String {
    switch self {
    case .none: "none"
    case .outOfRealm: "outOfRealm"
    case .inRealm: "inRealm"
    case .syncClient: "syncClient"
    case .syncServer: "syncServer"
    }
  }
}
