import RealmBuilding
import RealmModel
import RealmStorage

/// The objects of one side of a patch, in a realm in an unlinked file, read as objects of the realm that receives the
/// changes. Used by one thread.
final class PatchSide {
  /// Objects with the class positions of the receiving realm.
  struct Objects {
    /// The keys in the realm of the side.
    let keys: [ObjectKey]
    let batch: ObjectBatch
    let marks: [AddedMark?]

    /// Whether the patch gives the object in `row` a value for a property.
    func hasValue(_ property: Int, _ row: Int) -> Bool {
      marks[row]?.contains(property) != true
    }
  }

  let staged: StagedObjects
  private let realm: Realm
  private let schema: ObjectSchema
  private let input: MergeInput
  private let fetcher: ObjectFetcher
  private let settler: LinkSettler

  init(_ staged: StagedObjects, into realm: Realm) throws(RealmFileError) {
    (self.staged, self.realm, schema) = (staged, realm, realm.schema.objects)
    input = MergeInput(
      existing: realm, added: staged.realm, classesWithKeys: staged.classesWithKeys,
      schema: realm.schema.objects, format: realm.snapshot.fileFormat)
    fetcher = try ObjectFetcher(staged.realm)
    settler = LinkSettler(positions: input.positions, asksAboutKeys: false) {
      [schema] (target, key) throws(RealmFileError) in
      PatchSide.isUnresolved(key, schema.classes[target]) ? .unresolved : .expected
    }
  }

  /// Whether the patch marks links to this key as unresolved.
  private static func isUnresolved(_ key: ObjectKey, _ target: ObjectClass) -> Bool {
    key.isUnresolved && !(target.primaryKey != nil && key.isExpected)
  }

  /// The objects of a class, for joining them with others; nil if the side has none.
  func join(_ position: Int) -> ObjectJoin.Side? {
    input.addedTables[position].map { ObjectJoin.Side(staged.realm, $0) }
  }

  /// The keys of the objects of a class.
  func keys(_ position: Int) throws(RealmFileError) -> [ObjectKey] {
    try input.addedTables[position].map { (table) throws(RealmFileError) in
      try staged.realm.objectKeys(of: table)
    } ?? []
  }

  /// The first of the objects with `keys`, as many as fit into a batch.
  func fetch(_ keys: [ObjectKey], _ position: Int) throws(RealmFileError) -> Objects? {
    guard !keys.isEmpty, let table = input.addedTables[position] else { return nil }
    let batch = try fetcher.fetch(keys, of: table)
    return Objects(
      keys: batch.keys, batch: try settler.settle(batch), marks: AddedMark.marks(of: batch))
  }

  /// The settler that drops the links to objects that neither the realm nor this side has; nil if there are surely no
  /// such links.
  ///
  /// - Parameters:
  ///   - deleted: objects of the realm that do not count, by position of the class.
  ///   - leftOut: objects of the side that do not count, by position of the class.
  func settlerWithoutMissing(
    _ deleted: [Int: KeyList], _ leftOut: [Int: Set<ObjectKey>], _ request: MergeRequest
  ) throws(RealmFileError) -> LinkSettler? {
    let missing = try input.missingTargets(request, without: deleted)
    let hasKeys = schema.topLevelClasses.contains { schema.classes[$0].primaryKey == nil }
    guard hasKeys || !leftOut.isEmpty || missing.contains(where: { !$0.value.isEmpty }) else {
      return nil
    }
    let (own, existing) = (try RealmReader(staged.realm), try RealmReader(realm))
    return LinkSettler(
      positions: input.positions, asksAboutKeys: true, asksAboutAll: !leftOut.isEmpty
    ) {
      [input, realm, schema] (target, key) throws(RealmFileError) in
      if leftOut[target]?.contains(key) == true { return .dropped }
      if PatchSide.isUnresolved(key, schema.classes[target]) { return .unresolved }
      guard schema.classes[target].primaryKey == nil else {
        return missing[target]?.contains(key) == true ? .dropped : .expected
      }
      if let table = input.addedTables[target], try own.find(key, in: table) != nil {
        return .expected
      }
      let isThere = try existing.find(key, in: realm.schema.tables[target]) != nil
      return isThere && deleted[target]?.contains(key) != true ? .expected : .dropped
    }
  }

  /// The objects with `keys`, as many as `objects` has, without links to missing objects.
  func fetch(
    _ objects: Objects, _ position: Int, _ settler: LinkSettler
  ) throws(RealmFileError) -> ObjectBatch {
    guard let table = input.addedTables[position] else { return objects.batch }
    return try settler.settle(try fetcher.fetch(objects.keys, of: table))
  }
}
