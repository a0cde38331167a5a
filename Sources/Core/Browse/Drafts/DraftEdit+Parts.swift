import RealmInterchange
import RealmModel
import RealmStorage

/// Edits of objects by their keys and of parts of their values, as pages name them.
extension DraftEdit {
  /// The object with a key as it is in the draft, in row 0.
  ///
  /// - Throws: ``DraftError`` if there is no such object; the errors of reading.
  func object(
    _ key: ObjectKey, ofClassAt position: Int
  ) throws -> (address: DraftAddress, batch: ObjectBatch) {
    if let change = state.object(key, ofClassAt: position) {
      guard change.kind != .removed, let batch = change.batch else {
        throw error(.noObject, change.address)
      }
      return (change.address, batch)
    }
    guard try stored.contains(key, position) else {
      throw error(.noObject, DraftAddress(classPosition: position, identity: .int(key.raw)))
    }
    return (try stored.address(key, position), try stored.object(key, position))
  }

  /// The place of a value in the draft; nil if the object has no such value.
  ///
  /// - Throws: ``DraftError`` if there is no such object; the errors of reading.
  func place(
    _ path: ValuePath, of key: ObjectKey, ofClassAt position: Int
  ) throws -> ValuePlace? {
    let owner = view.schema.classes[position]
    guard let first = path.steps.first, owner.properties.indices.contains(first) else { return nil }
    let value = try stored.value(first, of: try object(key, ofClassAt: position).batch)
    return ValueParts(schema: view.schema).place(
      path.steps.dropFirst(), in: value, of: owner.properties[first])
  }

  /// A short text that differs whenever the value of a property differs: a form sends it back, so that no change of
  /// another tab is lost.
  func digest(_ value: RealmValue, of property: Property) throws(RealmFileError) -> String {
    let text = text(value, of: property, isElement: false)
    return String(try SHA256.digest(of: Array(text.utf8)).prefix(16))
  }

  /// Changes a value, or a part of it.
  ///
  /// - Parameter expected: the digest of the property's value as the user saw it; nil for any.
  /// - Throws: ``DraftError``; the errors of reading.
  mutating func change(
    _ path: ValuePath, of key: ObjectKey, ofClassAt position: Int, _ change: ValueChange,
    expecting expected: String? = nil
  ) throws {
    let (address, batch) = try object(key, ofClassAt: position)
    let owner = view.schema.classes[position]
    guard let first = path.steps.first, owner.properties.indices.contains(first) else {
      throw error(.noPlace, address)
    }
    let property = owner.properties[first]
    let value = try stored.value(first, of: batch)
    if let expected, try digest(value, of: property) != expected {
      throw error(.changed(now: text(value, of: property, isElement: false)), address, first)
    }
    let changed: RealmValue
    do throws(ValueParts.Failure) {
      changed = try ValueParts(schema: view.schema).changed(
        value, of: property, at: path.steps.dropFirst(), change
      ) {
        self.text($0, of: property, isElement: true) == self.text($1, of: property, isElement: true)
      }
    } catch {
      throw self.error(error.kind, address, first)
    }
    if first == owner.primaryKey { return try give(changed, to: address, key) }
    try make(
      PatchLine(
        classPosition: position, identity: address.identity, old: [first: value],
        new: [first: withoutRemovedTargets(changed)]))
  }

  /// The value without the links to objects that the draft removes, which saving would remove anyway.
  private func withoutRemovedTargets(_ value: RealmValue) -> RealmValue {
    var value = value
    for link in value.allLinks {
      let target = DraftAddress(of: link)
      if state[target]?.kind == .removed { value = value.withoutLinks(to: target) }
    }
    return value
  }

  /// Gives an added object another primary key. A stored object keeps its own.
  private mutating func give(
    _ identity: RealmValue, to address: DraftAddress, _ key: ObjectKey
  ) throws {
    guard let object = state[address], object.kind == .added else {
      throw error(.primaryKey, address, view.schema.classes[address.classPosition].primaryKey)
    }
    guard identity != address.identity else { return }
    forget(address)
    try make(
      PatchLine(
        classPosition: address.classPosition, identity: identity, old: nil, new: object.new))
    try replaceLinks(from: address, to: identity)
  }

  /// Lets links of the draft to an added object follow it to another primary key.
  private mutating func replaceLinks(from old: DraftAddress, to identity: RealmValue) throws {
    for object in state.sorted where object.kind != .removed {
      let new = object.new.mapValues { $0.replacingLinks(from: old, to: identity) }
      guard new != object.new else { continue }
      try set(object.kind, object.key, old: object.old, new: new, object.address)
    }
  }

  /// Removes an object.
  ///
  /// - Throws: ``DraftError``; the errors of reading.
  mutating func remove(_ key: ObjectKey, ofClassAt position: Int) throws {
    let address = try object(key, ofClassAt: position).address
    try make(
      PatchLine(classPosition: position, identity: address.identity, old: [:], new: nil))
  }

  /// Adds an object.
  ///
  /// - Parameters:
  ///   - identity: the primary key; not needed for a class without one.
  ///   - values: by position of the property; the others get their defaults.
  /// - Returns: the key of its page.
  /// - Throws: ``DraftError``; the errors of reading.
  mutating func add(
    _ identity: RealmValue?, _ values: [Int: RealmValue], toClassAt position: Int
  ) throws -> ObjectKey {
    var identity = identity
    if view.schema.classes[position].primaryKey == nil {
      let last = state.addedKeys(ofClassAt: position).map(\.raw).max() ?? -1
      identity = .int(max(try stored.freeKey(position), last + 1))
    }
    let address = DraftAddress(classPosition: position, identity: identity ?? .null)
    try make(
      PatchLine(classPosition: position, identity: address.identity, old: nil, new: values))
    guard let object = state[address] else { throw error(.noObject, address) }
    return object.key
  }

  /// Adds an object with the values of another one.
  ///
  /// - Parameter identity: the primary key of the new object; not needed for a class without one.
  /// - Returns: the key of its page.
  mutating func duplicate(
    _ key: ObjectKey, ofClassAt position: Int, as identity: RealmValue?
  ) throws -> ObjectKey {
    let batch = try object(key, ofClassAt: position).batch
    let owner = view.schema.classes[position]
    var values: [Int: RealmValue] = [:]
    for property in owner.properties.indices where property != owner.primaryKey {
      values[property] = withoutRemovedTargets(try stored.value(property, of: batch))
    }
    return try add(identity, values, toClassAt: position)
  }

  /// Takes one property out of the change of an object, or the whole change.
  ///
  /// - Parameter property: nil for all.
  mutating func takeBack(
    _ key: ObjectKey, ofClassAt position: Int, property: Int? = nil
  ) throws {
    guard let object = state.object(key, ofClassAt: position) else {
      throw error(.noObject, DraftAddress(classPosition: position, identity: .int(key.raw)))
    }
    guard let property, object.kind == .changed else {
      if object.kind == .added { try dropLinks(to: object.address) }
      return forget(object.address)
    }
    var (old, new) = (object.old, object.new)
    (old[property], new[property]) = (nil, nil)
    try set(.changed, object.key, old: old, new: new, object.address)
  }
}

extension RealmValue {
  fileprivate func replacingLinks(from old: DraftAddress, to identity: RealmValue) -> RealmValue {
    switch self {
    case .link(let link):
      guard !link.isUnresolved, DraftAddress(of: link) == old else { return self }
      return .link(RealmLink(classPosition: link.classPosition, primaryKey: identity))
    case .object(let values):
      return .object(values.map { $0.replacingLinks(from: old, to: identity) })
    case .list(let values):
      return .list(values.map { $0.replacingLinks(from: old, to: identity) })
    case .dictionary(let entries):
      return .dictionary(
        entries.map {
          RealmEntry(key: $0.key, value: $0.value.replacingLinks(from: old, to: identity))
        })
    default: return self
    }
  }
}
