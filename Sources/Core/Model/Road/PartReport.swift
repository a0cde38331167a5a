package import RealmStorage

/// What reading a part yields besides its objects.
public struct PartReport: Sendable {
  /// Objects that were read.
  public var objectCount = 0
  /// The number of members of sets that were left out because they equal another member. Sets of old formats and sets
  /// with NaN have such members.
  public var duplicateMembers = 0
  /// What could not be read and was left out, if the request allows that.
  package var losses = Findings(limit: 0)
  /// The lost objects and values.
  package var lost: [LostValues] = []
  /// Numbers of objects that lack a value, of values that are lost or incomplete, and of links whose target is lost,
  /// as `SalvageSource` counts them.
  package var (partialObjects, lostValues, lostLinks) = (0, 0, 0)
  /// Numbers of values and of lost objects that come from older versions.
  package var (filledValues, filledObjects) = (0, 0)
  /// Numbers of values and of objects that are kept although bytes near them are damaged.
  package var (doubtfulValues, doubtfulObjects) = (0, 0)
  /// Number of objects in freed space, and how many of them lack a value.
  package var (freedObjects, freedPartial) = (0, 0)
  /// Bytes of the nodes that were opened as parts of the tree.
  package var openedByteCount = 0
  /// The embedded objects that were read, each with its owner.
  package var claims = EmbeddedClaims()

  public init(objectCount: Int = 0) { self.objectCount = objectCount }
}

/// Objects or values that could not be read, all for the same reason.
package struct LostValues: Sendable {
  /// How much is lost.
  package enum Extent: Sendable {
    /// Objects. Their number is unknown if their cluster cannot be read.
    case objects
    /// Values of a property.
    case values
    /// Parts of a property's values: elements of a collection, or properties of embedded objects.
    case parts
  }

  package let extent: Extent
  package let className: String?
  package let property: String?
  /// The objects that the values belong to, or the lost objects that are known.
  package let keys: [ObjectKey]
  package let rule: Rule
  /// Byte offset of what could not be read.
  package let offset: Int
  /// What was found and what was expected.
  package let message: String
  /// Where the result has the values or objects from.
  package enum Origin: Hashable, Comparable, Sendable {
    /// The result lacks them.
    case lost
    /// An older version, with its number.
    case version(Int)
    /// The same version, although bytes near them are damaged.
    case doubtful
  }

  package private(set) var origin = Origin.lost

  init(_ finding: Finding, keys: [ObjectKey]) {
    self.init(
      finding.property == nil ? .objects : .values, finding.className, finding.property, keys,
      finding.rule, at: finding.offset, finding.message)
  }

  package init(
    _ extent: Extent, _ className: String?, _ property: String?, _ keys: [ObjectKey], _ rule: Rule,
    at offset: Int, _ message: String
  ) {
    (self.extent, self.className, self.property) = (extent, className, property)
    (self.keys, self.rule, self.offset, self.message) = (keys, rule, offset, message)
  }

  /// The same loss for some of the objects.
  package func with(_ keys: [ObjectKey], from origin: Origin) -> LostValues {
    var loss = LostValues(extent, className, property, keys, rule, at: offset, message)
    loss.origin = origin
    return loss
  }

  /// The same loss as a part of values of another class.
  func incomplete(
    _ className: String?, _ property: String?, _ keys: [ObjectKey]
  ) -> LostValues {
    LostValues(.parts, className, property, keys, rule, at: offset, message)
  }
}
