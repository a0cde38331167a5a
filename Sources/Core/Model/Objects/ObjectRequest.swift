/// What a cursor reads of each object, and how it treats old formats and damage.
public struct ObjectRequest: Sendable {
  /// How a link identifies its target.
  public enum Links: Sendable {
    /// By object key. A column with links to tombstones also has primary keys.
    case keys
    /// By primary key, or by object key if the target class has no primary key.
    case identities
  }

  /// Where embedded objects appear.
  public enum Embedded: Sendable {
    /// Inside the object that owns them.
    case nested
    /// As objects of their own class. Links to them are ordinary links.
    case asClass
  }

  /// How sets, dictionaries and asymmetric objects of formats before 24 appear.
  public enum Normalization: Sendable {
    /// As they are stored.
    case stored
    /// As format 24 stores them: sets and dictionaries in its order, sets without duplicates.
    case format24
    /// As the reference shows them after its upgrade (chapter 3, section 10.2). Sets of strings, binaries and mixed
    /// values have the order of format 24, but keep duplicates. Objects of asymmetric classes of formats before 23
    /// are gone.
    case referenceUpgrade
  }

  /// How bytes that cannot be read are treated.
  public enum Damage: Sendable {
    /// The cursor throws the error.
    case stop
    /// The cursor leaves out as little as possible, and the source reports each loss (``RealmSource/losses``).
    /// Objects in unreadable clusters and unreadable elements of collections are left out. Unreadable values of
    /// properties are null, even those of required properties and of the primary key.
    case leaveOut
  }

  /// Positions of the requested properties, by position of their class. All properties of a class without an entry
  /// are read.
  public var properties: [Int: Set<Int>] = [:]
  public var links = Links.identities
  public var embedded = Embedded.nested
  public var normalization = Normalization.format24
  public var damage = Damage.stop
  /// Maximum number of losses that are reported one by one. Further losses are only counted.
  public var lossLimit = 1000
  /// Whether the nodes of the realm are known to form a tree, so that reading it ends. Damaged parts may then be read
  /// more than once.
  package var isProvenTree = false

  public init() {}
}
