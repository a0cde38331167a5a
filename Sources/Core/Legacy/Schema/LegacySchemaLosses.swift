package import RealmStorage

/// A part of the schema of a damaged realm that cannot be read.
package struct LegacySchemaLoss: Sendable {
  package let className: String
  /// Nil for a whole class.
  package let property: String?
  package let error: RealmFileError
  /// Whether only the name is lost, or that the property is the primary key.
  package let isInSchema: Bool
}

/// Collects what the schema of a damaged realm lacks.
struct LegacySchemaLosses {
  private(set) var all: [LegacySchemaLoss] = []
  /// Whether the names of all tables are lost.
  var areTableNamesLost = false

  mutating func add(
    _ error: RealmFileError, _ className: String, property: String? = nil, isInSchema: Bool = false
  ) {
    all.append(
      LegacySchemaLoss(
        className: className, property: property, error: error, isInSchema: isInSchema))
  }
}
