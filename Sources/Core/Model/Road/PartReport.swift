package import RealmStorage

/// Objects or values that could not be read, for one reason.
package struct LostValues: Sendable {
  /// What is lost.
  package enum Extent: Sendable {
    /// Objects, whose number is not known if their cluster cannot be read.
    case objects
    /// Values of a property.
    case values
    /// Parts of values of a property: elements of a collection, or properties of embedded objects.
    case parts
  }

  package let extent: Extent
  package let className: String?
  package let property: String?
  /// The objects that the values belong to; for lost objects, those that are known.
  package let keys: [ObjectKey]
  package let rule: Rule
  /// Byte offset of what could not be read.
  package let offset: Int
  /// What was found and what was expected.
  package let message: String
  /// Number of the older version that has the values, or the objects, that are in the result instead.
  package var filledFrom: Int?

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

  /// The loss of some of the objects.
  package func with(_ keys: [ObjectKey], filledFrom version: Int?) -> LostValues {
    var loss = LostValues(extent, className, property, keys, rule, at: offset, message)
    loss.filledFrom = version
    return loss
  }

  /// The same loss inside of values of another class.
  func incomplete(
    _ className: String?, _ property: String?, _ keys: [ObjectKey]
  ) -> LostValues {
    LostValues(.parts, className, property, keys, rule, at: offset, message)
  }
}
