package import RealmBuilding
import RealmModel
import RealmStorage

/// Converts errors of builders and merges to errors about the input, with their places.
extension TextSource {
  /// The errors about the input, with their places if possible: the first one, with the rest in
  /// ``ImportError/others``. For equal primary keys and missing link targets, all objects with them are
  /// found, up to the limit of errors.
  ///
  /// - Returns: the error of reading the input again, if that fails.
  package func explain(_ error: BuildError) -> ImportError {
    if case .file(let error) = error.kind { return ImportError(.file(error)) }
    if case .unsupported = error.kind {
      // The objects are named by key: there can be many, and they can be anywhere in the input.
      var single = ImportError(.build(error))
      single.others = error.others.map { ImportError(.build($0)) }
      return single
    }
    let single = unplaced(error)
    if case .schema = error.kind {
      var single = single
      single.path = schemaPath ?? single.path
      return single
    }
    var refused = RefusedObjects(self)
    for error in [error] + error.others { add(error, to: &refused) }
    return first(of: &refused, instead: single)
  }

  /// Like ``explain(_:)``, for the errors of a merge.
  ///
  /// - Parameter path: path of the realm that receives the objects.
  package func explain(_ error: MergeError, path: String) -> ImportError {
    if case .file(let error) = error.kind { return ImportError(.file(error.adding(path: path))) }
    var refused = RefusedObjects(self)
    for error in [error] + error.others {
      guard let position = error.classPosition, let key = error.addedKey else { continue }
      refused.add(
        unplaced(error), of: position, number: error.addedNumber(in: schema.classes[position]),
        key: key)
    }
    return first(of: &refused, instead: unplaced(error))
  }

  /// The first of the errors, with the others.
  ///
  /// - Parameter single: returned if none is found.
  private func first(
    of refused: inout RefusedObjects, instead single: ImportError
  ) -> ImportError {
    do throws(ImportError) {
      let errors = try refused.find(limit: context.options.errorLimit)
      guard var first = errors.first else {
        var single = single
        single.path = inputs.count == 1 ? inputs[0].file.path : ""
        return single
      }
      first.others = Array(errors.dropFirst())
      return first
    } catch {
      return error
    }
  }

  private func add(_ error: BuildError, to refused: inout RefusedObjects) {
    switch error.kind {
    case .duplicatePrimaryKey(let value, _):
      if let position = position(of: error.className) {
        refused.add(duplicate: value, of: position)
      }
    case .missingTarget(let target, let primaryKey):
      if let position = position(of: target) {
        refused.add(missing: RealmLink(classPosition: position, primaryKey: primaryKey))
      }
    case .missingTargetKey(let target, let key):
      if let position = position(of: target) {
        refused.add(missing: RealmLink(classPosition: position, key: ObjectKey(key)))
      }
    case .keyOrder, .someKeys:
      if let position = position(of: error.className) { refused.add(badKeyOf: position) }
    default:
      guard let position = position(of: error.className), let key = error.objectKey else { return }
      refused.add(unplaced(error), of: position, number: nil, key: ObjectKey(key))
    }
  }

  private func position(of className: String?) -> Int? {
    schema.appClasses.first { schema.classes[$0].name.text == className }
  }

  private func unplaced(_ error: BuildError) -> ImportError {
    let kind: ImportError.Kind =
      switch error.kind {
      case .duplicatePrimaryKey(let value, _):
        .duplicatePrimaryKey(value: value.quoted, otherLine: nil)
      case .missingTarget(let target, let primaryKey):
        .missingTarget(className: target, identity: primaryKey.quoted)
      case .missingTargetKey(let target, let key):
        .missingTarget(className: target, identity: "with the key \(key)")
      default: .build(BuildError(error.kind))
      }
    return ImportError(kind, className: error.className, property: error.property)
  }

  private func unplaced(_ error: MergeError) -> ImportError {
    let objectClass = error.classPosition.map { schema.classes[$0] }
    let kind: ImportError.Kind =
      switch error.kind {
      case .file(let error): .file(error)
      case .exists(let identity): .exists(identity: identity.quoted)
      case .missingProperty: .missingProperty
      case .tooMany: .build(BuildError(.tooMany("the class has no keys left for more objects")))
      }
    return ImportError(
      kind, className: objectClass?.name.text,
      property: error.property.flatMap { objectClass?.properties[$0].name.text })
  }
}
