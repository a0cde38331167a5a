extension Rule {
  /// The one table of rules; the compiler checks that it is complete.
  public var row: Row {
    switch self {
    case .headerTop:
      Row(
        .error, "1.8, 2 4 9 11",
        "the header leads to a whole top array of the newest commit")
    case .fileTruncated: Row(.error, "1.8, 2 11", "the file is as long as it says")
    case .headerReserved:
      Row(
        .warning, "1.8, 6",
        "the reserved byte and the unused flags of the header are 0")
    case .headerOtherSlot:
      Row(
        .warning, "1.8, 7",
        "the slot that is not live is 0, all ones, or names an older top array")
    case .headerStreaming:
      Row(
        .warning, "1.8, 4 5",
        "a file in streaming form has an empty second slot and ends with the footer behind "
          + "its logical size")
    case .fileSize:
      Row(
        .warning, "1.8, 8",
        "the file has whole pages of 4096 bytes, and not many behind its logical size")
    case .fileLeftover:
      Row(
        .warning, "1.8, 30",
        "nothing of an interrupted compaction lies beside the file")
    case .fileFormatBackup:
      Row(
        .note, "1.6.3; 1.8, 30",
        "no copy from before an upgrade of the file format lies beside the file",
        exception: "error where libraries put it in the place of a file whose format they reject")
    case .topLength: Row(.warning, "1.8, 9", "the top array has a length that its file format uses")
    case .topFlags: Row(.error, "1.8, 10", "the top array is marked as holding refs")
    case .topLogicalSize:
      Row(
        .error, "1.8, 11",
        "the logical size is a tagged number that covers the top array")
    case .topSlots:
      Row(
        .error, "1.8, 12",
        "the other slots of the top array are refs and tagged numbers as their meaning asks")
    case .topHistory: Row(.error, "1.8, 13", "a file without history kind has no history")
    case .topHistorySchema:
      Row(
        .warning, "1.8, 14",
        "the schema version of a local history is the one of the file format")
    case .nodeRef:
      Row(
        .error, "1.8, 16; N1 N4",
        "a ref is a multiple of 8 and points behind the file header")
    case .nodeBounds:
      Row(
        .error, "1.8, 16; N1",
        "a node lies inside the logical size and has less than 64 MiB")
    case .nodeFlags: Row(.error, "N2", "the flags of a node do not exclude one another")
    case .nodeContext:
      Row(
        .warning, "N5", "the context flag is set only where it has a meaning",
        exception: "error in a node of bytes, which would be read as an array of pieces")
    case .nodeFiller: Row(.note, "1.8, 18", "the filler bytes of a node are AAAA")
    case .nodeSection: Row(.note, "1.8, 19", "a node lies inside one section of 64 MiB")
    case .storageNodeOverlap:
      Row(
        .error, "1.8, 17; N3",
        "no byte belongs to two nodes, and no node is reached twice")
    case .freeLists: Row(.error, "1.8, 20", "the free list is three plain arrays of equal length")
    case .freeChunk:
      Row(
        .error, "1.8, 21",
        "free chunks are ascending, apart, whole multiples of 8 bytes and inside the logical size")
    case .freeVersion: Row(.error, "1.8, 22", "no free chunk was freed by a later commit")
    case .freeNodeOverlap: Row(.error, "1.8, 23", "no free chunk overlaps a node")
    case .storageLeak: Row(.warning, "1.8, 24", "every byte belongs to a node or to a free chunk")
    case .encryptionPage:
      Row(
        .error, "1.8, 25",
        "every page of an encrypted file that is in use verifies")
    case .encryptionOlderPage:
      Row(
        .warning, "1.8, 26",
        "a page in use verifies with the newer of its two checksums")
    case .encryptionPartialPage: Row(.warning, "1.8, 26", "an encrypted file has whole pages")
    case .encryptionFreePage:
      Row(
        .note, "1.8, 27",
        "a page of free space verifies, is zero or was never written")
    case .tableNames:
      Row(
        .error, "G1",
        "the arrays of table names and tables can be read and have equal lengths")
    case .tableEntry: Row(.error, "G2", "an entry of the array of tables is a ref or a free slot")
    case .tableKey: Row(.error, "G3", "a table is in the slot that its key names")
    case .tableName:
      Row(
        .error, "G4",
        "names of tables are not empty, unique and at most 63 bytes, those of free slots empty",
        exception: "warning for an empty name")
    case .tableSlots:
      Row(
        .error, "T1",
        "the slots of a table are refs, tagged numbers or 0 as their meaning asks",
        exception:
          "warning for more than 14 slots")
    case .tableType: Row(.error, "T2", "a table is top-level, embedded or asymmetric")
    case .tableFlags: Row(.warning, "T2", "no unknown flag of a table is set")
    case .specSlots: Row(.error, "S1", "a spec has six slots and no sub-specs")
    case .specArray: Row(.error, "S1", "types, attributes and keys of a spec are plain arrays")
    case .specLengths:
      Row(
        .error, "S1",
        "the arrays of a spec are equally long, and the names not longer")
    case .specColumnKeys:
      Row(
        .error, "S2 S3",
        "column keys have known types and leaf indexes of their own, those of backlinks at "
          + "the end")
    case .specTypes:
      Row(
        .error, "S3; 3.3.1",
        "the type of a column is that of its key, with a key type for dictionaries",
        exception: "warning for a key type of another property")
    case .specAttributes:
      Row(
        .error, "S4",
        "the attributes of a column are those of its key, with one collection bit at most",
        exception:
          "warning for bits that no format sets")
    case .specNames:
      Row(
        .error, "S5",
        "names of properties are not empty, unique and at most 63 bytes",
        exception: "warning for an empty name")
    case .specEnumeration: Row(.error, "S6", "lists of distinct values belong to single strings")
    case .tableOpposites:
      Row(
        .error, "S7",
        "the arrays of indexes and opposite columns have an element for each column",
        exception:
          "warning for elements of no column")
    case .tablePrimaryKey:
      Row(
        .error, "S8",
        "a primary key is an int, string, ObjectId or UUID column of a table that is not embedded")
    case .tablePrimaryKeyIndex: Row(.error, "S9", "a primary key has a search index")
    case .tableSequenceNumber:
      Row(
        .error, "S10",
        "the next object key of an embedded table is not in use")
    case .tableCollisionMap:
      Row(
        .error, "O4",
        "the map of colliding keys has three equally long arrays in order",
        exception: "warning for their order, and for objects that are gone")
    case .linkOpposite:
      Row(
        .error, "3.11, L1 L3",
        "a link column and its backlink column name each other, other columns none",
        exception: "warning for a name that leads nowhere; early files of format 10 have zeros")
    case .linkBacklinkColumn:
      Row(
        .error, "3.11, L2",
        "a backlink column belongs to a link or mixed column",
        exception:
          "warning where a mixed column or its table was removed")
    case .linkAsymmetric:
      Row(
        .error, "3.11, L6",
        "no link leads to an asymmetric class, no set or mixed property to an embedded one")
    case .clusterNode: Row(.error, "C1", "a cluster is a node of refs")
    case .clusterKeys: Row(.error, "C1", "a cluster has its object count or an array of keys")
    case .clusterCapacity: Row(.error, "C1", "a cluster holds at most 256 objects")
    case .clusterEmpty: Row(.error, "C1", "only the root may be an empty cluster")
    case .clusterKeyOrder: Row(.error, "C1 C4; O1", "object keys are strictly ascending")
    case .clusterKeyWidth: Row(.error, "C1 C3", "arrays of keys have elements of at least 8 bits")
    case .clusterKeyRange:
      Row(
        .error, "C4",
        "the keys of a cluster lie below those of the next one")
    case .clusterKeySign:
      Row(
        .error, "C5; O1",
        "keys of live objects are not negative, those of tombstones are -2 or less")
    case .clusterInner: Row(.error, "C3", "an inner node of a cluster tree has 1 to 256 children")
    case .clusterOffsets:
      Row(
        .error, "C3",
        "the key offsets of an inner node start with 0 and ascend")
    case .clusterDepth: Row(.error, "C3", "all clusters of a tree are equally deep")
    case .clusterCount: Row(.error, "C3", "an inner node knows the number of objects below it")
    case .clusterMissingLeaf: Row(.error, "C2; S11", "a cluster has a leaf for each column")
    case .clusterExtraLeaf:
      Row(
        .error, "C2",
        "a cluster has no leaf for a column that does not exist")
    case .leafKind: Row(.error, "L1 L2", "a leaf has the form of its column's type")
    case .leafRows: Row(.error, "C2; S11", "a leaf has as many rows as its cluster has objects")
    case .leafCapacity: Row(.error, "B1", "a leaf holds no more values than it may")
    case .leafWidth: Row(.error, "L5 L13", "the elements of a leaf have a width of their type")
    case .leafNullValue:
      Row(
        .error, "L3",
        "the null value of a leaf of integers is the largest one of its width")
    case .leafBool: Row(.error, "L4", "a boolean is false, true or null")
    case .leafShortString: Row(.error, "L6", "a short string is padded with zeros")
    case .leafSmallBlobs:
      Row(
        .error, "L7",
        "a leaf of small blobs has offsets, bytes and null flags")
    case .leafStringOffsets:
      Row(
        .error, "L7 L8",
        "the offsets of a leaf of small blobs ascend to the size of its bytes")
    case .leafTerminator: Row(.error, "L8", "a string ends with a zero byte")
    case .leafBlob: Row(.error, "L9", "a long value is one node of bytes or pieces of full size")
    case .leafEnumeration: Row(.error, "L11", "a position in a list of distinct values exists")
    case .leafTimestamp:
      Row(
        .error, "L12",
        "seconds and nanoseconds of a date are equally many, agree in sign, and nanoseconds "
          + "are below a billion")
    case .leafDecimalWidth: Row(.error, "L13", "decimals before format 24 have 16 bytes")
    case .leafFixedBytes: Row(.error, "L14", "a leaf of ObjectIds or UUIDs has whole rows")
    case .leafFixedBytesFlags: Row(.warning, "L14", "the null bits of rows that do not exist are 0")
    case .leafNull: Row(.error, "L15; O3", "a required property is not null")
    case .leafUtf8: Row(.warning, "L16", "a string is valid UTF-8")
    case .leafCollection: Row(.error, "C2", "a leaf of collections has a ref or 0 for each object")
    case .leafBacklinks:
      Row(
        .error, "2.3.15",
        "a leaf of backlinks has refs, keys or 0 for each object")
    case .backlinkSingle: Row(.warning, "3.11, L8", "a list of backlinks has at least two entries")
    case .mixedSlots:
      Row(
        .error, "M1",
        "a leaf of mixed values has its arrays, in 4 to 6 slots",
        exception:
          "warning for 5 slots")
    case .mixedType:
      Row(
        .error, "M2",
        "a mixed value has a known type with the payload that belongs to it")
    case .mixedIndex: Row(.error, "M2", "the payload of a mixed value exists")
    case .mixedPayloadUse: Row(.error, "M2", "every payload of a leaf of mixed values is used once")
    case .mixedInline: Row(.error, "M3", "a mixed value without payload is in range")
    case .mixedIdentifierSize: Row(.error, "M4", "an ObjectId has 12 bytes, a UUID 16")
    case .mixedCollectionKey: Row(.warning, "M5", "a nested collection has a key of its own")
    case .mixedKeyArray:
      Row(
        .warning, "M6",
        "the keys of nested collections are as many as the values")
    case .mixedFormat: Row(.error, "M7", "nested collections exist from format 24 on")
    case .valueDepth: Row(.error, "2.6.6", "collections are nested at most 100 levels deep")
    case .btreeInner: Row(.error, "B1", "an inner node of a B+tree has 1 to 1000 children")
    case .btreeChild: Row(.error, "B1", "a child of an inner node exists")
    case .btreeDepth: Row(.error, "B1", "all leaves of a B+tree are equally deep")
    case .btreeEmptyLeaf: Row(.error, "B1", "only the root of a B+tree may be an empty leaf")
    case .btreeCapacity: Row(.error, "B1", "a leaf of a B+tree has at most 1000 values")
    case .btreeCount:
      Row(
        .error, "B1",
        "an inner node of a B+tree knows the number of values below it")
    case .btreeOffsets:
      Row(
        .error, "B2",
        "an inner node of a B+tree knows where the values of each child start")
    case .setOrder:
      Row(
        .error, "S1",
        "the members of a set ascend, and none is there twice",
        exception:
          "warning for floating-point numbers that are not numbers, for mixed sets up to format "
          + "23, and for members that an upgrade kept")
    case .dictionarySlots: Row(.error, "S2", "a dictionary has keys and values")
    case .dictionaryCounts: Row(.error, "S2", "a dictionary has a value for each key")
    case .dictionaryKey: Row(.error, "S2", "a key of a dictionary is not null")
    case .dictionaryUniqueKeys: Row(.error, "S2", "no key of a dictionary is there twice")
    case .dictionaryOrder:
      Row(
        .error, "S3",
        "the keys of a dictionary ascend",
        exception:
          "warning in realms that an upgrade may have left unsorted")
    case .dictionaryValueType:
      Row(
        .error, "S4",
        "the values of a dictionary have the type of its column")
    case .linkContext:
      Row(
        .error, "S5",
        "a list of links is marked if it holds unresolved links, and only then")
    case .linkNullElement: Row(.error, "S6", "a list or set of links holds no null")
    case .linkBacklinkMismatch:
      Row(.error, "3.6.2", "each link has its backlink in the target, and each backlink its link")
    case .linkDangling:
      Row(.error, "3.11, L5", "the target of each link exists, live or as a tombstone")
    case .linkEmbeddedOrphan:
      Row(
        .warning, "3.6.5; 3.12, 13",
        "an embedded object has an owner; the reference leaves those of a removed property behind")
    case .linkEmbeddedShared:
      Row(.error, "3.6.5", "an embedded object has one owner only")
    case .linkNotCompared:
      Row(.note, "3.11", "links that cannot be read are not compared with backlinks")
    case .keyDuplicate:
      Row(.error, "3.11, O2", "no two objects of a class have the same primary key")
    case .keyTombstoneHash:
      Row(.warning, "3.4.7", "the key of a tombstone is made of its primary key")
    case .keyNotCompared:
      Row(.note, "3.4.6", "primary keys that cannot be read are not compared")
    case .indexColumn:
      Row(.error, "3.5.9", "an index is on a column that can have one of its kind")
    case .indexNode:
      Row(
        .error, "3.5.3",
        "a node of an index has its flags, a keys array of 32-bit elements and an entry a key")
    case .indexEmptyNode:
      Row(.error, "3.5.3", "only the root of an index is ever without keys")
    case .indexKeyOrder:
      Row(.error, "3.5.3", "chunk keys ascend as signed numbers")
    case .indexInnerKey:
      Row(.error, "3.5.3", "a key of an inner node is the last key of its child")
    case .indexDepth:
      Row(.error, "3.5.4", "an index has no level behind offset 200")
    case .indexMissingEntry:
      Row(.error, "3.11, I3", "every live object is in the index under its value")
    case .indexExtraEntry:
      Row(
        .error, "3.11, I4",
        "every entry of an index leads to a live object with a value under these chunks")
    case .indexDuplicateEntry:
      Row(.error, "3.11, I3", "an object is in an index once")
    case .indexListValues:
      Row(
        .error, "3.5.5",
        "objects of one list have equal index bytes, unless the list is at offset 200")
    case .indexListOrder:
      Row(.error, "3.5.5", "in a list equal values are adjacent and their object keys ascend")
    case .indexListValueOrder:
      Row(
        .warning, "3.5.5",
        "different values in one list ascend; older formats ordered them otherwise")
    case .indexStaleLink:
      Row(.warning, "3.12", "an object whose mixed link was nullified moves to null in the index")
    case .indexRepeatedEntry:
      Row(
        .warning, "3.12",
        "an index on words names an object once a word, and no object that is gone")
    case .indexCapitalX:
      Row(
        .warning, "3.5.7",
        "an index on a list of strings keeps words with a capital X apart from others")
    case .indexNotCompared:
      Row(.note, "3.11", "values that cannot be read are not compared with an index")
    case .historyTop:
      Row(.error, "4.1.1", "type, ref and schema version of the history fit together")
    case .historyIdentRange:
      Row(.warning, "4.9", "the file identifier is one that objects can be made with")
    case .historyLocalLength:
      Row(.error, "4.9", "a local history has at most one entry a version")
    case .historyRoot:
      Row(
        .error, "4.9, 1",
        "the root of a client history has 21 slots: refs in 0, 13 to 17 and 20, integers in the others"
      )
    case .historyColumn:
      Row(.error, "4.9", "a column of a history is a tree of integers")
    case .historyLengths:
      Row(
        .error, "4.9, 2",
        "the columns of a client history are equally long, and no entry is older than version 2")
    case .historyRemoteVersions:
      Row(.error, "4.9, 3", "the server versions of the entries do not decrease")
    case .historyRemoteAhead:
      Row(
        .warning, "4.9, 3",
        "no entry has integrated more than the download cursor says; a bootstrap moves it last")
    case .historyCursors:
      Row(.error, "4.9, 4", "the cursors name versions that the server and this file have")
    case .historyCursorOrder:
      Row(
        .warning, "4.9, 4–5", "the cursors agree about what was uploaded before what was downloaded"
      )
    case .historyByteCounts:
      Row(.warning, "4.9, 6, 13", "no more is uploaded, or stored, than there was to upload")
    case .historyIdent:
      Row(.warning, "4.9, 7", "a file identifier comes with its salt")
    case .historyAcknowledged:
      Row(
        .warning, "4.9, 8",
        "a file without identifier has no acknowledged version above its changes")
    case .historyOrigin:
      Row(.warning, "4.9, 9", "entries come from here, as 0, or from other files")
    case .historyWrapper:
      Row(
        .error, "4.9, 10",
        "a stored changeset has a known compression, and unpacks to its size and checksum")
    case .historyEarlyWrapper:
      Row(
        .warning, "4.2.4",
        "no changeset is wrapped as builds before the first release of schema version 12 did")
    case .historyChangeset:
      Row(.error, "4.9, 11", "a local changeset decodes to its end")
    case .historyNames:
      Row(.warning, "4.9, 12", "classes and properties that the changesets name exist")
    case .historyTimestamps:
      Row(.warning, "4.9, 14", "entries are neither from before 2015 nor from the future")
    case .historySchemaVersions:
      Row(
        .warning, "4.9, 15",
        "the record of schema versions has four arrays of equal length and ends with the current one"
      )
    case .historyNotDecoded:
      Row(.note, "4.2.4", "a changeset is in a form that is not decoded")
    case .schemaOptionalLink:
      Row(
        .warning, "3.3.2",
        "a link and a dictionary of links are optional, lists and sets of links are not")
    case .schemaOptionalMixed:
      Row(.warning, "3.3.2", "mixed properties and collections are optional")
    case .schemaEmbeddedCycle:
      Row(.warning, "3.8.4", "embedded classes do not contain one another in a circle")
    case .schemaAsymmetricLocal:
      Row(.warning, "3.8.4", "a local realm has no asymmetric classes")
    case .schemaSyncedKey:
      Row(
        .warning, "3.8.4",
        "in a synced realm each class that is not embedded has a primary key named _id")
    case .schemaIntegerKeys:
      Row(.warning, "3.3.1", "the keys of a dictionary are strings")
    case .schemaTypedLink:
      Row(.warning, "3.3.1", "no property is a typed link outside mixed ones")
    case .schemaMetadata:
      Row(.error, "3.8.1", "the table of the schema version has one row")
    }
  }
}
