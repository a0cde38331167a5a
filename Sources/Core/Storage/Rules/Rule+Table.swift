extension Rule {
  /// The one table of rules; the compiler checks that it is complete.
  public var row: Row {
    switch self {
    case .headerTop:
      Row(.error, "1.8, 2 4 9 11", "the header points to a complete top array of the newest commit")
    case .fileTruncated: Row(.error, "1.8, 2 11", "the file has all bytes up to its logical size")
    case .fileTextMode:
      Row(.error, "1.1.1", "no program that took the file for text changed its bytes")
    case .headerOlderData:
      Row(
        .error, "1.1.2",
        "behind the header of a new realm, which nothing was committed to, are no versions",
        exception: "warning for a first commit that did not finish")
    case .headerReserved:
      Row(.warning, "1.8, 6", "the reserved byte and the unused flags of the header are 0")
    case .headerOtherSlot:
      Row(
        .warning, "1.8, 7",
        "the inactive slot of the header is 0, all ones, or the ref of an older top array")
    case .headerStreaming:
      Row(
        .warning, "1.8, 4 5",
        "a file in streaming form has an empty second slot, and a footer after its logical size")
    case .fileSize:
      Row(
        .warning, "1.8, 8",
        "the file size is a multiple of 4096 bytes, and less than 64 KiB above the logical size")
    case .fileLeftover:
      Row(.warning, "1.8, 30", "no file of an interrupted compaction lies beside the realm")
    case .fileFormatBackup:
      Row(
        .note, "1.6.3; 1.8, 30",
        "no backup from an upgrade of the file format lies beside the realm",
        exception: "error if libraries reject the format of the realm: they replace it with the "
          + "backup")
    case .topLength:
      Row(.warning, "1.8, 9", "the length of the top array is one that its file format uses")
    case .topFlags: Row(.error, "1.8, 10", "the top array has the flag for refs")
    case .topLogicalSize:
      Row(.error, "1.8, 11", "the logical size is a tagged number, and the top array lies below it")
    case .topSlots:
      Row(
        .error, "1.8, 12",
        "each other slot of the top array holds a ref or a tagged number, as its meaning requires")
    case .topHistory: Row(.error, "1.8, 13", "a file whose history kind is none has no history")
    case .topHistorySchema:
      Row(
        .warning, "1.8, 14",
        "the schema version of a local history is the one for the file format")
    case .nodeRef:
      Row(.error, "1.8, 16; N1 N4", "a ref is a multiple of 8 and points past the file header")
    case .nodeBounds:
      Row(.error, "1.8, 16; N1", "a node lies below the logical size and is smaller than 64 MiB")
    case .nodeFlags: Row(.error, "N2", "the flags of a node do not contradict each other")
    case .nodeContext:
      Row(
        .warning, "N5",
        "the context flag is set only where it has a meaning",
        exception: "error in a node of bytes: it would be read as an array of pieces")
    case .nodeFiller: Row(.note, "1.8, 18", "the filler bytes in the header of a node are AAAA")
    case .nodeSection: Row(.note, "1.8, 19", "a node lies inside one section of 64 MiB")
    case .storageNodeOverlap:
      Row(.error, "1.8, 17; N3", "no byte belongs to two nodes, and no node is reached twice")
    case .freeLists:
      Row(.error, "1.8, 20", "the free list consists of three plain arrays of equal length")
    case .freeChunk:
      Row(
        .error, "1.8, 21",
        "free chunks ascend without overlap, are multiples of 8 bytes, and lie below the logical "
          + "size")
    case .freeVersion: Row(.error, "1.8, 22", "no free chunk was freed by a later commit")
    case .freeNodeOverlap: Row(.error, "1.8, 23", "no free chunk overlaps a node")
    case .storageLeak: Row(.warning, "1.8, 24", "every byte belongs to a node or to a free chunk")
    case .encryptionPage:
      Row(
        .error, "1.8, 25",
        "the checksum of each page in use of an encrypted file matches its bytes")
    case .encryptionOlderPage:
      Row(.warning, "1.8, 26", "the newer of the two checksums of a page in use matches its bytes")
    case .encryptionPartialPage:
      Row(.warning, "1.8, 26", "an encrypted file consists of whole pages")
    case .encryptionFreePage:
      Row(
        .note, "1.8, 27",
        "a page of free space matches its checksum, is zero, or was never written")
    case .tableNames:
      Row(.error, "G1", "the arrays of table names and tables can be read and have equal lengths")
    case .tableEntry: Row(.error, "G2", "an entry of the array of tables is a ref or a free slot")
    case .tableKey: Row(.error, "G3", "a table is in the slot that its key names")
    case .tableName:
      Row(
        .error, "G4", "a table has a unique name of 1 to 63 bytes, and a free slot an empty name",
        exception: "warning for an empty name of a table, and for one that is not valid UTF-8")
    case .tableSlots:
      Row(
        .error, "T1",
        "each slot of a table holds a ref, a tagged number or 0, as its meaning requires",
        exception: "warning for more than 14 slots")
    case .tableType: Row(.error, "T2", "a table is top-level, embedded or asymmetric")
    case .tableFlags: Row(.warning, "T2", "a table has no unknown flags")
    case .specSlots: Row(.error, "S1", "a spec has six slots and no sub-specs")
    case .specArray: Row(.error, "S1", "types, attributes and keys of a spec are plain arrays")
    case .specLengths:
      Row(
        .error, "S1",
        "the arrays of a spec have equal lengths, and its array of names is not longer")
    case .specColumnKeys:
      Row(
        .error, "S2 S3",
        "each column key has a known type and its own leaf index, and backlink columns come last")
    case .specTypes:
      Row(
        .error, "S3; 3.3.1",
        "a column has the type in its column key, and a dictionary has a key type",
        exception: "warning for the key type of a property that is not a dictionary")
    case .specAttributes:
      Row(
        .error, "S4",
        "a column has the attributes in its column key, with at most one kind of collection",
        exception: "warning for bits that no format sets")
    case .specNames:
      Row(
        .error, "S5", "a property has a unique name of 1 to 63 bytes",
        exception: "warning for an empty name, and for one that is not valid UTF-8")
    case .specEnumeration:
      Row(.error, "S6", "only columns of single strings have a list of distinct values")
    case .specFormat:
      Row(
        .error, "2.8.1; 3.5.10",
        "the file format has the kind of each class and the type, collection and index of each property"
      )
    case .tableOpposites:
      Row(
        .error, "S7",
        "the arrays of indexes and opposite columns have an element for each column",
        exception: "warning for extra elements")
    case .tablePrimaryKey:
      Row(
        .error, "S8",
        "a primary key is an int, string, ObjectId or UUID column, and its table is not embedded")
    case .tablePrimaryKeyIndex: Row(.error, "S9", "a primary key has a search index")
    case .tableSequenceNumber:
      Row(.error, "S10", "the next object key of an embedded table is not in use")
    case .tableCollisionMap:
      Row(
        .error, "O4",
        "the collision map has three sorted arrays of equal length",
        exception: "warning if they are unsorted or name deleted objects")
    case .linkOpposite:
      Row(
        .error, "3.11, L1 L3",
        "a link column and its backlink column name each other, and other columns name none",
        exception: "warning for a named column that does not exist; early files of format 10 have "
          + "zeros")
    case .linkBacklinkColumn:
      Row(
        .error, "3.11, L2",
        "a backlink column belongs to a link or mixed column",
        exception: "warning if a mixed column or its table was removed")
    case .linkAsymmetric:
      Row(
        .error, "3.11, L6",
        "no property links to an asymmetric class, and no set or mixed property links to an "
          + "embedded class")
    case .clusterNode: Row(.error, "C1", "a cluster is a node of refs")
    case .clusterKeys: Row(.error, "C1", "a cluster has an object count or an array of keys")
    case .clusterCapacity: Row(.error, "C1", "a cluster holds at most 256 objects")
    case .clusterEmpty: Row(.error, "C1", "only the root may be an empty cluster")
    case .clusterKeyOrder: Row(.error, "C1 C4; O1", "object keys are strictly ascending")
    case .clusterKeyWidth: Row(.error, "C1 C3", "arrays of keys have elements of at least 8 bits")
    case .clusterKeyRange:
      Row(.error, "C4", "the keys of a cluster are lower than the keys of the next cluster")
    case .clusterKeySign:
      Row(
        .error, "C5; O1",
        "the key of a live object is 0 or more, the key of a tombstone -2 or less")
    case .clusterInner: Row(.error, "C3", "an inner node of a cluster tree has 1 to 256 children")
    case .clusterOffsets:
      Row(.error, "C3", "the key offsets of an inner node start with 0 and ascend")
    case .clusterDepth: Row(.error, "C3", "all clusters of a tree have the same depth")
    case .clusterCount:
      Row(.error, "C3", "the count of an inner node is the number of objects below it")
    case .clusterMissingLeaf: Row(.error, "C2; S11", "a cluster has a leaf for each column")
    case .clusterExtraLeaf:
      Row(.error, "C2", "a cluster has no leaf for a column that does not exist")
    case .leafKind: Row(.error, "L1 L2", "a leaf has the form that the type of its column requires")
    case .leafRows: Row(.error, "C2; S11", "a leaf has as many rows as its cluster has objects")
    case .leafCapacity: Row(.error, "B1", "a leaf has no more values than its form allows")
    case .leafWidth:
      Row(.error, "L5 L13", "the elements of a leaf have a width that their type allows")
    case .leafNullValue:
      Row(.error, "L3", "the null marker of an integer leaf is the largest value of its width")
    case .leafBool: Row(.error, "L4", "a boolean is false, true or null")
    case .leafShortString: Row(.error, "L6", "a short string is padded with zeros")
    case .leafSmallBlobs:
      Row(.error, "L7", "a leaf of small blobs has offsets, bytes and null flags")
    case .leafStringOffsets:
      Row(
        .error, "L7 L8",
        "the offsets of a leaf of small blobs ascend, and the last one is the size of its bytes")
    case .leafTerminator: Row(.error, "L8", "a string ends with a zero byte")
    case .leafBlob:
      Row(
        .error, "L9",
        "a long value is one node of bytes, or pieces that are full except for the last one")
    case .leafEnumeration:
      Row(.error, "L11", "each position that a row names exists in the list of distinct values")
    case .leafTimestamp:
      Row(
        .error, "L12",
        "a leaf of dates has as many nanoseconds as seconds, of the same sign and below a billion")
    case .leafDecimalWidth: Row(.error, "L13", "decimals before format 24 have 16 bytes")
    case .leafFixedBytes: Row(.error, "L14", "a leaf of ObjectIds or UUIDs consists of whole rows")
    case .leafFixedBytesFlags: Row(.note, "L14", "the null bits of rows that do not exist are 0")
    case .leafNull: Row(.error, "L15; O3", "a required property is not null")
    case .leafUtf8: Row(.warning, "L16", "a string is valid UTF-8")
    case .leafCollection: Row(.error, "C2", "a leaf of collections has a ref or 0 for each object")
    case .leafBacklinks:
      Row(.error, "2.3.15", "a leaf of backlinks has a ref, a key or 0 for each object")
    case .backlinkSingle: Row(.warning, "3.11, L8", "a list of backlinks has at least two entries")
    case .backlinkArray: Row(.error, "2.3.15", "before format 24, a list of backlinks is one array")
    case .mixedSlots:
      Row(
        .error, "M1",
        "a leaf of mixed values has 4 to 6 slots with its arrays",
        exception: "warning for 5 slots, and for an array of 0 integers")
    case .mixedType:
      Row(.error, "M2", "a mixed value has a known type, and the payload that belongs to the type")
    case .mixedIndex: Row(.error, "M2", "the payload of a mixed value exists")
    case .mixedPayloadUse: Row(.error, "M2", "every payload of a leaf of mixed values is used once")
    case .mixedInline:
      Row(.error, "M3", "a mixed value without payload is in the range of its type")
    case .mixedIdentifierSize: Row(.error, "M4", "an ObjectId has 12 bytes, a UUID 16")
    case .mixedCollectionKey: Row(.warning, "M5", "a nested collection has a key of its own")
    case .mixedKeyArray:
      Row(.warning, "M6", "a leaf of mixed values has as many keys of nested collections as values")
    case .mixedFormat:
      Row(.error, "M7", "nested collections, and the slots for them, exist from format 24 on")
    case .valueDepth: Row(.error, "2.6.6", "collections are nested at most 100 levels deep")
    case .btreeInner: Row(.error, "B1", "an inner node of a B+tree has 1 to 1000 children")
    case .btreeChild: Row(.error, "B1", "an inner node of a B+tree has a ref for each child")
    case .btreeDepth: Row(.error, "B1", "all leaves of a B+tree have the same depth")
    case .btreeEmptyLeaf: Row(.error, "B1", "only the root of a B+tree may be an empty leaf")
    case .btreeCapacity: Row(.error, "B1", "a leaf of a B+tree has at most 1000 values")
    case .btreeCount:
      Row(.error, "B1", "the count of an inner node of a B+tree is the number of values below it")
    case .btreeOffsets:
      Row(
        .error, "B2",
        "the offsets of an inner node of a B+tree say where the values of each child start")
    case .setOrder:
      Row(
        .error, "S1",
        "the members of a set ascend without duplicates",
        exception:
          "warning with NaN, with strings and binaries or invalid UTF-8 in mixed sets up to format "
          + "23, and for duplicates that an upgrade kept")
    case .dictionarySlots: Row(.error, "S2", "a dictionary has a tree of keys and a tree of values")
    case .dictionaryCounts: Row(.error, "S2", "a dictionary has as many values as keys")
    case .dictionaryKey: Row(.error, "S2", "a key of a dictionary is not null")
    case .dictionaryUniqueKeys: Row(.error, "S2", "a dictionary has each key once")
    case .dictionaryOrder:
      Row(
        .error, "S3",
        "the keys of a dictionary ascend",
        exception: "warning in realms that an upgrade may have left unsorted")
    case .dictionaryHash:
      Row(
        .error, "2.8.3",
        "up to format 22, an entry of a dictionary is under the hash of its key, or in the list of the "
          + "entry there")
    case .dictionaryValueType:
      Row(.error, "S4", "the values of a dictionary have the type of its column")
    case .linkContext:
      Row(
        .error, "S5",
        "a list of links has the flag for unresolved links if, and only if, it holds some")
    case .linkNullElement: Row(.error, "S6", "a list or set of links holds no null")
    case .linkBacklinkMismatch:
      Row(.error, "3.6.2", "each link has a backlink in its target, and each backlink has a link")
    case .linkDangling:
      Row(.error, "3.11, L5", "the target of each link exists, as a live object or as a tombstone")
    case .linkEmbeddedOrphan:
      Row(
        .warning, "3.6.5; 3.12, 13",
        "an embedded object has an owner; the reference leaves the objects of a removed property "
          + "behind")
    case .linkEmbeddedShared: Row(.error, "3.6.5", "an embedded object has only one owner")
    case .linkNotCompared: Row(.note, "3.11", "all links can be read and compared with backlinks")
    case .keyDuplicate:
      Row(.error, "3.11, O2", "no two objects of a class have the same primary key")
    case .keyHash:
      Row(
        .error, "3.4.2; 3.4.5",
        "in formats 20 and 21, the object key is the hash of the primary key, or the one in the collision "
          + "map")
    case .keyTombstoneHash:
      Row(
        .warning, "3.4.7",
        "the object key of a tombstone is made from the hash of its primary key")
    case .keyNotCompared: Row(.note, "3.4.6", "all primary keys can be read and compared")
    case .indexColumn:
      Row(.error, "3.5.9", "an index belongs to a column whose type can have an index of its kind")
    case .indexNode:
      Row(
        .error, "3.5.3",
        "an index node has the flags for its level, 32-bit keys, and one entry for each key")
    case .indexEmptyNode: Row(.error, "3.5.3", "only the root of an index may have no keys")
    case .indexKeyOrder: Row(.error, "3.5.3", "chunk keys ascend as signed numbers")
    case .indexInnerKey: Row(.error, "3.5.3", "a key of an inner node is the last key of its child")
    case .indexDepth: Row(.error, "3.5.4", "an index has no level past offset 200")
    case .indexMissingEntry:
      Row(.error, "3.11, I3", "every live object is in the index under its value")
    case .indexExtraEntry:
      Row(
        .error, "3.11, I4",
        "every entry of an index refers to a live object whose value has the chunks of the entry",
        exception: "warning in an index on a list of strings: the reference can leave entries there"
      )
    case .indexDuplicateEntry: Row(.error, "3.11, I3", "an index has each object once")
    case .indexListValues:
      Row(.error, "3.5.5", "the objects in one list have equal index bytes, except at offset 200")
    case .indexListOrder:
      Row(
        .error, "3.5.5", "in a list, equal values are adjacent and their object keys ascend",
        exception: "not in full-text indexes before format 24")
    case .indexListValueOrder:
      Row(
        .warning, "3.5.5",
        "different values in one list ascend; an upgrade leaves the order of older formats")
    case .indexStaleLink:
      Row(.warning, "3.12", "an object whose mixed link became null is in the index under null")
    case .indexRepeatedEntry:
      Row(.warning, "3.12", "an index of words lists an object once for each word")
    case .indexCapitalX:
      Row(
        .warning, "3.5.7",
        "in an index on a list, words with a capital X or leading zeros are distinct from other "
          + "words")
    case .indexNotCompared:
      Row(.note, "3.11", "all values can be read and compared with their index")
    case .historyTop: Row(.error, "4.1.1", "the type, ref and schema version of the history agree")
    case .historyIdentRange:
      Row(.warning, "4.9", "the file identifier is small enough to be part of object keys")
    case .historyLocalLength:
      Row(.error, "4.9", "a local history has at most one entry for each version")
    case .historyRoot:
      Row(
        .error, "4.9, 1",
        "the root of a client history has 21 slots: refs in 0, 13 to 17 and 20, integers in the "
          + "others; that of a server's history has 7 to 11",
        exception: "warning for the root of a local history, which the reference opens")
    case .historyColumn: Row(.error, "4.9", "a column of a history is a tree of integers")
    case .historyLengths:
      Row(
        .error, "4.9, 2",
        "the columns of a client history are equally long, and no entry is older than version 2")
    case .historyRemoteVersions:
      Row(.error, "4.9, 3", "the server versions of the entries do not decrease")
    case .historyRemoteAhead:
      Row(
        .warning, "4.9, 3",
        "no entry has a newer server version than the download cursor; a bootstrap moves the cursor "
          + "last")
    case .historyCursors:
      Row(.error, "4.9, 4", "the cursors name versions that the server and this file have")
    case .historyCursorOrder:
      Row(
        .warning, "4.9, 4–5",
        "the upload and download cursors agree on what each side has received from the other")
    case .historyByteCounts:
      Row(
        .warning, "4.9, 6, 13",
        "no more bytes of local changes are uploaded or stored than there were to upload")
    case .historyIdent: Row(.warning, "4.9, 7", "a file with an identifier has a salt")
    case .historyAcknowledged:
      Row(
        .warning, "4.9, 8",
        "a file without an identifier has no acknowledged local changes")
    case .historyOrigin:
      Row(
        .warning, "4.9, 9",
        "the origin of an entry is 0 for this file, or the identifier of another file")
    case .historyWrapper:
      Row(
        .error, "4.9, 10",
        "a stored changeset has a known compression, and unpacks to its size and checksum")
    case .historyEarlyWrapper:
      Row(
        .warning, "4.2.4",
        "no changeset has the wrapper of builds before the first release of schema version 12")
    case .historyChangeset: Row(.error, "4.9, 11", "a local changeset decodes to its end")
    case .historyNames:
      Row(.warning, "4.9, 12", "the classes and properties that changesets name exist")
    case .historyTimestamps:
      Row(.warning, "4.9, 14", "the time of an entry is not before 2015 and not in the future")
    case .historySchemaVersions:
      Row(
        .warning, "4.9, 15",
        "the record of schema versions has four arrays of equal length and ends with the current "
          + "one")
    case .historyNotDecoded: Row(.note, "4.2.4", "every changeset has a form that can be decoded")
    case .schemaOptionalLink:
      Row(
        .warning, "3.3.2",
        "links and dictionaries of links are optional; lists and sets of links are not")
    case .schemaOptionalMixed:
      Row(.warning, "3.3.2", "mixed properties and collections are optional")
    case .schemaEmbeddedCycle:
      Row(
        .warning, "3.8.4",
        "no embedded class can contain itself, directly or through other classes")
    case .schemaAsymmetricLocal: Row(.warning, "3.8.4", "a local realm has no asymmetric classes")
    case .schemaSyncedKey:
      Row(
        .warning, "3.8.4",
        "in a synced realm each class that is not embedded has a primary key named _id")
    case .schemaIntegerKeys: Row(.warning, "3.3.1", "the keys of a dictionary are strings")
    case .schemaTypedLink: Row(.warning, "3.3.1", "only mixed properties hold typed links")
    case .schemaMetadata:
      Row(
        .error, "3.8.1",
        "the table of the schema version has one row, and a property version of type int")
    }
  }
}
