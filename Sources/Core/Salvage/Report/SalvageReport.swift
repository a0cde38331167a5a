public import RealmStorage

/// What was found in a damaged realm, and which of it is in the result.
public struct SalvageReport: Sendable {
  /// A version in the file.
  public struct Root: Sendable {
    /// Byte offset of its top array; 0 for a version assembled from tables that were found.
    public var offset: Int
    /// Number of the version. A version without a top array has the number of another one, or 1.
    public var version: Int
    public var origin: Origin
    public var fileFormat: Int
    /// Bytes that belong to the version.
    public var logicalByteCount: Int
    /// Nodes that can be read.
    public var nodeCount: Int
    /// Refs to nodes that cannot be read.
    public var missingCount: Int
    /// Number of tables that can be read; nil if the list of tables cannot be read.
    public var tableCount: Int?
    /// Whether the result was made from this version.
    public var isChosen = false

    /// Whether the whole version can be read.
    public var isWhole: Bool { missingCount == 0 && tableCount != nil }

    /// How a root was found.
    public enum Origin: String, Sendable {
      /// The live slot of the file header refers to it.
      case header
      /// The other slot of the file header refers to it.
      case otherSlot
      /// The footer of a file in streaming form refers to it.
      case footer
      /// A scan of the bytes found it.
      case scan
      /// The top array or the list of tables is lost. The newest tables that a scan found take
      /// their place.
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
    /// Objects that the damaged realm says it has and that are neither in this class nor in the one
    /// for objects without primary key. If the number cannot be right (``WrongCount``), only those
    /// with known keys are counted.
    public var lost: Int
    /// Values that are null, a default or incomplete because they could not be read.
    public var lostValues: Int
    /// Lost values that an older version has.
    public var filledValues = 0
    /// Lost objects that an older version has. They may have been deleted since.
    public var filledObjects = 0
    /// Values that are in the result although bytes near them are damaged.
    public var doubtfulValues = 0
    /// Objects that are in the result although bytes near them are damaged.
    public var doubtfulObjects = 0
    /// Objects from freed space.
    public var freedObjects = 0
    /// The objects from freed space among `partial`: what they lack is not a loss of the version.
    var freedPartial = 0
    /// The class that these objects belong to, if they lost their primary key; nil for other
    /// classes.
    public var lostKeysOf: String?
    /// The class that these deleted objects belonged to; nil for other classes.
    public var freedOf: String?

    /// Whether everything that the realm had of the class is in the result, and nothing comes from
    /// an older version instead.
    var isComplete: Bool {
      lost == 0 && partial == freedPartial && filledValues + filledObjects == 0
        && doubtfulValues + doubtfulObjects == 0
    }
  }

  /// A class or property that is not in the result, or that lost its name.
  public struct LostSchema: Sendable {
    public var className: String
    /// Nil for a whole class.
    public var property: String?
    public var offset: Int?
    public var why: String
  }

  /// A number of objects that cannot be right.
  public struct WrongCount: Sendable {
    public var className: String
    /// The number in the realm.
    public var stated: Int
    /// The most objects that there can be: those in the result, and those that lost nodes can have
    /// had.
    public var possible: Int
  }

  /// Carriage returns before line feeds.
  public struct CarriageReturns: Sendable {
    /// Number of those that were taken out.
    public var removed: Int
    /// Number of those that were there before a program put one before each other line feed.
    public var kept: Int
    /// Number of those in places where some were taken out and some stay, and nothing says which ones.
    public var undecided: Int
  }

  /// A flipped bit that was corrected.
  public struct Bit: Hashable, Sendable {
    /// Offset of the byte in the file.
    public var offset: Int
    /// Position in the byte, 0 to 7.
    public var bit: Int
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
    /// Keys of the affected objects that are known.
    public var objectKeys: [Int64]
    /// The broken rule.
    public var rule: Rule
    /// The bytes that could not be read: a block in which no byte is trusted, or an empty range at
    /// the place where reading failed.
    public var bytes: Range<Int>
    public var message: String
    /// Number of the older version that the result has it from; nil if it is not in the result.
    public var filledFrom: Int?
    /// Whether the result has it although bytes near it are damaged.
    public var isDoubtful = false

    /// Whether the result lacks it.
    public var isMissing: Bool { filledFrom == nil && !isDoubtful }
  }

  public var path: String
  /// Path of the result; nil if only the roots were listed.
  public var output: String?
  /// The file format of the version that was read; nil if none was.
  public var formatBefore: Int?
  /// The file format of the result; nil if the result is no realm.
  public var formatAfter: Int?
  public var fileByteCount: Int
  public var isEncrypted: Bool
  /// Bytes of the file without the metadata pages of an encrypted one.
  var dataByteCount: Int
  /// The newest first.
  public var roots: [Root] = []
  /// The carriage returns that a program put before line feeds, and that were taken out first; nil for none.
  public var textUndo: CarriageReturns?
  /// What is wrong with the file header.
  public var headerProblems: [String] = []
  /// Byte offset of the root that the header refers to, if the file is truncated before it.
  public var cutOffRoot: Int?
  /// Flipped bits of names, refs and node headers that were corrected.
  public var correctedBits: [Bit] = []
  /// Whether the newest version is lost and an older one was read.
  public var isNewestLost = false
  /// Whether it is unknown which version is the newest, so that the newest one found was read.
  public var isNewestUnknown = false
  /// Names of classes and internal tables whose top array is lost, and whose objects were found
  /// through an older one. They are likely, not certain, to be those of the newest version.
  public var olderTables: [String] = []
  /// Names of classes and internal tables of formats 2 to 9 of which the name, the top array, the schema or the list of columns
  /// is lost, and was found without a ref to it.
  public var foundTables: [String] = []
  /// Whether the list of class names is lost.
  public var areNamesLost = false
  /// Numbers of the older versions that were read, the newest first.
  public var olderVersions: [Int] = []
  public var classes: [Class] = []
  public var lostSchema: [LostSchema] = []
  /// Names that are invalid in a realm, and what replaced them.
  public var renamed: [(old: String, new: String)] = []
  /// Links that are null because the object that they referred to is lost.
  public var nulledLinks = 0
  /// Ranges of bytes that cannot be read or are not trusted.
  public var unreadable: [Range<Int>] = []
  /// Numbers of objects that cannot be right, so that the number of lost objects is unknown.
  public var wrongCounts: [WrongCount] = []
  /// Rules that the version breaks although each of its nodes can be read: some values are not those that the app stored.
  /// The first ones, as `verify` reports them.
  public var contradictions: [Finding] = []
  /// Number of all broken rules of this kind.
  public var contradictionCount = 0
  public var losses: [Loss] = []
  /// Number of losses that are not in `losses`.
  public var furtherLosses = 0
  /// Objects found without the nodes that refer to them.
  public var foundObjects = 0
  /// Whether the realm had the history of a sync client, with changes that may not have been
  /// uploaded. The result is a local realm.
  public var wasSynced = false
  /// Bytes of the result.
  public var byteCount = 0

  /// Whether everything that the realm had is certain to be in the result.
  public var isComplete: Bool {
    classes.allSatisfy(\.isComplete) && lostSchema.isEmpty && losses.isEmpty
      && furtherLosses == 0 && nulledLinks == 0 && !isNewestLost && !isNewestUnknown
      && renamed.isEmpty && cutOffRoot == nil && !areNamesLost && !isRebuilt && olderTables.isEmpty
      && foundTables.isEmpty && correctedBits.isEmpty && textUndo?.undecided ?? 0 == 0
      && wrongCounts.isEmpty
      && contradictionCount == 0
  }

  /// Whether the root or the list of tables is lost, and the result was made from the newest tables
  /// found. They are likely, not certain, to be those of the newest version.
  public var isRebuilt: Bool { roots.contains { $0.isChosen && $0.origin == .rebuilt } }

  /// Number of objects in the result.
  public var objectCount: Int { classes.reduce(0) { $0 + $1.objects } }
}
