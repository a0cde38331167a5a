/// What a cursor gives of each object, and what it does about old formats and damage.
public struct ObjectRequest: Sendable {
  /// How a link names its target.
  public enum Links: Sendable {
    /// By object key; those of a column with links to tombstones by primary key, too.
    case keys
    /// By primary key; by object key where the class of the target has none.
    case identities
  }

  /// Where embedded objects are.
  public enum Embedded: Sendable {
    /// In the object that owns them.
    case nested
    /// Each class of them is one of the classes, and links to them are links like others.
    case asClass
  }

  /// How sets, dictionaries and asymmetric objects of formats before 24 are given.
  public enum Normalization: Sendable {
    /// As they are stored.
    case stored
    /// As format 24 stores them: sets and dictionaries in its order, members of sets once.
    case format24
    /// As the reference shows them after its own upgrade (chapter 3, section 10.2): sets of strings,
    /// binaries and mixed values in the order of format 24, duplicates kept, and no asymmetric objects of
    /// formats before 23.
    case referenceUpgrade
  }

  /// What to do about bytes that cannot be read.
  public enum Damage: Sendable {
    /// The cursor throws.
    case stop
    /// What cannot be read is null or left out, as little as can be, and the source tells it
    /// (``RealmSource/losses``): an object whose cluster cannot be opened, an element of a collection, a
    /// value of a property, required or not. An object whose primary key cannot be read has null there.
    case leaveOut
  }

  /// Positions of the properties that are given, by position of their class; all for a class that is
  /// not here.
  public var properties: [Int: Set<Int>] = [:]
  public var links = Links.identities
  public var embedded = Embedded.nested
  public var normalization = Normalization.format24
  public var damage = Damage.stop
  /// Losses that are told one by one; the others are counted.
  public var lossLimit = 1000

  public init() {}
}
