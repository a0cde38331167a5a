import RealmBuilding
import RealmCompare
import RealmInterchange
import RealmModel
import RealmStorage

/// Compares a patch with a realm: which of its changes are to be made, which were made already, and which conflict with
/// other changes.
///
/// Memory: about 100 bytes per object of the patch, and the conflicts as text.
struct PatchComparison {
  /// Numbers of objects of a class.
  struct Counts {
    var (added, removed, changed) = (0, 0, 0)
    /// Objects that are as the patch makes them already.
    var equal = 0
    /// Changed objects that the realm does not have.
    var skipped = 0
  }

  private let realm: Realm
  private let old: PatchSide
  private let new: PatchSide
  private let resolution: PatchResolution
  private let merge: MergeRequest
  /// Positions of the properties that the patch covers, without the primary key, by position of the class.
  private let properties: [Int: [Int]]
  private let fetcher: ObjectFetcher
  private let equality: BatchEquality
  private let context: RealmJSONValueText.Context
  /// Drops the links of new values to missing objects.
  private var withoutMissing: LinkSettler?

  private(set) var counts: [Int: Counts] = [:]
  private(set) var conflicts: [PatchConflict] = []
  /// What the merge does not take from the new side.
  private(set) var exceptions: [Int: MergeRequest.Exceptions] = [:]
  /// The keys of the objects to delete, by position of the class.
  private var removed: [Int: [ObjectKey]] = [:]

  /// The objects to delete, by position of the class.
  var deleted: [Int: KeyList] { removed.mapValues { KeyList($0) } }

  /// - Parameter properties: positions of the properties that the patch covers, by position of the class.
  init(
    _ realm: Realm, old: PatchSide, new: PatchSide, _ properties: [Int: [Int]],
    _ resolution: PatchResolution, _ merge: MergeRequest
  ) throws(RealmFileError) {
    (self.realm, self.old, self.new, self.resolution) = (realm, old, new, resolution)
    (self.properties, self.merge) = (properties, merge)
    fetcher = try ObjectFetcher(realm)
    let schema = realm.schema.objects
    equality = BatchEquality(schema)
    context = RealmJSONValueText.Context(schema: schema, classNames: schema.classes.map(\.name))
  }

  /// An object, by its keys in the realm and on both sides of the patch.
  private struct Row {
    var old: ObjectKey?
    var new: ObjectKey?
    var realm: ObjectKey?
  }

  /// Compares all objects of the patch.
  ///
  /// - Parameter stated: the number of changed objects of each class, by position.
  /// - Returns: a class with another number of changed objects, and this number; nil if there is none.
  /// - Throws: the errors of reading the realm and the sides.
  mutating func run(
    stated: [Int: Int]
  ) throws(RealmFileError) -> (classPosition: Int, changed: Int)? {
    let budget = MemoryBudget(
      limit: merge.memoryByteCount, encryptsFiles: realm.snapshot.isEncrypted)
    var pairs: [Int: [ObjectKey: ObjectKey]] = [:]
    for position in properties.keys.sorted() {
      let own = try keysByNew(position, budget)
      guard own.count == stated[position, default: 0] else { return (position, own.count) }
      pairs[position] = own
    }
    // The removed objects come first: links to them are links to missing objects.
    for position in properties.keys.sorted() {
      let changed = Set(pairs[position, default: [:]].values)
      let existing = try existingKeys(of: old, position, budget)
      let rows = try old.keys(position).filter { !changed.contains($0) }.map {
        Row(old: $0, realm: existing[$0])
      }
      try compare(rows, position)
    }
    var rows: [Int: [Row]] = [:]
    var missing: [Int: Set<ObjectKey>] = [:]
    for position in properties.keys.sorted() {
      let existing = try existingKeys(of: new, position, budget)
      let own = try new.keys(position).map {
        Row(old: pairs[position]?[$0], new: $0, realm: existing[$0])
      }
      let lost = own.compactMap { $0.old != nil && $0.realm == nil ? $0.new : nil }
      if !lost.isEmpty { missing[position] = Set(lost) }
      rows[position] = own
    }
    withoutMissing = try new.settlerWithoutMissing(deleted, missing, merge)
    for (position, own) in rows.sorted(by: { $0.key < $1.key }) { try compare(own, position) }
    return nil
  }

  // MARK: Matching

  /// The old keys of the changed objects of a class, by their new keys.
  private func keysByNew(
    _ position: Int, _ budget: MemoryBudget
  ) throws(RealmFileError) -> [ObjectKey: ObjectKey] {
    guard let a = old.join(position), let b = new.join(position) else { return [:] }
    return Dictionary(
      try ObjectJoin.pairs(a, b, budget).map { ($0.b, $0.a) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The keys in the realm of the objects of a side, by their keys there.
  private func existingKeys(
    of side: PatchSide, _ position: Int, _ budget: MemoryBudget
  ) throws(RealmFileError) -> [ObjectKey: ObjectKey] {
    guard let own = side.join(position), try !side.keys(position).isEmpty else { return [:] }
    let existing = ObjectJoin.Side(realm, realm.schema.tables[position])
    return Dictionary(
      try ObjectJoin.pairs(existing, own, budget).map { ($0.b, $0.a) },
      uniquingKeysWith: { first, _ in first })
  }

  // MARK: Objects

  /// Objects of the realm and of both sides, as many as fit into the batches.
  private struct Chunk {
    let position: Int
    let old: PatchSide.Objects?
    let new: PatchSide.Objects?
    /// The new objects without links to missing objects.
    let newWithoutMissing: ObjectBatch?
    let realm: ObjectBatch?

    /// Whether the patch gives an object a new value for a property.
    func hasNew(_ property: Int, _ place: Place) -> Bool {
      new?.hasValue(property, place.new ?? 0) ?? false
    }
  }

  /// The rows of an object in a chunk.
  private struct Place {
    var old: Int?
    var new: Int?
    var realm: Int?
  }

  private mutating func compare(
    _ rows: [Row], _ position: Int
  ) throws(RealmFileError) {
    var left = rows[...]
    while !left.isEmpty {
      var some = left.prefix(ObjectBatch.capacity)
      let before = try old.fetch(some.compactMap(\.old), position)
      some = some.covered(by: before?.keys.count, \.old)
      let after = try new.fetch(some.compactMap(\.new), position)
      some = some.covered(by: after?.keys.count, \.new)
      let keys = some.compactMap(\.realm)
      let existing =
        keys.isEmpty ? nil : try fetcher.fetch(keys, of: realm.schema.tables[position])
      some = some.covered(by: existing?.count, \.realm)
      var settled: ObjectBatch?
      if let after, let withoutMissing {
        settled = try new.fetch(after, position, withoutMissing)
      }
      let chunk = Chunk(
        position: position, old: before, new: after, newWithoutMissing: settled, realm: existing)
      var next = Place(old: 0, new: 0, realm: 0)
      for row in some {
        func take(_ key: ObjectKey?, _ number: inout Int?) -> Int? {
          guard key != nil, let current = number else { return nil }
          number = current + 1
          return current
        }
        let place = Place(
          old: take(row.old, &next.old), new: take(row.new, &next.new),
          realm: take(row.realm, &next.realm))
        try compare(row, place, chunk)
      }
      left = left.dropFirst(some.count)
    }
  }

  private mutating func compare(
    _ row: Row, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    switch (row.old, row.new, row.realm) {
    case (_?, nil, let key): try remove(key, place, chunk)
    case (nil, let added?, nil): try add(added, place, chunk)
    case (nil, let added?, _?): try addExisting(added, place, chunk)
    case (_?, let changed?, nil): try changeMissing(changed, place, chunk)
    case (_?, let changed?, _?): try change(changed, place, chunk)
    case (nil, nil, _): break
    }
  }

  private mutating func remove(
    _ key: ObjectKey?, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    guard let key else {
      counts[chunk.position, default: Counts()].equal += 1
      return
    }
    var isKept = false
    for property in properties[chunk.position] ?? [] {
      guard try !areEqual(old(property, place, chunk), existing(property, place, chunk)) else {
        continue
      }
      try add(.removed, property, place, chunk)
      isKept = resolution == .realm
    }
    guard !isKept else { return }
    counts[chunk.position, default: Counts()].removed += 1
    removed[chunk.position, default: []].append(key)
  }

  private mutating func add(
    _ key: ObjectKey, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    for property in properties[chunk.position] ?? [] {
      if try hasMissing(property, place, chunk) { try add(.missingTarget, property, place, chunk) }
    }
    counts[chunk.position, default: Counts()].added += 1
  }

  private mutating func addExisting(
    _ key: ObjectKey, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    var different: [Int] = []
    for property in properties[chunk.position] ?? [] where chunk.hasNew(property, place) {
      guard try !areEqual(new(property, place, chunk), existing(property, place, chunk)) else {
        continue
      }
      different.append(property)
    }
    guard !different.isEmpty else {
      exceptions[chunk.position, default: .init()].leftOut.insert(key)
      counts[chunk.position, default: Counts()].equal += 1
      return
    }
    guard realm.schema.tables[chunk.position].primaryKey != nil else {
      // Another object happens to have the key.
      exceptions[chunk.position, default: .init()].moved.insert(key)
      return try add(key, place, chunk)
    }
    for property in different { try add(.exists, property, place, chunk) }
    try set(resolution == .realm ? [] : different, of: key, place, chunk)
  }

  private mutating func changeMissing(
    _ key: ObjectKey, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    for property in properties[chunk.position] ?? [] where chunk.hasNew(property, place) {
      try add(.missing, property, place, chunk)
    }
    exceptions[chunk.position, default: .init()].leftOut.insert(key)
    exceptions[chunk.position, default: .init()].missing.insert(key)
    counts[chunk.position, default: Counts()].skipped += 1
  }

  private mutating func change(
    _ key: ObjectKey, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    var changed: [Int] = []
    for property in properties[chunk.position] ?? [] where chunk.hasNew(property, place) {
      let own = existing(property, place, chunk)
      guard try !areEqual(new(property, place, chunk), own) else { continue }
      if try !areEqual(old(property, place, chunk), own) {
        try add(.changed, property, place, chunk)
        guard resolution != .realm else { continue }
      }
      changed.append(property)
    }
    try set(changed, of: key, place, chunk)
  }

  /// Lets the merge set some properties of an existing object.
  private mutating func set(
    _ changed: [Int], of key: ObjectKey, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    var set = Set(changed)
    for property in changed {
      guard try hasMissing(property, place, chunk) else { continue }
      try add(.missingTarget, property, place, chunk)
      if resolution == .realm { set.remove(property) }
    }
    guard !set.isEmpty else {
      exceptions[chunk.position, default: .init()].leftOut.insert(key)
      counts[chunk.position, default: Counts()].equal += 1
      return
    }
    counts[chunk.position, default: Counts()].changed += 1
    let objectClass = realm.schema.objects.classes[chunk.position]
    var mark = AddedMark(propertyCount: objectClass.properties.count)
    for property in objectClass.properties.indices
    where !set.contains(property) && property != objectClass.primaryKey {
      mark.insert(property)
    }
    exceptions[chunk.position, default: .init()].withoutValues[key] = mark
  }

  // MARK: Values

  private typealias Value = (values: ColumnValues, row: Int, isSet: Bool)

  private func property(_ position: Int, _ chunk: Chunk) -> Property {
    realm.schema.objects.classes[chunk.position].properties[position]
  }

  private func value(_ batch: ObjectBatch?, _ property: Int, _ row: Int?, _ chunk: Chunk) -> Value {
    let objectProperty = self.property(property, chunk)
    guard let batch, let row, let values = batch.columns[property] else {
      return (objectProperty.defaultValues(count: 1), 0, objectProperty.collection == .set)
    }
    return (values, row, objectProperty.collection == .set)
  }

  /// The old value; the default if the patch has none.
  private func old(_ property: Int, _ place: Place, _ chunk: Chunk) -> Value {
    let hasValue = chunk.old.map { $0.hasValue(property, place.old ?? 0) } ?? false
    return value(hasValue ? chunk.old?.batch : nil, property, place.old, chunk)
  }

  private func new(_ property: Int, _ place: Place, _ chunk: Chunk) -> Value {
    value(chunk.new?.batch, property, place.new, chunk)
  }

  private func existing(_ property: Int, _ place: Place, _ chunk: Chunk) -> Value {
    value(chunk.realm, property, place.realm, chunk)
  }

  private func areEqual(_ a: Value, _ b: Value) throws(RealmFileError) -> Bool {
    try equality.areEqual(a.values, a.row, b.values, b.row, areSets: a.isSet)
  }

  /// Whether the new value has a link to a missing object.
  private func hasMissing(
    _ property: Int, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) -> Bool {
    guard chunk.hasNew(property, place), let settled = chunk.newWithoutMissing else { return false }
    return try !areEqual(
      new(property, place, chunk), value(settled, property, place.new, chunk))
  }

  // MARK: Conflicts

  private mutating func add(
    _ reason: PatchConflict.Reason, _ position: Int, _ place: Place, _ chunk: Chunk
  ) throws(RealmFileError) {
    let property = property(position, chunk)
    func text(_ value: Value) throws(RealmFileError) -> String {
      let copy = try BatchColumn(value.values).value(at: value.row)
      var text = RealmJSONValueText()
      text.append(copy, of: property, context)
      return String(decoding: text.take(), as: UTF8.self)
    }
    conflicts.append(
      PatchConflict(
        className: realm.schema.objects.classes[chunk.position].name.text,
        property: property.name.text, reason: reason, identity: try identity(place, chunk),
        old: place.old == nil ? nil : try text(old(position, place, chunk)),
        new: place.new == nil ? nil : try text(new(position, place, chunk)),
        realm: place.realm == nil ? nil : try text(existing(position, place, chunk))))
  }

  private func identity(_ place: Place, _ chunk: Chunk) throws(RealmFileError) -> String {
    let sides = [(chunk.new, place.new), (chunk.old, place.old)]
    var text = RealmJSONValueText()
    for case (let objects?, let row?) in sides {
      let identity =
        try realm.schema.objects.classes[chunk.position].primaryKey.map {
          (key) throws(RealmFileError) in
          try objects.batch.value(ofProperty: key, row: row)
        } ?? .int(objects.keys[row].raw)
      text.append(plain: identity, inMixed: false)
      break
    }
    return String(decoding: text.take(), as: UTF8.self)
  }
}

extension ArraySlice {
  /// The longest prefix of which at most `count` elements have a key; all elements if there is no count.
  fileprivate func covered(by count: Int?, _ key: (Element) -> ObjectKey?) -> ArraySlice {
    guard let count else { return self }
    var seen = 0
    let end = firstIndex { element in
      if key(element) != nil { seen += 1 }
      return seen > count
    }
    return self[..<(end ?? endIndex)]
  }
}
