public import RealmStorage

/// What was found in a damaged realm, and what of it is in the result.
public struct SalvageReport: Sendable {
  /// A version that the file refers to, or once referred to.
  public struct Root: Sendable {
    /// Byte offset of its top array; 0 for one that is made of found parts.
    public var offset: Int
    /// Number of the version; of one without a root that of another version, or 1.
    public var version: Int
    /// What leads to it.
    public var origin: Origin
    public var fileFormat: Int
    /// Bytes that belong to the version.
    public var logicalByteCount: Int
    /// Nodes that can be read.
    public var nodeCount: Int
    /// Refs that lead to no readable node.
    public var missingCount: Int
    /// Number of tables that can be read; nil if the list of tables cannot be read.
    public var tableCount: Int?
    /// Whether everything of the version can be read.
    public var isWhole: Bool { missingCount == 0 && tableCount != nil }
    /// Whether the result was made of this version.
    public var isChosen = false

    /// What leads to a root.
    public enum Origin: String, Sendable {
      /// The live slot of the file header.
      case header
      /// The other slot of the file header.
      case otherSlot
      /// The footer of a file in streaming form.
      case footer
      /// Nothing but its bytes.
      case scan
      /// Nothing: the root or the list of tables is lost, and the newest tables that were found take their
      /// place.
      case rebuilt
    }
  }

  /// A class of the result.
  public struct Class: Sendable {
    public var name: String
    /// Objects in the result.
    public var objects: Int
    /// Objects in the result with all their values.
    public var complete: Int
    /// Objects in the result that lack a value.
    public var partial: Int
    /// Objects that the damaged realm says it has and that are not in the result, in this class or in the one
    /// for objects without primary key. If their number cannot be right (``WrongCount``), only those whose keys are
    /// known.
    public var lost: Int
    /// Values that are null, a default or incomplete because they could not be read.
    public var lostValues: Int
    /// Values that are lost and come from an older version.
    public var filledValues = 0
    /// Objects in the result that are lost and come from an older version. They may have been deleted since.
    public var filledObjects = 0
    /// Objects in the result that come from freed space.
    public var freedObjects = 0
    /// Those of `partial` that come from freed space: what they lack is no loss of the version.
    var freedPartial = 0
    /// The class whose objects these are if they lost their primary key; nil for other classes.
    public var lostKeysOf: String?
    /// The class whose deleted objects these are; nil for other classes.
    public var freedOf: String?

    /// Whether everything that the realm had of the class is in the result, and nothing comes from an older
    /// version instead.
    var isComplete: Bool {
      lost == 0 && partial == freedPartial && filledValues == 0 && filledObjects == 0
    }
  }

  /// A class or property that is not in the result, or only without its name.
  public struct LostSchema: Sendable {
    public var className: String
    /// Nil for a whole class.
    public var property: String?
    public var offset: Int?
    public var why: String
  }

  /// A number of objects that cannot be right: no more than `possible` ones can be in the nodes of the class.
  public struct WrongCount: Sendable {
    public var className: String
    /// What the realm says.
    public var stated: Int
    /// The objects of the result, and those that lost nodes can have had.
    public var possible: Int
  }

  /// Values or objects that could not be read, for one reason.
  public struct Loss: Sendable {
    /// What is lost.
    public enum Extent: String, Sendable {
      case objects, values
      /// Elements of a collection or properties of embedded objects.
      case parts
    }

    public var extent: Extent
    public var className: String?
    public var property: String?
    /// Keys of the objects that it concerns, as far as they are known.
    public var objectKeys: [Int64]
    /// The rule that is broken.
    public var rule: Rule
    /// The bytes that could not be read: those of a block of which no byte is trusted, or the place where
    /// reading failed.
    public var bytes: Range<Int>
    public var message: String
    /// Number of the older version that has what is in the result instead; nil if it is not in the result.
    public var filledFrom: Int?
  }

  public var path: String
  /// Path of the result; nil if only the roots were listed.
  public var output: String?
  public var fileByteCount: Int
  public var isEncrypted: Bool
  /// Bytes of the file without the metadata pages of an encrypted one.
  package var dataByteCount = 0
  /// The newest first.
  public var roots: [Root] = []
  /// What is wrong with the file header; empty for a sound one.
  public var headerProblems: [String] = []
  /// The first byte of the root that the header names, if it lies behind the end of the file: that was cut off.
  public var cutOffRoot: Int?
  /// Bits of names, of refs and of headers of nodes that had flipped, and were read as they must have been: byte offset, and
  /// position in the byte from 0 to 7.
  public var correctedBits: [(offset: Int, bit: Int)] = []
  /// Whether the newest version is lost, and an older one was read.
  public var isNewestLost = false
  /// Whether nothing tells which version is the newest, so that the newest one that was found was read.
  public var isNewestUnknown = false
  /// Names of the classes and internal tables whose own top node is lost, and whose objects an older one leads to. That they are of the newest
  /// version is likely, not certain.
  public var olderTables: [String] = []
  /// Whether the list of the names of classes is lost.
  public var areNamesLost = false
  /// Numbers of the older versions that were read, the newest first.
  public var olderVersions: [Int] = []
  public var classes: [Class] = []
  public var lostSchema: [LostSchema] = []
  /// Names that no realm can have, and what replaced them.
  public var renamed: [(old: String, new: String)] = []
  /// Links that are null because the object that they led to is lost.
  public var nulledLinks = 0
  /// Ranges of bytes that could not be read or are not trusted.
  public var unreadable: [Range<Int>] = []
  /// Numbers of objects that are wrong, and tell nothing about what is lost.
  public var wrongCounts: [WrongCount] = []
  public var losses: [Loss] = []
  /// Number of losses that are not in `losses`.
  public var furtherLosses = 0
  /// Objects found without the nodes that led to them.
  public var foundObjects = 0
  /// Whether the realm had the history of a sync client, with changes that may not have been uploaded: the
  /// result is a local realm.
  public var wasSynced = false
  /// Bytes of the result.
  public var byteCount = 0

  package init(path: String, fileByteCount: Int, isEncrypted: Bool) {
    (self.path, self.fileByteCount, self.isEncrypted) = (path, fileByteCount, isEncrypted)
  }

  /// Whether it is certain that everything that the realm had is in the result.
  public var isComplete: Bool {
    classes.allSatisfy(\.isComplete) && lostSchema.isEmpty && losses.isEmpty
      && furtherLosses == 0 && nulledLinks == 0 && !isNewestLost && !isNewestUnknown
      && renamed.isEmpty && cutOffRoot == nil && !areNamesLost && !isRebuilt && olderTables.isEmpty
      && correctedBits.isEmpty && wrongCounts.isEmpty
  }

  /// Whether the result was made of the newest tables that were found, because the root or the list of tables
  /// is lost. That they are of the newest version is likely, not certain.
  public var isRebuilt: Bool { roots.contains { $0.isChosen && $0.origin == .rebuilt } }

  /// Number of objects in the result.
  public var objectCount: Int { classes.reduce(0) { $0 + $1.objects } }
}
