/// What a cursor returns of each object, and how it treats old formats and damage.
public struct ObjectRequest: Sendable {
  /// How a link names its target.
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
    /// As objects of a class of their own; links to them are ordinary links.
    case asClass
  }

  /// How sets, dictionaries and asymmetric objects of formats before 24 are returned.
  public enum Normalization: Sendable {
    /// As they are stored.
    case stored
    /// As format 24 stores them: sets and dictionaries in its order, each member of a set once.
    case format24
    /// As the reference shows them after its own upgrade (chapter 3, section 10.2): sets of strings,
    /// binaries and mixed values have the order of format 24 and keep duplicates. The objects of
    /// asymmetric classes of formats before 23 are gone.
    case referenceUpgrade
  }

  /// What to do about bytes that cannot be read.
  public enum Damage: Sendable {
    /// The cursor throws the error.
    case stop
    /// The cursor leaves out as little as possible, and the source reports each loss
    /// (``RealmSource/losses``). It leaves out an object in an unreadable cluster and an unreadable
    /// element of a collection. An unreadable value of a property is null, even if the property is
    /// required or the primary key.
    case leaveOut
  }

  /// Positions of the requested properties, by position of their class. A class without an entry returns
  /// all properties.
  public var properties: [Int: Set<Int>] = [:]
  public var links = Links.identities
  public var embedded = Embedded.nested
  public var normalization = Normalization.format24
  public var damage = Damage.stop
  /// The most losses that are reported one by one; further losses are only counted.
  public var lossLimit = 1000
  /// Whether no node of the realm is reached twice, so that reading it ends. What is damaged may then be read
  /// more than once.
  package var isProvenTree = false

  public init() {}
}
