package import RealmBuilding
import RealmModel
import RealmStorage

/// Takes what the builder of a new realm refuses for lost.
package enum SalvageRefusal {
  /// - Returns: false if the error is not about a value of an object.
  package static func note(
    _ error: BuildError, _ salvaged: SalvagedRealm, _ keys: inout SalvageKeys,
    _ refused: inout [SalvageSource.RefusedValue]
  ) -> Bool {
    guard let name = error.className, let key = error.objectKey else { return false }
    if case .duplicatePrimaryKey(_, let other) = error.kind {
      let schema = salvaged.realm.schema.objects
      guard let position = schema.classes.firstIndex(where: { $0.name.text == name }) else {
        return false
      }
      keys.add([ObjectKey(key), ObjectKey(other)], ofClass: position)
      return true
    }
    guard let property = error.property else { return false }
    let value = SalvageSource.RefusedValue(
      className: name, property: property, key: ObjectKey(key), rule(brokenBy: error.kind))
    guard !refused.contains(value) else { return false }
    refused.append(value)
    return true
  }

  private static func rule(brokenBy kind: BuildError.Kind) -> Rule {
    switch kind {
    case .duplicateEntry: .dictionaryUniqueKeys
    case .missingTarget, .missingTargetKey: .linkDangling
    case .embeddedOwners: .linkEmbeddedShared
    case .impossibleDate: .leafTimestamp
    case .nullInRequired: .leafNull
    case .tooLong, .wordTooLong: .leafBlob
    case .file, .schema, .wrongType, .keyOrder, .illegalKey, .duplicatePrimaryKey, .tooMany:
      .leafKind
    }
  }
}
