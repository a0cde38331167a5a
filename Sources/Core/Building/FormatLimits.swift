import RealmModel
import RealmStorage

extension FileFormat {
  /// Checks that the format can hold the classes, properties and indexes of a schema.
  ///
  /// - Parameter classes: positions of the classes to check.
  /// - Throws: `unsupported` with all places.
  func check(_ schema: ObjectSchema, classes: [Int]) throws(BuildError) {
    var errors: [BuildError] = []
    for objectClass in classes.map({ schema.classes[$0] }) {
      if let missing = missing(for: objectClass.kind) {
        errors.append(
          BuildError(.unsupported(missing, format: number), className: objectClass.name.text))
      }
      for property in objectClass.properties {
        guard let missing = missing(for: property) else { continue }
        errors.append(
          BuildError(
            .unsupported(missing, format: number), className: objectClass.name.text,
            property: property.name.text))
      }
    }
    guard let first = errors.first else { return }
    throw first.adding(others: errors.dropFirst())
  }
}
