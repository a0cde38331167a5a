public import RealmModel

/// Why a realm is as big as it is.
public struct StatsReport: Sendable {
  /// The purpose of a range of bytes. Every byte of the file is counted once.
  public enum Use: String, CaseIterable, Sendable {
    /// Values of properties, apart from the following.
    case values
    /// Strings and binaries that have nodes of their own.
    case longValues
    /// Elements of lists, sets and dictionaries.
    case collections
    case indexes
    case backlinks
    /// Clusters, and the keys of objects.
    case tree
    /// Tombstones: the remains of deleted objects that links still refer to.
    case tombstones
    /// Tables, classes and properties; the top array.
    case schema
    case history
    case freeLists
    /// The file header, and the footer of the streaming form.
    case header
    /// Free space that the next commit can use.
    case reusable
    /// Space that the last commit freed. The version before it, which the header still names, has its
    /// nodes there.
    case previousVersion
    /// Space freed by earlier commits that could not be used again, because an older version was open.
    case olderVersions
    /// Space that belongs neither to a node nor to a free chunk.
    case lost
    /// Space after the logical end of the realm.
    case behindEnd
    /// Pages with the checksums and initialization vectors of an encrypted file.
    case encryption
  }

  /// The bytes of one use.
  public struct Part: Equatable, Sendable {
    public var use: Use
    public var byteCount: Int
    /// 0 for a use without nodes.
    public var nodeCount: Int
    /// Number of values of ``Use/longValues``; 0 for other uses.
    public var valueCount: Int
  }

  /// A property of a class.
  public struct PropertySize: Sendable {
    public var property: Property
    /// The type in the notation of schemas: `string?`, `Dog[]`.
    public var type: String
    public var parts: [Part]
    /// Objects with a value or null; nil if the objects were not counted.
    public var count: Count?

    public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    func byteCount(of use: Use) -> Int { parts.first { $0.use == use }?.byteCount ?? 0 }
  }

  /// The values of a property.
  public struct Count: Equatable, Sendable {
    public var objects: Int
    public var nulls: Int
    /// Elements of collections.
    public var elements: Int
    /// Number of distinct values; nil for collections, links, embedded objects and mixed values.
    public var distinct: Int?
    /// False if `distinct` is an estimate, with a standard error of 1.6 %.
    public var isDistinctExact: Bool
    /// Bytes of the values without overhead.
    public var valueByteCount: Int
  }

  /// A class, or a table that Realm uses internally.
  public struct ClassSize: Sendable {
    public var objectClass: ObjectClass
    public var objectCount: Int
    public var properties: [PropertySize]
    /// Bytes that belong to no single property.
    public var parts: [Part]

    public var byteCount: Int {
      parts.reduce(0) { $0 + $1.byteCount } + properties.reduce(0) { $0 + $1.byteCount }
    }
  }

  /// One of the largest objects, values or collections.
  public struct Large: Sendable {
    public var className: String
    /// Nil for a whole object.
    public var property: String?
    /// Null if the class has no primary key.
    public var primaryKey: RealmValue
    public var objectKey: Int64
    /// Bytes of an object or value; elements of a collection.
    public var size: Int
  }

  public var path: String
  public var fileFormat: Int
  public var isEncrypted: Bool
  public var version: Int
  /// Bytes on disk: the sum of ``parts``.
  public var fileByteCount: Int
  /// One for each use that takes bytes, in the order of ``Use``.
  public var parts: [Part]
  /// In the order of the tables, internal ones last.
  public var classes: [ClassSize]
  /// The largest first; at most as many of each kind as requested.
  public var largestObjects: [Large]
  public var largestValues: [Large]
  public var largestCollections: [Large]
  /// The size of the file after `compact`.
  public var compactedByteCount: Int
  /// The reasons why the file is larger than it needs to be, the most serious first.
  public var concerns: [StatsConcern]

  /// The bytes of a use.
  public func byteCount(of use: Use) -> Int { parts.first { $0.use == use }?.byteCount ?? 0 }
}
