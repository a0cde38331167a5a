import RealmModel

extension ObjectSchema {
  /// The classes of objects that are to be added to a realm: values may be missing, indexes but those of primary keys
  /// are of no use, and the last property of each class has the ``AddedMark``.
  var staged: ObjectSchema {
    ObjectSchema(classes: classes.map(\.staged), appClasses: appClasses)
  }
}

extension ObjectClass {
  fileprivate var staged: ObjectClass {
    let isEmbedded = kind == .embedded
    var staged = properties.enumerated().map { (i, property) in
      Property(
        name: property.name, type: property.type,
        isOptional: property.isOptional
          || !isEmbedded && property.collection == nil && i != primaryKey,
        collection: property.collection, target: property.target, index: nil,
        hasIntegerKeys: property.hasIntegerKeys)
    }
    if !isEmbedded {
      staged.append(Property(name: freeName, type: .binary, isOptional: true))
    }
    return ObjectClass(
      name: name, isInternal: isInternal, kind: kind, properties: staged, primaryKey: primaryKey)
  }

  /// A name that no property has.
  private var freeName: Name {
    var name = Name("mark")
    while properties.contains(where: { $0.name == name }) { name = Name(name.text + "_") }
    return name
  }
}
