import RealmInterchange
import RealmModel
import RealmStorage

/// One edit of a draft: adds lines of a patch to it, and checks each as `apply` does. Used by one thread.
struct DraftEdit {
  /// The most objects that a draft changes, and the most bytes of its patch.
  static let objectLimit = 100_000
  static let byteLimit = 64 << 20

  let view: RealmView
  let stored: StoredObjects
  let values: PatchValues
  private(set) var state: DraftState
  private var places: [DraftAddress: Int] = [:]
  private(set) var step = DraftStep()
  private let context: RealmJSONValueText.Context

  /// - Throws: the errors of an encrypted realm.
  init(_ state: DraftState, _ view: RealmView) throws(RealmFileError) {
    (self.state, self.view) = (state, view)
    stored = try StoredObjects(view)
    values = PatchValues(view.schema)
    context = RealmJSONValueText.Context(
      schema: view.schema, classNames: view.schema.classes.map(\.name))
  }

  // MARK: Lines

  /// Makes the change of a line.
  ///
  /// - Throws: ``DraftError``, ``ImportError``; the errors of reading the realm.
  mutating func make(_ line: PatchLine) throws {
    let address = DraftAddress(classPosition: line.classPosition, identity: line.identity)
    guard owner(address).kind != .asymmetric else { throw error(.asymmetricClass, address) }
    switch (line.old, line.new) {
    case (nil, let new?): try add(new, address)
    case (let old, nil): try remove(old ?? [:], address)
    case (let old?, let new?): try change(old, new, address)
    }
  }

  /// Makes changes in this order.
  mutating func make(_ lines: [PatchLine]) throws {
    for line in lines {
      try Cancellation.current?.check()
      try make(line)
    }
  }

  private mutating func add(_ new: [Int: RealmValue], _ address: DraftAddress) throws {
    let owner = owner(address)
    let (key, before) = (try stored.key(address), state[address])
    guard key == nil || before?.kind == .removed, before?.kind != .added else {
      throw error(.identityInUse, address)
    }
    var all: [Int: RealmValue] = [:]
    for (position, property) in owner.properties.enumerated() where position != owner.primaryKey {
      all[position] =
        try new[position]
        ?? BatchColumn(property.defaultValues(count: 1)).value(at: 0)
    }
    for (property, value) in all { try check(value, property, address) }
    guard let key, let before else {
      let key = try before?.key ?? freeKey(address)
      return try set(.added, key, old: [:], new: all, address)
    }
    // The removed object comes back with other values.
    try set(.changed, key, old: before.old, new: all, address)
  }

  private mutating func change(
    _ old: [Int: RealmValue], _ new: [Int: RealmValue], _ address: DraftAddress
  ) throws {
    let before = state[address]
    guard before?.kind != .removed else { throw error(.noObject, address) }
    guard let key = try before?.key ?? stored.key(address) else {
      throw error(.noObject, address)
    }
    let whole = try before?.batch ?? stored.object(key, address.classPosition)
    for (property, value) in new {
      let current = try stored.value(property, of: whole)
      if let expected = old[property], !isSame(current, expected, property, address) {
        throw error(.changed(now: text(current, property, address)), address, property)
      }
      guard before?.kind != .added || !isSame(current, value, property, address) else { continue }
      try check(value, property, address)
    }
    guard before?.kind != .added else {
      return try set(
        .added, key, old: [:], new: (before?.new ?? [:]).merging(new) { $1 }, address)
    }
    let unchanged = try stored.object(key, address.classPosition)
    var (olds, news) = (before?.old ?? [:], before?.new ?? [:])
    for (property, value) in new {
      if olds[property] == nil { olds[property] = try stored.value(property, of: unchanged) }
      news[property] = value
    }
    try set(.changed, key, old: olds, new: news, address)
  }

  private mutating func remove(_ old: [Int: RealmValue], _ address: DraftAddress) throws {
    let before = state[address]
    guard before?.kind != .removed, let key = try before?.key ?? stored.key(address) else {
      throw error(.noObject, address)
    }
    let whole = try before == nil ? stored.object(key, address.classPosition) : before?.batch
    if let whole {
      for (property, expected) in old {
        let current = try stored.value(property, of: whole)
        guard isSame(current, expected, property, address) else {
          throw error(.changed(now: text(current, property, address)), address, property)
        }
      }
    }
    if before?.kind == .added {
      note(nil, address)
    } else {
      var all: [Int: RealmValue] = [:]
      let unchanged = try stored.object(key, address.classPosition)
      let owner = owner(address)
      for position in owner.properties.indices where position != owner.primaryKey {
        all[position] = try before?.old[position] ?? stored.value(position, of: unchanged)
      }
      note(
        DraftObject(
          address: address, kind: .removed, key: key, old: all, new: [:], batch: unchanged,
          byteCount: byteCount(.removed, all, [:], address)), address)
    }
    try dropLinks(to: address)
    try checkLimits(address)
  }

  /// Removes the links to a removed object from the new values of the draft, as saving would.
  mutating func dropLinks(to target: DraftAddress) throws {
    for object in state.linking.compactMap({ state[$0] }) {
      var new = object.new
      for (property, value) in object.new where value.links(to: target) {
        new[property] = value.withoutLinks(to: target)
      }
      guard new != object.new else { continue }
      try set(object.kind, object.key, old: object.old, new: new, object.address)
    }
  }

  // MARK: Objects

  /// Sets the change of an object, or none if nothing differs any more.
  mutating func set(
    _ kind: DraftObject.Kind, _ key: ObjectKey, old: [Int: RealmValue], new: [Int: RealmValue],
    _ address: DraftAddress
  ) throws {
    var (old, new) = (old, new)
    if kind == .changed {
      for (property, value) in new
      where old[property].map({ isSame($0, value, property, address) }) ?? false {
        (old[property], new[property]) = (nil, nil)
      }
      guard !new.isEmpty else { return note(nil, address) }
      for property in old.keys where new[property] == nil { old[property] = nil }
    }
    note(
      DraftObject(
        address: address, kind: kind, key: key, old: old, new: new,
        batch: try batch(kind, key, new, address),
        byteCount: byteCount(kind, old, new, address)), address)
    try checkLimits(address)
  }

  private mutating func note(_ object: DraftObject?, _ address: DraftAddress) {
    if let place = places[address] {
      step.changes[place].after = object
    } else {
      places[address] = step.changes.count
      step.changes.append(
        DraftStep.Change(address: address, before: state[address], after: object))
    }
    state.set(object, at: address)
  }

  /// The object after its changes; nil if the realm does not have it.
  private func batch(
    _ kind: DraftObject.Kind, _ key: ObjectKey, _ new: [Int: RealmValue], _ address: DraftAddress
  ) throws -> ObjectBatch? {
    let owner = owner(address)
    var owners: [any Sendable] = []
    var columns: [ColumnValues?]
    if kind == .added {
      columns = owner.properties.map { $0.defaultValues(count: 1) }
    } else {
      guard try stored.contains(key, address.classPosition) else { return nil }
      let whole = try stored.object(key, address.classPosition)
      owners.append(whole)
      columns = whole.columns
    }
    var new = new
    if kind == .added, let primaryKey = owner.primaryKey { new[primaryKey] = address.identity }
    for (property, value) in new {
      let made = try values.column(
        Array(text(value, property, address).utf8), of: owner.properties[property])
      columns[property] = made.values
      owners.append(made.owner)
    }
    return ObjectBatch(
      classPosition: address.classPosition, count: 1, keys: [key], columns: columns, owner: owners)
  }

  /// A key for an object to add.
  private func freeKey(_ address: DraftAddress) throws -> ObjectKey {
    if owner(address).primaryKey == nil, let key = address.identity.int { return ObjectKey(key) }
    // Far from the keys that libraries give.
    var key = Int64(1) << 60
    while try state.object(ObjectKey(key), ofClassAt: address.classPosition) != nil
      || stored.contains(ObjectKey(key), address.classPosition)
    { key += 1 }
    return ObjectKey(key)
  }

  // MARK: Changes that were made before

  /// Makes the change of a line that another version of the realm had, without a check of old values and links: saving finds
  /// the conflicts.
  mutating func restore(_ line: PatchLine, key known: ObjectKey? = nil) throws {
    let address = DraftAddress(classPosition: line.classPosition, identity: line.identity)
    switch (line.old, line.new) {
    case (nil, let new?):
      let key = try stored.key(address) ?? known ?? freeKey(address)
      try set(.added, key, old: [:], new: new, address)
    case (let old?, let new?):
      let key = try stored.key(address) ?? known ?? freeKey(address)
      try set(.changed, key, old: old, new: new, address)
    case (let old, nil):
      let found = try stored.key(address)
      let batch = try found.map { try stored.object($0, address.classPosition) }
      let key = try found ?? known ?? freeKey(address)
      note(
        DraftObject(
          address: address, kind: .removed, key: key, old: old ?? [:], new: [:], batch: batch,
          byteCount: byteCount(.removed, old ?? [:], [:], address)), address)
    }
  }

  /// Removes the change of an object from the draft.
  mutating func forget(_ address: DraftAddress) { note(nil, address) }

  // MARK: Checks

  /// Checks that the targets of all links in a value exist.
  private func check(_ value: RealmValue, _ property: Int, _ address: DraftAddress) throws {
    for link in value.allLinks where !link.isUnresolved {
      let target = DraftAddress(of: link)
      // An object may link to itself before it is added.
      guard target != address || state[target]?.kind == .removed, try !hasTarget(link) else {
        continue
      }
      throw error(
        .noTarget(className: owner(target).name.text, identity: text(target.identity)), address,
        property)
    }
  }

  /// Whether the realm with the draft has the object that a link leads to.
  func hasTarget(_ link: RealmLink) throws(RealmFileError) -> Bool {
    let target = DraftAddress(of: link)
    if let change = state[target] { return change.kind != .removed }
    return try stored.key(target) != nil
  }

  private func checkLimits(_ address: DraftAddress) throws {
    guard state.count <= DraftEdit.objectLimit else {
      throw error(.tooManyObjects(limit: DraftEdit.objectLimit), address)
    }
    guard state.byteCount <= DraftEdit.byteLimit else {
      throw error(.tooLarge(limit: DraftEdit.byteLimit), address)
    }
  }

  /// Whether two values of a property are the same in a realm.
  func isSame(
    _ a: RealmValue, _ b: RealmValue, _ property: Int, _ address: DraftAddress
  ) -> Bool {
    // NaN is another number for Swift, and the same value for a realm.
    a == b || exact(a, property, address) == exact(b, property, address)
  }

  /// Whether two changes of an object do the same.
  func isSame(_ a: DraftObject?, _ b: DraftObject?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    func areSame(_ a: [Int: RealmValue], _ b: [Int: RealmValue], _ address: DraftAddress) -> Bool {
      a.count == b.count
        && a.allSatisfy { property, value in
          b[property].map { isSame($0, value, property, address) } ?? false
        }
    }
    return a.kind == b.kind && a.address == b.address && areSame(a.old, b.old, a.address)
      && areSame(a.new, b.new, a.address)
  }

  /// A text that equal values share: the members of sets and the entries of dictionaries have no order.
  private func exact(
    _ value: RealmValue, _ property: Int, _ address: DraftAddress
  ) -> [String] {
    let property = owner(address).properties[property]
    guard property.collection == .set, let members = value.elements else {
      return [text(value.withSortedEntries, of: property, isElement: false)]
    }
    return members.map { text($0, of: property, isElement: true) }.sorted()
  }

  // MARK: Texts

  private func owner(_ address: DraftAddress) -> ObjectClass {
    view.schema.classes[address.classPosition]
  }

  /// A value as Realm JSON.
  func text(_ value: RealmValue, _ property: Int, _ address: DraftAddress) -> String {
    text(value, of: owner(address).properties[property], isElement: false)
  }

  func text(_ value: RealmValue, of property: Property, isElement: Bool) -> String {
    var text = RealmJSONValueText()
    text.append(value, of: property, isElement: isElement, context)
    return String(decoding: text.take(), as: UTF8.self)
  }

  /// An identity as Realm JSON.
  func text(_ identity: RealmValue) -> String {
    var text = RealmJSONValueText()
    text.append(plain: identity, inMixed: false)
    return String(decoding: text.take(), as: UTF8.self)
  }

  private func byteCount(
    _ kind: DraftObject.Kind, _ old: [Int: RealmValue], _ new: [Int: RealmValue],
    _ address: DraftAddress
  ) -> Int {
    var text = RealmJSONValueText()
    text.append(
      PatchLine(
        classPosition: address.classPosition, identity: address.identity,
        old: kind == .added ? nil : old, new: kind == .removed ? nil : new), context)
    return text.byteCount
  }

  func error(
    _ kind: DraftError.Kind, _ address: DraftAddress, _ property: Int? = nil
  ) -> DraftError {
    DraftError(
      kind, className: owner(address).name.text,
      property: property.map { owner(address).properties[$0].name.text },
      identity: text(address.identity))
  }
}
