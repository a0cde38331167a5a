package import RealmModel
package import RealmStorage

/// What a patch needs to know beyond the events.
extension RealmDiff {
  /// The changes of the compared classes, and of the embedded classes inside them, from the old to the new schema.
  package var layoutChanges: [SchemaChange] {
    let (old, new) = objectSchemas
    let names = [old, new].map { schema in
      schema.namesWithEmbedded(
        schema.topLevelClasses.filter { isWanted(schema.classes[$0].name) })
    }
    return SchemaComparison(from: old, to: new).changes.filter { change in
      (isWanted(change.className) || names.contains { $0.contains(change.className) })
        && !(change.property.map { isIgnored($0, change.className) } ?? false)
    }
  }

  /// The new schema without the properties that are not compared. Primary keys stay.
  package var comparedSchema: ObjectSchema {
    let schema = objectSchemas.new
    let classes = schema.classes.map { objectClass in
      let kept = objectClass.properties.indices.filter {
        $0 == objectClass.primaryKey
          || !isIgnored(objectClass.properties[$0].name, objectClass.name)
      }
      return ObjectClass(
        name: objectClass.name, isInternal: objectClass.isInternal, kind: objectClass.kind,
        properties: kept.map { objectClass.properties[$0] },
        primaryKey: objectClass.primaryKey.flatMap { kept.firstIndex(of: $0) })
    }
    return ObjectSchema(classes: classes, appClasses: schema.appClasses)
  }

  /// The schema versions of both realms; nil if the app set none.
  ///
  /// - Throws: `damaged`.
  package func schemaVersions() throws(RealmFileError) -> (old: UInt64?, new: UInt64?) {
    (try old.schemaVersion(), try new.schemaVersion())
  }

  /// A value of the old realm with its embedded objects as objects of the new schema, which must have all their
  /// properties. Properties that only the new schema has get their default values.
  ///
  /// - Throws: the errors of ``BatchColumn/value(at:)``.
  package func inNewSchema(
    _ value: RealmValue, of property: Property
  ) throws(RealmFileError) -> RealmValue {
    guard let old = property.target, schemas.old.classes[old].kind == .embedded,
      let new = schemas.commonPositions.firstIndex(of: old)
    else { return value }
    return try adapted(value, old, new)
  }

  private func adapted(
    _ value: RealmValue, _ old: Int, _ new: Int
  ) throws(RealmFileError) -> RealmValue {
    switch value {
    case .object(let values):
      var result: [RealmValue] = []
      let pairs = schemas.properties(old, new) ?? []
      for (position, property) in schemas.new.classes[new].properties.enumerated() {
        if let before = pairs.first(where: { $0.new == position })?.old {
          result.append(
            try inNewSchema(values[before], of: schemas.old.classes[old].properties[before]))
        } else {
          let values = property.defaultValues(count: 1)
          result.append(try BatchColumn(values).value(at: 0))
        }
      }
      return .object(result)
    case .list(let elements):
      var result: [RealmValue] = []
      for element in elements { result.append(try adapted(element, old, new)) }
      return .list(result)
    case .dictionary(let entries):
      var result: [RealmEntry] = []
      for entry in entries {
        result.append(RealmEntry(key: entry.key, value: try adapted(entry.value, old, new)))
      }
      return .dictionary(result)
    default: return value
    }
  }
}

extension ObjectSchema {
  /// The names of classes, and of the embedded classes whose objects they own, at any depth.
  ///
  /// - Parameter positions: the positions of the classes.
  package func namesWithEmbedded(_ positions: [Int]) -> Set<Name> {
    var waiting = positions
    var found = Set(positions)
    while let position = waiting.popLast() {
      for target in classes[position].properties.compactMap(\.target)
      where classes[target].kind == .embedded && found.insert(target).inserted {
        waiting.append(target)
      }
    }
    return Set(found.map { classes[$0].name })
  }
}
