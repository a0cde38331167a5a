/// A rule of the file format that `verify` checks.
///
/// The raw values are the names in findings, errors and docs/verify.md. They are a contract and never
/// change.
public enum Rule: String, CaseIterable, Sendable {
  // Header, size and top array.
  case headerTop = "header.top"
  case fileTruncated = "file.truncated"
  case fileTextMode = "file.text-mode"
  case headerReserved = "header.reserved"
  case headerOlderData = "header.older-data"
  case headerOtherSlot = "header.other-slot"
  case headerStreaming = "header.streaming"
  case fileSize = "file.size"
  case fileLeftover = "file.leftover"
  case fileFormatBackup = "file.format-backup"
  case topLength = "top.length"
  case topFlags = "top.flags"
  case topLogicalSize = "top.logical-size"
  case topSlots = "top.slots"
  case topHistory = "top.history"
  case topHistorySchema = "top.history-schema"
  // Nodes and space.
  case nodeRef = "node.ref"
  case nodeBounds = "node.bounds"
  case nodeFlags = "node.flags"
  case nodeContext = "node.context"
  case nodeFiller = "node.filler"
  case nodeSection = "node.section"
  case storageNodeOverlap = "storage.node-overlap"
  case freeLists = "free.lists"
  case freeChunk = "free.chunk"
  case freeVersion = "free.version"
  case freeNodeOverlap = "free.node-overlap"
  case storageLeak = "storage.leak"
  // Encryption.
  case encryptionPage = "encryption.page"
  case encryptionOlderPage = "encryption.older-page"
  case encryptionPartialPage = "encryption.partial-page"
  case encryptionFreePage = "encryption.free-page"
  // Tables and specs.
  case tableNames = "table.names"
  case tableEntry = "table.entry"
  case tableKey = "table.key"
  case tableName = "table.name"
  case tableSlots = "table.slots"
  case tableType = "table.type"
  case tableFlags = "table.flags"
  case specSlots = "spec.slots"
  case specArray = "spec.array"
  case specLengths = "spec.lengths"
  case specColumnKeys = "spec.column-keys"
  case specTypes = "spec.types"
  case specAttributes = "spec.attributes"
  case specNames = "spec.names"
  case specEnumeration = "spec.enumeration"
  case specFormat = "spec.format"
  case tableOpposites = "table.opposites"
  case tablePrimaryKey = "table.primary-key"
  case tablePrimaryKeyIndex = "table.primary-key-index"
  case tableSequenceNumber = "table.sequence-number"
  case tableCollisionMap = "table.collision-map"
  case linkOpposite = "link.opposite"
  case linkBacklinkColumn = "link.backlink-column"
  case linkAsymmetric = "link.asymmetric"
  // Cluster trees.
  case clusterNode = "cluster.node"
  case clusterKeys = "cluster.keys"
  case clusterCapacity = "cluster.capacity"
  case clusterEmpty = "cluster.empty"
  case clusterKeyOrder = "cluster.key-order"
  case clusterKeyWidth = "cluster.key-width"
  case clusterKeyRange = "cluster.key-range"
  case clusterKeySign = "cluster.key-sign"
  case clusterInner = "cluster.inner"
  case clusterOffsets = "cluster.offsets"
  case clusterDepth = "cluster.depth"
  case clusterCount = "cluster.count"
  case clusterMissingLeaf = "cluster.missing-leaf"
  case clusterExtraLeaf = "cluster.extra-leaf"
  // Leaves.
  case leafKind = "leaf.kind"
  case leafRows = "leaf.rows"
  case leafCapacity = "leaf.capacity"
  case leafWidth = "leaf.width"
  case leafNullValue = "leaf.null-value"
  case leafBool = "leaf.bool"
  case leafShortString = "leaf.short-string"
  case leafSmallBlobs = "leaf.small-blobs"
  case leafStringOffsets = "leaf.string-offsets"
  case leafTerminator = "leaf.terminator"
  case leafBlob = "leaf.blob"
  case leafEnumeration = "leaf.enumeration"
  case leafTimestamp = "leaf.timestamp"
  case leafDecimalWidth = "leaf.decimal-width"
  case leafFixedBytes = "leaf.fixed-bytes"
  case leafFixedBytesFlags = "leaf.fixed-bytes-flags"
  case leafNull = "leaf.null"
  case leafUtf8 = "leaf.utf8"
  case leafCollection = "leaf.collection"
  case leafBacklinks = "leaf.backlinks"
  case backlinkSingle = "backlink.single"
  case backlinkArray = "backlink.array"
  // Mixed values.
  case mixedSlots = "mixed.slots"
  case mixedType = "mixed.type"
  case mixedIndex = "mixed.index"
  case mixedPayloadUse = "mixed.payload-use"
  case mixedInline = "mixed.inline"
  case mixedIdentifierSize = "mixed.identifier-size"
  case mixedCollectionKey = "mixed.collection-key"
  case mixedKeyArray = "mixed.key-array"
  case mixedFormat = "mixed.format"
  case valueDepth = "value.depth"
  // Collections.
  case btreeInner = "btree.inner"
  case btreeChild = "btree.child"
  case btreeDepth = "btree.depth"
  case btreeEmptyLeaf = "btree.empty-leaf"
  case btreeCapacity = "btree.capacity"
  case btreeCount = "btree.count"
  case btreeOffsets = "btree.offsets"
  case setOrder = "set.order"
  case dictionarySlots = "dictionary.slots"
  case dictionaryCounts = "dictionary.counts"
  case dictionaryKey = "dictionary.key"
  case dictionaryUniqueKeys = "dictionary.unique-keys"
  case dictionaryOrder = "dictionary.order"
  case dictionaryHash = "dictionary.hash"
  case dictionaryValueType = "dictionary.value-type"
  case linkContext = "link.context"
  case linkNullElement = "link.null-element"
  // Links and keys.
  case linkBacklinkMismatch = "link.backlink-mismatch"
  case linkDangling = "link.dangling"
  case linkEmbeddedOrphan = "link.embedded-orphan"
  case linkEmbeddedShared = "link.embedded-shared"
  case linkNotCompared = "link.not-compared"
  case keyDuplicate = "key.duplicate"
  case keyHash = "key.hash"
  case keyTombstoneHash = "key.tombstone-hash"
  case keyNotCompared = "key.not-compared"
  // Indexes.
  case indexColumn = "index.column"
  case indexNode = "index.node"
  case indexEmptyNode = "index.empty-node"
  case indexKeyOrder = "index.key-order"
  case indexInnerKey = "index.inner-key"
  case indexDepth = "index.depth"
  case indexMissingEntry = "index.missing-entry"
  case indexExtraEntry = "index.extra-entry"
  case indexDuplicateEntry = "index.duplicate-entry"
  case indexListValues = "index.list-values"
  case indexListOrder = "index.list-order"
  case indexListValueOrder = "index.list-value-order"
  case indexStaleLink = "index.stale-link"
  case indexRepeatedEntry = "index.repeated-entry"
  case indexCapitalX = "index.capital-x"
  case indexNotCompared = "index.not-compared"
  // Histories.
  case historyTop = "history.top"
  case historyIdentRange = "history.ident-range"
  case historyLocalLength = "history.local-length"
  case historyRoot = "history.root"
  case historyColumn = "history.column"
  case historyLengths = "history.lengths"
  case historyRemoteVersions = "history.remote-versions"
  case historyRemoteAhead = "history.remote-ahead"
  case historyCursors = "history.cursors"
  case historyCursorOrder = "history.cursor-order"
  case historyByteCounts = "history.byte-counts"
  case historyIdent = "history.ident"
  case historyAcknowledged = "history.acknowledged"
  case historyOrigin = "history.origin"
  case historyWrapper = "history.wrapper"
  case historyEarlyWrapper = "history.early-wrapper"
  case historyChangeset = "history.changeset"
  case historyNames = "history.names"
  case historyTimestamps = "history.timestamps"
  case historySchemaVersions = "history.schema-versions"
  case historyNotDecoded = "history.not-decoded"
  // Schemas.
  case schemaOptionalLink = "schema.optional-link"
  case schemaOptionalMixed = "schema.optional-mixed"
  case schemaEmbeddedCycle = "schema.embedded-cycle"
  case schemaAsymmetricLocal = "schema.asymmetric-local"
  case schemaSyncedKey = "schema.synced-key"
  case schemaIntegerKeys = "schema.integer-keys"
  case schemaTypedLink = "schema.typed-link"
  case schemaMetadata = "schema.metadata"

  /// The message for a broken rule if no details are known.
  package var expectation: String { "expected that \(row.sentence)" }

  /// How serious a broken rule is.
  public enum Severity: String, CaseIterable, Comparable, Sendable {
    /// Worth knowing, but without consequence.
    case note
    /// Irregular, but harmless, or written like this by the reference implementation.
    case warning
    /// An SDK would misread, lose data or crash.
    case error

    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }
  }

  /// A row of the table of rules.
  public struct Row: Sendable {
    /// The severity of most findings of this rule.
    public let severity: Severity
    /// Where docs/file-format states the rule: a chapter and section, or the name in a checklist.
    public let source: String
    /// What holds in a valid file.
    public let sentence: String
    /// When a finding has another severity than `severity`; nil for never.
    public let exception: String?

    init(
      _ severity: Severity, _ source: String, _ sentence: String, exception: String? = nil
    ) {
      (self.severity, self.source) = (severity, source)
      (self.sentence, self.exception) = (sentence, exception)
    }
  }
}
