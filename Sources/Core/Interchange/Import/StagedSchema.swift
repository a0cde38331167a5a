import RealmModel

extension ObjectSchema {
  /// The classes of objects that will be added to a realm. Single values may be missing, except primary
  /// keys and the values of embedded objects. No property has an index, and the last property of each class
  /// that is not embedded stores the ``AddedMark``.
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

  /// A name that no property of the class has.
  private var freeName: Name {
    var name = Name("mark")
    while properties.contains(where: { $0.name == name }) { name = Name(name.text + "_") }
    return name
  }
}
