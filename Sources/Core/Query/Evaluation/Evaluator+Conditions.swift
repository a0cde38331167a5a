import RealmModel
import RealmStorage

/// Evaluates conditions on places, words and linked objects.
extension Evaluator {
  // MARK: Places

  /// The rows with a place inside `shape`.
  func rows(
    of path: KeyPath, within shape: GeoShape, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    let rows = mask.rows
    let linked = try follow(path.links, frame, rows)
    guard !linked.keys.isEmpty, let place = GeoPlace(linked.table.objectClass) else { return .none }
    let objects = try objects(linked, from: frame)
    guard case .scalar(let types) = try objects.frame.column(place.type),
      case .collection(let coordinates) = try objects.frame.column(place.coordinates),
      case .scalar(.double(let numbers, _)) = coordinates.elements
    else { return .none }
    var found = RowMask.none
    for (index, row) in rows.enumerated() {
      let isInside = objects.rows[linked.range(of: index)].contains { i in
        guard case .string(let type) = types[i], type.text.lowercased() == "point" else {
          return false
        }
        let range = coordinates.range(of: i)
        guard range.count >= 2 else { return false }
        return shape.contains(
          SpherePoint(
            longitude: numbers[range.lowerBound], latitude: numbers[range.lowerBound + 1]))
      }
      if isInside { found.insert(row) }
    }
    return found
  }

  // MARK: Words

  /// The rows whose string matches the search, without the index.
  func rows(
    matching condition: TextCondition, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    guard case .property(let position, _) = condition.path.end else { return .none }
    let rows = mask.rows
    var found = RowMask.none
    guard !condition.path.links.isEmpty else {
      guard case .scalar(let strings) = try frame.column(position) else { return .none }
      for row in rows where condition.search.matches(strings[row]) { found.insert(row) }
      return found
    }
    // Without a linked object there is no string, not even one without the excluded words.
    let linked = try follow(condition.path.links, frame, rows)
    guard !linked.keys.isEmpty else { return .none }
    let objects = try objects(linked, from: frame)
    guard case .scalar(let strings) = try objects.frame.column(position) else { return .none }
    let isMatch = (0..<strings.count).map { condition.search.matches(strings[$0]) }
    for (index, row) in rows.enumerated()
    where objects.rows[linked.range(of: index)].contains(where: { isMatch[$0] }) {
      found.insert(row)
    }
    return found
  }

  // MARK: Linked objects

  /// The rows whose linked objects are in a set, by the condition's quantifier.
  func rows(
    matching condition: LinkedCondition, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    let set = plan.sets[condition.set]
    guard !condition.links.isEmpty else {
      return mask & RowMask(count: frame.rows.count) { set.contains(frame.keys[$0]) }
    }
    if let found = try rows(matching: condition, set, frame) { return found & mask }
    let rows = mask.rows
    let linked = try follow(condition.links, frame, rows)
    var found = RowMask.none
    for (index, row) in rows.enumerated() {
      let range = linked.range(of: index)
      let isMatch =
        switch condition.quantifier {
        case _ where range.isEmpty: condition.matchesWithoutObjects
        case .any: range.contains { set.contains(linked.keys[$0]) }
        case .all: range.allSatisfy { set.contains(linked.keys[$0]) }
        case .none: !range.contains { set.contains(linked.keys[$0]) }
        }
      if isMatch { found.insert(row) }
    }
    return found
  }
}

extension Evaluator {
  /// The rows of a condition over one single link; nil for other conditions.
  private func rows(
    matching condition: LinkedCondition, _ set: KeySet, _ frame: ObjectFrame
  ) throws(RealmFileError) -> RowMask? {
    guard condition.links.count == 1, case .property(let property) = condition.links[0].source,
      case .link(let column) = try frame.column(property)
    else { return nil }
    let keys = column.keys
    let isOutside = condition.quantifier == .none
    return RowMask(count: keys.count) { row in
      let key = keys[row]
      return key.isNull || key.isUnresolved
        ? condition.matchesWithoutObjects : set.contains(key) != isOutside
    }
  }
}

extension TextSearch {
  /// Whether a string matches; null has no words.
  fileprivate func matches(_ value: BatchValue) -> Bool {
    guard case .string(let text) = value else { return words.isEmpty && prefixes.isEmpty }
    let found = FullTextWords.words(of: text)
    return words.allSatisfy { found.contains($0) }
      && prefixes.allSatisfy { prefix in found.contains { $0.starts(with: prefix) } }
      && !excluded.contains { found.contains($0) }
  }
}
