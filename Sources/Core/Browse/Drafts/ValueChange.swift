import RealmModel

/// A change of a part of a property's value.
enum ValueChange: Sendable {
  /// Another value for a property or an element.
  case set(RealmValue)
  /// A new element before the one at the path; at the end if there is none.
  case insert(RealmValue)
  /// A new entry of the dictionary at the path.
  case addEntry(key: String, RealmValue)
  /// The key of the entry at the path.
  case rename(String)
  case remove
  /// The element gets this number.
  case move(Int)
}

/// Where in an object a value is, and what it may be.
struct ValuePlace {
  /// What the value is a part of.
  enum Parent: Sendable {
    case object
    case list(count: Int)
    case set
    case dictionary(key: RealmValue)
  }

  /// The property of the object itself.
  let outer: Property
  /// The property with the type of the value: that of an embedded object, if the value is inside one.
  let property: Property
  /// Whether the value is an element of the property's collection.
  let isElement: Bool
  let parent: Parent
  let value: RealmValue

  /// Whether the value is a collection of the property, and not one value of its type.
  var isCollection: Bool { property.collection != nil && !isElement }
}

/// Changes parts of values, and finds out what they may be.
struct ValueParts {
  /// The most elements of a collection that is edited.
  static let elementLimit = 100_000

  let schema: ObjectSchema

  /// - Parameters:
  ///   - value: the value of a property of an object.
  ///   - steps: the path behind the property.
  /// - Returns: nil if there is no such value.
  func place(
    _ steps: ArraySlice<Int>, in value: RealmValue, of property: Property
  ) -> ValuePlace? {
    var place = ValuePlace(
      outer: property, property: property, isElement: false, parent: .object, value: value)
    for step in steps {
      guard let next = self.next(step, place) else { return nil }
      place = next
    }
    return place
  }

  private func next(_ step: Int, _ place: ValuePlace) -> ValuePlace? {
    func part(_ parent: ValuePlace.Parent, _ value: RealmValue) -> ValuePlace {
      ValuePlace(
        outer: place.outer, property: place.property, isElement: true, parent: parent, value: value)
    }
    switch place.value {
    case .object(let values):
      guard let owner = schema.target(of: place.property), values.indices.contains(step),
        owner.properties.indices.contains(step)
      else { return nil }
      return ValuePlace(
        outer: place.outer, property: owner.properties[step], isElement: false, parent: .object,
        value: values[step])
    case .list(let elements):
      guard elements.indices.contains(step) else { return nil }
      let isSet = place.property.collection == .set && !place.isElement
      return part(isSet ? .set : .list(count: elements.count), elements[step])
    case .dictionary(let entries):
      guard entries.indices.contains(step) else { return nil }
      return part(.dictionary(key: entries[step].key), entries[step].value)
    default: return nil
    }
  }

  /// The value after a change of one of its parts.
  ///
  /// - Parameter isSame: whether two elements are equal.
  /// - Throws: the kinds of ``DraftError``.
  func changed(
    _ value: RealmValue, of property: Property, isElement: Bool = false, at steps: ArraySlice<Int>,
    _ change: ValueChange, isSame: (RealmValue, RealmValue) -> Bool
  ) throws(Failure) -> RealmValue {
    guard let step = steps.first else {
      switch (change, value) {
      case (.set(let new), _): return new
      case (.addEntry(let key, let new), .dictionary(var entries)):
        let key = RealmValue.string(key)
        guard !entries.contains(where: { $0.key == key }) else { throw Failure(.equalKey) }
        entries.append(RealmEntry(key: key, value: new))
        return .dictionary(try limited(entries))
      default: throw Failure(.noPlace)
      }
    }
    let rest = steps.dropFirst()
    switch value {
    case .object(var values):
      guard let owner = schema.target(of: property), values.indices.contains(step),
        owner.properties.indices.contains(step)
      else { throw Failure(.noPlace) }
      values[step] = try changed(
        values[step], of: owner.properties[step], at: rest, change, isSame: isSame)
      return .object(values)
    case .list(var elements):
      guard rest.isEmpty else {
        guard elements.indices.contains(step) else { throw Failure(.noPlace) }
        elements[step] = try changed(
          elements[step], of: property, isElement: true, at: rest, change, isSame: isSame)
        return .list(elements)
      }
      let isSet = property.collection == .set && !isElement
      return .list(try limited(try self.elements(elements, step, change, isSet, isSame)))
    case .dictionary(var entries):
      guard entries.indices.contains(step) else { throw Failure(.noPlace) }
      switch change {
      case .remove where rest.isEmpty: entries.remove(at: step)
      case .rename(let key) where rest.isEmpty:
        let key = RealmValue.string(key)
        let isUsed = entries.enumerated().contains { $0.offset != step && $0.element.key == key }
        guard !isUsed else { throw Failure(.equalKey) }
        entries[step].key = key
      default:
        entries[step].value = try changed(
          entries[step].value, of: property, isElement: true, at: rest, change, isSame: isSame)
      }
      return .dictionary(entries)
    default: throw Failure(.noPlace)
    }
  }

  private func elements(
    _ elements: [RealmValue], _ step: Int, _ change: ValueChange, _ isSet: Bool,
    _ isSame: (RealmValue, RealmValue) -> Bool
  ) throws(Failure) -> [RealmValue] {
    var elements = elements
    func checkIsNew(_ value: RealmValue, except step: Int?) throws(Failure) {
      let isMember = elements.enumerated().contains {
        $0.offset != step && isSame($0.element, value)
      }
      guard !isSet || !isMember else { throw Failure(.equalMember) }
    }
    switch change {
    case .insert(let value):
      try checkIsNew(value, except: nil)
      elements.insert(value, at: min(max(0, step), elements.count))
    case _ where !elements.indices.contains(step): throw Failure(.noPlace)
    case .set(let value):
      try checkIsNew(value, except: step)
      elements[step] = value
    case .remove: elements.remove(at: step)
    case .move(let target):
      let value = elements.remove(at: step)
      elements.insert(value, at: min(max(0, target), elements.count))
    case .addEntry, .rename: throw Failure(.noPlace)
    }
    return elements
  }

  private func limited<Element>(_ elements: [Element]) throws(Failure) -> [Element] {
    guard elements.count <= ValueParts.elementLimit else {
      throw Failure(.tooManyElements(limit: ValueParts.elementLimit))
    }
    return elements
  }

  /// Why a part cannot be changed.
  struct Failure: Error {
    let kind: DraftError.Kind

    init(_ kind: DraftError.Kind) { self.kind = kind }
  }
}
