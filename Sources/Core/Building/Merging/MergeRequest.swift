package import RealmModel
package import RealmStorage

/// How to add objects to a realm.
package struct MergeRequest: Sendable {
  /// What to do with an added object that the realm already has.
  package enum Mode: Sendable {
    /// The merge fails.
    case insert
    /// The added values replace those of the existing object. Properties without an added value stay.
    case upsert
    /// Like `upsert`; properties of a new object without an added value get default values.
    case amend
    /// The added object replaces the existing one. Properties without an added value get default values.
    case replace

    /// Whether an existing object keeps its values of properties without an added value.
    var keepsValues: Bool { self == .upsert || self == .amend }
  }

  /// The added objects of a class that are not added as they are, by their keys in the added realm.
  package struct Exceptions: Sendable {
    /// The objects that are not added.
    package var leftOut = Set<ObjectKey>()
    /// Those of ``leftOut`` that the existing realm does not have either. Links to them are links to missing objects.
    package var missing = Set<ObjectKey>()
    /// The properties whose added values do not count.
    package var withoutValues: [ObjectKey: AddedMark] = [:]
    /// The objects, of a class without a primary key, that get another key because another object has theirs.
    package var moved = Set<ObjectKey>()

    package init() {}
  }

  package var mode = Mode.insert
  /// The exceptions, by position of the class.
  package var exceptions: [Int: Exceptions] = [:]
  /// Whether links to missing objects become null, and disappear from lists and sets. If false, the builder
  /// refuses them.
  package var dropsMissingTargets = false
  /// The most added objects to report together because the realm already has them, in ``MergeError/others``.
  package var errorLimit = 1
  /// The most bytes of memory for sorting primary keys.
  package var memoryByteCount = MemoryBudget.usualLimit

  package init() {}
}

/// The realms to merge.
package struct MergeInput: Sendable {
  /// The realm that receives the objects; nil for a new realm.
  let existing: Realm?
  /// The realm with the objects to add.
  let added: Realm
  /// Names of the classes whose added objects had object keys in their source.
  let classesWithKeys: Set<Name>
  /// The schema of the result. The classes of `existing` have the same positions in it.
  let schema: ObjectSchema
  /// The file format of the result.
  let format: FileFormat
  /// The tables of the added realm, by position of the class in the result; nil for a class without one.
  package let addedTables: [Table?]
  /// The positions of the classes in the result, by position in the added realm.
  package let positions: [Int]

  /// - Parameter schema: the schema of the result if there is no existing realm.
  package init(
    existing: Realm?, added: Realm, classesWithKeys: Set<Name>, schema: ObjectSchema,
    format: FileFormat
  ) {
    (self.existing, self.added, self.format) = (existing, added, format)
    self.classesWithKeys = classesWithKeys
    let schema = existing?.schema.objects ?? schema
    self.schema = schema
    let byName = Dictionary(
      schema.appClasses.map { (schema.classes[$0].name, $0) }, uniquingKeysWith: { a, _ in a })
    var tables: [Table?] = Array(repeating: nil, count: schema.classes.count)
    var positions: [Int] = []
    for table in added.schema.tables {
      let position = table.isClass ? byName[table.className] : nil
      if let position { tables[position] = table }
      // No link refers to the other tables.
      positions.append(position ?? 0)
    }
    (addedTables, self.positions) = (tables, positions)
  }
}
