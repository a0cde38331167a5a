import RealmBuilding
import RealmModel
import RealmStorage

/// Finds the objects that a builder or a merge refused, in a further pass over the input: the builder and
/// the merge see only values, not their places.
struct RefusedObjects {
  /// The place of an object.
  private struct Place {
    let input: Int
    let offset: Int
  }

  /// A link to a missing object: its target and its property.
  private struct LinkUse: Hashable {
    let objectClass: ObjectIdentifier
    let property: Int
    let target: RealmLink
  }

  /// A refused object.
  private struct Found {
    let place: Place
    var error: ImportError
    /// The first object with the same primary key.
    var first: Place?
  }

  private let source: TextSource
  /// Primary keys of several objects, by position of the class, and the first object with each.
  private var duplicates: [Int: [RealmValue: Place?]] = [:]
  /// Missing targets, as links that may not be unresolved.
  private var missing = Set<RealmLink>()
  /// Errors of single objects by position of the class and number among its objects, or by object key.
  private var numbered: [Int: [Int: ImportError]] = [:]
  private var keyed: [Int: [ObjectKey: ImportError]] = [:]
  /// Positions of the classes with an object whose key does not follow those before it.
  private var keyFaults = Set<Int>()
  /// The object key of the last object of each class in ``keyFaults``; nil if it has none.
  private var lastKeys: [Int: ObjectKey?] = [:]
  /// Number of objects of each class so far.
  private var counts: [Int: Int] = [:]
  private var found: [Found] = []
  /// The current object's links to missing objects: a collection may have the same link often.
  private var uses = Set<LinkUse>()

  init(_ source: TextSource) { self.source = source }

  private var schema: ObjectSchema { source.schema }

  // MARK: Objects to find

  /// Adds the objects of class `position` with this primary key, which several have.
  mutating func add(duplicate primaryKey: RealmValue, of position: Int) {
    duplicates[position, default: [:]].updateValue(nil, forKey: primaryKey)
  }

  /// Adds the objects with links to this missing object.
  mutating func add(missing target: RealmLink) { missing.insert(target) }

  /// Adds an object by its number among the objects of its class, or by its object key if the input has
  /// object keys.
  mutating func add(_ error: ImportError, of position: Int, number: Int?, key: ObjectKey) {
    if let number { numbered[position, default: [:]][number] = error }
    keyed[position, default: [:]][key] = error
  }

  /// Adds the first object of class `position` whose key is not above the key before it, or that has a key, or none,
  /// unlike the objects before it.
  mutating func add(badKeyOf position: Int) { keyFaults.insert(position) }

  // MARK: Finding

  /// The errors with their places, in the order of the input.
  ///
  /// - Parameter limit: the number of errors after which the search ends.
  /// - Throws: the errors of reading the input again.
  mutating func find(limit: Int) throws(ImportError) -> [ImportError] {
    var cursor = source.makeCursor()
    for part in try source.parts() {
      try cursor.open(part)
      let input = source.places[part.number].input
      while let batch = try cursor.next() {
        do throws(RealmFileError) {
          for row in 0..<batch.count {
            try look(at: batch, row, Place(input: input, offset: cursor.batchStarts[row]))
          }
        } catch {
          let path = source.inputs[input].file.path
          throw ImportError(.file(error.adding(path: path)), path: path)
        }
      }
      if found.count >= limit { break }
    }
    found.sort { ($0.place.input, $0.place.offset) < ($1.place.input, $1.place.offset) }
    return located(found.prefix(limit))
  }

  private mutating func look(
    at batch: ObjectBatch, _ row: Int, _ place: Place
  ) throws(RealmFileError) {
    let position = batch.classPosition
    let number = counts[position, default: 0]
    counts[position] = number + 1
    let single =
      batch.keys.isEmpty ? numbered[position]?[number] : keyed[position]?[batch.keys[row]]
    if let single { found.append(Found(place: place, error: single)) }
    lookForBadKey(batch, row, place)
    try lookForDuplicate(batch, row, place)
    guard !missing.isEmpty else { return }
    uses.removeAll(keepingCapacity: true)
    for property in schema.classes[position].properties.indices {
      lookForLinks(
        in: try batch.value(ofProperty: property, row: row), schema.classes[position], property,
        place)
    }
  }

  private mutating func lookForBadKey(_ batch: ObjectBatch, _ row: Int, _ place: Place) {
    let position = batch.classPosition
    guard keyFaults.contains(position) else { return }
    let key = batch.keys.isEmpty ? nil : batch.keys[row]
    guard let last = lastKeys.updateValue(key, forKey: position) else { return }
    let kind: ImportError.Kind
    switch (last, key) {
    case (nil, nil): return
    case (let last?, let key?):
      guard key.raw <= last.raw else { return }
      kind = .structure(
        "the object key \(key.raw) follows the key \(last.raw); the object keys of a class must ascend"
      )
    case (_, let key): kind = .structure(ObjectFiller.keyProblem(hasKey: key != nil))
    }
    keyFaults.remove(position)
    let error = ImportError(kind, className: source.schema.classes[position].name.text)
    found.append(Found(place: place, error: error))
  }

  private mutating func lookForDuplicate(
    _ batch: ObjectBatch, _ row: Int, _ place: Place
  ) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    guard duplicates[batch.classPosition] != nil, let property = objectClass.primaryKey else {
      return
    }
    let value = try batch.value(ofProperty: property, row: row)
    guard let first = duplicates[batch.classPosition]?[value] else { return }
    guard let first else {
      duplicates[batch.classPosition]?[value] = .some(place)
      return
    }
    let error = ImportError(
      .duplicatePrimaryKey(value: value.quoted, otherLine: nil), className: objectClass.name.text,
      property: objectClass.properties[property].name.text)
    found.append(Found(place: place, error: error, first: first))
  }

  /// Looks for links to missing objects in a value of `property`. The parser limits how deep embedded objects
  /// nest.
  private mutating func lookForLinks(
    in value: RealmValue, _ objectClass: ObjectClass, _ property: Int, _ place: Place
  ) {
    switch value {
    case .link(var link):
      // A primary key that is not optional is never null, so a link to null is refused even if it is marked.
      guard !link.isUnresolved || link.primaryKey == [.null] else { return }
      link.isUnresolved = false
      let use = LinkUse(
        objectClass: ObjectIdentifier(objectClass), property: property, target: link)
      guard missing.contains(link), uses.insert(use).inserted else { return }
      let name = schema.classes[link.classPosition].name.text
      let identity =
        link.primaryKey.first?.quoted ?? link.key.map { "with the key \($0.raw)" } ?? "null"
      let error = ImportError(
        .missingTarget(className: name, identity: identity), className: objectClass.name.text,
        property: objectClass.properties[property].name.text)
      found.append(Found(place: place, error: error))
    case .object(let values):
      guard let target = objectClass.properties[property].target else { return }
      for (i, value) in values.enumerated() {
        lookForLinks(in: value, schema.classes[target], i, place)
      }
    case .list(let values):
      for value in values { lookForLinks(in: value, objectClass, property, place) }
    case .dictionary(let entries):
      for entry in entries { lookForLinks(in: entry.value, objectClass, property, place) }
    default: break
    }
  }

  /// The errors with line and column, located in one pass over each input.
  private func located(_ found: ArraySlice<Found>) -> [ImportError] {
    var result: [ImportError] = []
    var rest = found
    while let input = rest.first?.place.input {
      let own = rest.prefix { $0.place.input == input }
      rest = rest.dropFirst(own.count)
      let errors = own.map {
        var error = $0.error
        error.offset = $0.place.offset
        return error
      }
      // A line in another file would mislead.
      let firsts = own.filter { $0.first?.input == input }
      let places = firsts.map { ImportError(.empty, offset: $0.first?.offset) }
      let located = source.inputs[input].file.located(errors + places)
      var lines = located.dropFirst(errors.count).map(\.line)[...]
      for (var error, found) in zip(located, own) {
        if case .duplicatePrimaryKey(let value, _) = error.kind, found.first?.input == input {
          error.kind = .duplicatePrimaryKey(value: value, otherLine: lines.popFirst() ?? nil)
        }
        result.append(error)
      }
    }
    return result
  }
}
