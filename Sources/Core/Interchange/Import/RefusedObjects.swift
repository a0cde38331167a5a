import RealmBuilding
import RealmModel
import RealmStorage

/// Objects that a builder or a merge refuses, which a further pass over the text finds. The builder and the
/// merge see only values, not where they are.
struct RefusedObjects {
  /// Where an object is.
  private struct Place {
    let text: Int
    let offset: Int
  }

  /// A link to a missing object: its target, and the property that has it.
  private struct LinkUse: Hashable {
    let objectClass: ObjectIdentifier
    let property: Int
    let target: RealmLink
  }

  /// An object that was found.
  private struct Found {
    let place: Place
    var error: ImportError
    /// The first object with the same primary key.
    var first: Place?
  }

  private let source: TextSource
  /// Primary keys that several objects have, by position of the class, and the first object with each.
  private var duplicates: [Int: [RealmValue: Place?]] = [:]
  /// Targets that do not exist, as links that may not be unresolved.
  private var missing = Set<RealmLink>()
  /// Errors of single objects by position of the class and number among its objects, or by object key.
  private var numbered: [Int: [Int: ImportError]] = [:]
  private var keyed: [Int: [ObjectKey: ImportError]] = [:]
  /// Number of objects of each class so far.
  private var counts: [Int: Int] = [:]
  private var found: [Found] = []
  /// The links to missing objects of the current object: a collection may have the same link often.
  private var uses = Set<LinkUse>()

  init(_ source: TextSource) { self.source = source }

  private var schema: ObjectSchema { source.schema }

  // MARK: Wanted objects

  /// Adds the objects of class `position` with a primary key that several have.
  mutating func add(duplicate primaryKey: RealmValue, of position: Int) {
    duplicates[position, default: [:]].updateValue(nil, forKey: primaryKey)
  }

  /// Adds the objects with links to an object that does not exist.
  mutating func add(missing target: RealmLink) { missing.insert(target) }

  /// Adds an object by its number among the objects of its class, or by its object key if the text has
  /// object keys.
  mutating func add(_ error: ImportError, of position: Int, number: Int?, key: ObjectKey) {
    if let number { numbered[position, default: [:]][number] = error }
    keyed[position, default: [:]][key] = error
  }

  // MARK: Finding

  /// The errors with their places, in the order of the text.
  ///
  /// - Parameter limit: the number of errors after which the search ends.
  /// - Throws: the errors of reading the text again.
  mutating func find(limit: Int) throws(ImportError) -> [ImportError] {
    var cursor = source.makeCursor()
    for part in try source.parts() {
      try cursor.open(part)
      let text = source.places[part.number].text
      while let batch = try cursor.next() {
        do throws(RealmFileError) {
          for row in 0..<batch.count {
            try look(at: batch, row, Place(text: text, offset: cursor.batchStarts[row]))
          }
        } catch {
          let path = source.texts[text].file.path
          throw ImportError(.file(error.adding(path: path)), path: path)
        }
      }
      if found.count >= limit { break }
    }
    found.sort { ($0.place.text, $0.place.offset) < ($1.place.text, $1.place.offset) }
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
    try lookForDuplicate(batch, row, place)
    guard !missing.isEmpty else { return }
    uses.removeAll(keepingCapacity: true)
    for property in schema.classes[position].properties.indices {
      lookForLinks(
        in: try batch.value(ofProperty: property, row: row), schema.classes[position], property,
        place)
    }
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

  /// Looks for links to missing objects in a value of `property`. Embedded objects are nested at most as
  /// deep as the parser allows.
  private mutating func lookForLinks(
    in value: RealmValue, _ objectClass: ObjectClass, _ property: Int, _ place: Place
  ) {
    switch value {
    case .link(var link):
      // A primary key that is not optional is never null, so such a link is refused even if it is marked.
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

  /// The errors with line and column; those of one text are located in one pass.
  private func located(_ found: ArraySlice<Found>) -> [ImportError] {
    var result: [ImportError] = []
    var rest = found
    while let text = rest.first?.place.text {
      let own = rest.prefix { $0.place.text == text }
      rest = rest.dropFirst(own.count)
      let errors = own.map {
        var error = $0.error
        error.offset = $0.place.offset
        return error
      }
      // The line of an object in another file would mislead.
      let firsts = own.filter { $0.first?.text == text }
      let places = firsts.map { ImportError(.empty, offset: $0.first?.offset) }
      let located = source.texts[text].file.located(errors + places)
      var lines = located.dropFirst(errors.count).map(\.line)[...]
      for (var error, found) in zip(located, own) {
        if case .duplicatePrimaryKey(let value, _) = error.kind, found.first?.text == text {
          error.kind = .duplicatePrimaryKey(value: value, otherLine: lines.popFirst() ?? nil)
        }
        result.append(error)
      }
    }
    return result
  }
}
