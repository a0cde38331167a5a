import RealmModel
import RealmSalvage
import RealmStorage

/// Matches the objects of a result with those of the original: by primary key or object key, and if these are
/// lost, by values.
struct ObjectMatches {
  /// An object of the result.
  struct Match {
    /// The class, as reports name it: also for an object without its primary key.
    let className: String
    let key: Int64
    /// Whether the object is in a class for objects without their primary key.
    let hasLostKey: Bool
    fileprivate let values: [Cells.Value]
    fileprivate let positions: [String: Int]

    /// The name of a property in the result: the original's, or the one with the leaf index if names are lost.
    func name(_ column: Column) -> String {
      let name = column.name.text
      return positions[name] == nil ? "property_\(column.key.leafIndex)" : name
    }

    /// The value of a property; nil if the result has no such property.
    func value(of column: Column) -> Cells.Value? { positions[name(column)].map { values[$0] } }
  }

  private let original: Original
  /// Classes that lack properties in the result, as the report says: values that embed them cannot be compared.
  private let incompleteClasses: Set<Int>
  private var matches: [Int: Match] = [:]
  /// Objects of the result that the original does not have.
  private(set) var invented: [Invented] = []

  struct Invented: CustomStringConvertible {
    /// The class in the original.
    let className: String
    /// The values that the report does not list as lost, by name of the property in the result.
    let values: [String: Cells.Value]
    let description: String
  }

  /// - Parameter isReported: whether the report lists a value as lost, by class, property and object key.
  init(
    _ original: Original, _ saved: Cells?, incompleteClasses: Set<Int>,
    isReported: (String, String, Int64) -> Bool
  ) {
    (self.original, self.incompleteClasses) = (original, incompleteClasses)
    guard let saved else { return }
    var byIdentity: [String: Int] = [:]
    var byKey: [String: Int] = [:]
    for (i, object) in original.cells.objects.enumerated() {
      byIdentity["\(object.className)/\(object.identity)"] = i
      byKey["\(object.className)/\(object.key)"] = i
    }
    var unknown: [(className: String, object: Match)] = []
    for object in saved.objects {
      let hasLostKey = object.className.hasPrefix(SalvageSchema.lostPrefix)
      let ownName =
        hasLostKey
        ? String(object.className.dropFirst(SalvageSchema.lostPrefix.count)) : object.className
      let name = original.className(ownName)
      let names = saved.properties[object.className] ?? []
      let match = Match(
        className: ownName, key: object.key, hasLostKey: hasLostKey, values: object.values,
        positions: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) }))
      let known =
        hasLostKey ? byKey["\(name)/\(object.key)"] : byIdentity["\(name)/\(object.identity)"]
      if let known, matches[known] == nil, hasLostKey ? fits(match, known, isReported) : true {
        matches[known] = match
      } else {
        unknown.append((name, match))
      }
    }
    place(unknown, isReported)
  }

  /// The object of the result for the object of the original with a number.
  func match(of number: Int) -> Match? { matches[number] }

  private func columns(ofClass name: String) -> [Column] {
    let table = original.realm.schema.tables.first { $0.isClass && $0.className.text == name }
    return table?.columns ?? []
  }

  /// Whether all values of an object of the result that the report does not list as lost are those of an object
  /// of the original.
  private func fits(
    _ match: Match, _ number: Int, _ isReported: (String, String, Int64) -> Bool
  ) -> Bool {
    !columns(ofClass: original.cells.objects[number].className).enumerated().contains {
      differs(match, number, $0, $1, isReported)
    }
  }

  private func differs(
    _ match: Match, _ number: Int, _ i: Int, _ column: Column,
    _ isReported: (String, String, Int64) -> Bool
  ) -> Bool {
    let object = original.cells.objects[number]
    guard let value = match.value(of: column) else { return false }
    return value != object.values[i] && !value.isWithoutLinks(of: object.values[i])
      && isCompared(match, object.className, i, column, isReported)
  }

  /// Whether the value of a property must be that of the original.
  private func isCompared(
    _ match: Match, _ className: String, _ i: Int, _ column: Column,
    _ isReported: (String, String, Int64) -> Bool
  ) -> Bool {
    !isIncomplete(column) && !isReported(match.className, match.name(column), match.key)
      && !(match.hasLostKey && original.primaryKeys[className] == i)
  }

  private func isIncomplete(_ column: Column) -> Bool {
    column.property.target.map(incompleteClasses.contains) ?? false
  }

  /// The values of an object of the result that the report does not list as lost.
  private func values(
    of match: Match, _ name: String, _ isReported: (String, String, Int64) -> Bool
  ) -> [String: Cells.Value] {
    var values: [String: Cells.Value] = [:]
    for (i, column) in columns(ofClass: name).enumerated()
    where isCompared(match, name, i, column, isReported) {
      values[match.name(column)] = match.value(of: column)
    }
    return values
  }

  /// The properties in which an object differs from the most similar original.
  private func leastDifference(
    _ match: Match, _ name: String, _ isReported: (String, String, Int64) -> Bool
  ) -> [String] {
    let found = original.cells.objects.indices.filter {
      original.cells.objects[$0].className == name
    }.map { number in
      columns(ofClass: name).enumerated().filter { differs(match, number, $0, $1, isReported) }
        .map(\.element.name.text)
    }
    return found.min { $0.count < $1.count } ?? []
  }

  /// Finds objects of the original, among those without a match, for objects whose keys are lost. An object with few
  /// values fits many originals, and yields to others.
  private mutating func place(
    _ unknown: [(className: String, object: Match)], _ isReported: (String, String, Int64) -> Bool
  ) {
    let objects = original.cells.objects
    let free = Dictionary(
      grouping: objects.indices.filter { matches[$0] == nil }, by: { objects[$0].className })
    // The free objects of each class by each of their values without links.
    let byValue = free.mapValues { numbers in
      columns(ofClass: objects[numbers[0]].className).indices.map { i in
        Dictionary(grouping: numbers, by: { objects[$0].values[i].withoutLinks })
      }
    }
    let fitting = unknown.map { name, object in
      // Those that have the value that the fewest have.
      let candidates = columns(ofClass: name).enumerated().compactMap { i, column -> [Int]? in
        guard let value = object.value(of: column), isCompared(object, name, i, column, isReported)
        else { return nil }
        return byValue[name]?[i][value.withoutLinks] ?? []
      }.min { $0.count < $1.count }
      return (candidates ?? free[name] ?? []).filter { fits(object, $0, isReported) }
    }
    var taken: [Int: Int] = [:]
    func take(_ i: Int, _ tried: inout Set<Int>) -> Bool {
      if let k = fitting[i].first(where: { taken[$0] == nil }) {
        taken[k] = i
        return true
      }
      for k in fitting[i] where tried.insert(k).inserted {
        guard let other = taken[k], take(other, &tried) else { continue }
        taken[k] = i
        return true
      }
      return false
    }
    for i in unknown.indices {
      var tried = Set<Int>()
      if !take(i, &tried) {
        let (name, object) = unknown[i]
        let differences = leastDifference(object, name, isReported).prefix(3).joined(
          separator: ", ")
        invented.append(
          Invented(
            className: name, values: values(of: object, name, isReported),
            description: "\(object.className)/\(object.key) (\(differences))"))
      }
    }
    for (k, i) in taken { matches[k] = unknown[i].object }
  }
}
