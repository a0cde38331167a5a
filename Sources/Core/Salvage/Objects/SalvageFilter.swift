import RealmModel
import RealmStorage

/// Removes what a new realm cannot hold from batches of a damaged one: links to lost objects,
/// impossible dates, invalid strings, nulls of required properties.
///
/// A removed value becomes null, or the default of a required property. A removed element of a list
/// or set is left out, and so is an entry of a dictionary with values that cannot be null. Used by
/// one thread.
struct SalvageFilter {
  /// The rows of a batch whose values of one property were removed, and why.
  struct Removed {
    /// The rows that lost more than links.
    var doubtful: Set<Int> = []
    /// The rows among them with a value that shows that its leaf is damaged.
    var damaged: Set<Int> = []
    /// By row, the number of links that were removed because their target is lost.
    var links: [Int: Int] = [:]
    var rule: Rule?

    var rows: Set<Int> { doubtful.union(links.keys) }
    var linkCount: Int { links.values.reduce(0, +) }

    mutating func formUnion(_ other: Removed) {
      doubtful.formUnion(other.doubtful)
      damaged.formUnion(other.damaged)
      links.merge(other.links) { $0 + $1 }
      if rule == nil { rule = other.rule }
    }

    mutating func insert(_ row: Int, _ rule: Rule) {
      if rule == .linkDangling { links[row, default: 0] += 1 } else { doubtful.insert(row) }
      if rule.showsDamage { damaged.insert(row) }
      if self.rule == nil { self.rule = rule }
    }
  }

  private let schema: ObjectSchema
  /// For each class, the positions of the properties in the result.
  private let kept: [[Int]]
  let rules: ValueRules
  let large = RemovedFromRuns()
  /// Whether an object is in the result.
  private let exists: (_ classPosition: Int, ObjectKey) -> Bool

  init(
    _ schema: ObjectSchema, keeping kept: [[Int]], doubtsText: Bool,
    exists: @escaping (_ classPosition: Int, ObjectKey) -> Bool
  ) {
    (self.schema, self.kept) = (schema, kept)
    (rules, self.exists) = (ValueRules(doubtsText: doubtsText), exists)
  }

  /// The values of a property without those that a new realm cannot hold.
  func filtered(
    _ values: ColumnValues, _ property: Property, _ removed: inout Removed
  ) -> ColumnValues {
    large.property = property.name.text
    return filtered(values, property, rows: nil, &removed).values
  }

  /// By property, what was removed from large collections since the last call. They are read after the
  /// rest of their object, which is the only one of its batch: all rows are 0.
  func takeRemovedFromRuns() -> [String: Removed] {
    defer { large.removed = [:] }
    return large.removed
  }

  /// - Parameter rows: for each value, the row of its object in the batch; nil if it is the row of the
  ///   value.
  /// - Returns: the values, and which of them were removed.
  func filtered(
    _ values: ColumnValues, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> (values: ColumnValues, bad: [Int: Rule]) {
    switch values {
    case .scalar(let column):
      let bad = rules.broken(in: column, isRequired: !property.isOptional)
      note(bad, rows, &removed)
      guard !bad.isEmpty else { return (values, bad) }
      return (.scalar(column.replacing(Set(bad.keys), isOptional: property.isOptional)), bad)
    case .link(var column):
      var bad: [Int: Rule] = [:]
      // An element of a list or set that could not be read.
      if !property.isOptional {
        for row in 0..<column.count where column.nulls[row] { bad[row] = .leafNull }
      }
      for row in 0..<column.count where !column.nulls[row] && !column.unresolved[row] {
        guard row < column.keys.count, !exists(column.target, column.keys[row]) else { continue }
        bad[row] = .linkDangling
        column.nulls.insert(row)
        column.keys[row] = .null
      }
      note(bad, rows, &removed)
      return (.link(column), bad)
    case .mixed(let column):
      return filtered(column, property, rows: rows, &removed)
    case .embedded(let column):
      var bad: [Int: Rule] = [:]
      // An element of a list with a lost object.
      if !property.isOptional {
        for (row, object) in column.rows.enumerated() where object < 0 { bad[row] = .leafNull }
      }
      note(bad, rows, &removed)
      return (.embedded(filtered(column, rows: rows, &removed)), bad)
    case .collection(let column):
      return (.collection(filtered(column, property, rows: rows, &removed)), [:])
    }
  }

  func note(_ bad: [Int: Rule], _ rows: [Int]?, _ removed: inout Removed) {
    for (row, rule) in bad.sorted(by: { $0.key < $1.key }) {
      removed.insert(rows?[row] ?? row, rule)
    }
  }

  private func filtered(
    _ column: MixedColumn, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> (values: ColumnValues, bad: [Int: Rule]) {
    var (column, bad) = (column, [Int: Rule]())
    var (listRows, dictionaryRows) = ([Int: Int](), [Int: Int]())
    for (row, value) in column.values.enumerated() {
      let owner = rows?[row] ?? row
      if let rule = rules.broken(by: value) { bad[row] = rule }
      switch value {
      case .link(let i):
        let link = column.links[i]
        // Only damage makes a link to an asymmetric class or an internal table.
        let target = schema.classes[link.target]
        let isPossible = target.kind != .asymmetric && target.canBeInResult
        guard let key = link.key,
          !isPossible || !link.isUnresolved && !exists(link.target, key)
        else { continue }
        bad[row] = .linkDangling
      case .list(let i): listRows[i] = owner
      case .dictionary(let i): dictionaryRows[i] = owner
      default: continue
      }
    }
    for row in bad.keys { column.values[row] = .null }
    note(bad, rows, &removed)
    func owners(_ rows: [Int: Int], _ count: Int) -> [Int] { (0..<count).map { rows[$0] ?? 0 } }
    let element = Property(name: property.name, type: .mixed, isOptional: true)
    if let lists = column.lists {
      column.lists = filtered(lists, element, rows: owners(listRows, lists.count), &removed)
    }
    if let entries = column.dictionaries {
      column.dictionaries = filtered(
        entries, element, rows: owners(dictionaryRows, entries.count), &removed)
    }
    return (.mixed(column), bad)
  }

  private func filtered(
    _ column: EmbeddedColumn, rows: [Int]?, _ removed: inout Removed
  ) -> EmbeddedColumn {
    var owners = Array(repeating: 0, count: column.objects.count)
    for (row, object) in column.rows.enumerated() where object >= 0 {
      owners[object] = rows?[row] ?? row
    }
    var column = column
    let position = column.objects.classPosition
    let properties = schema.classes[position].properties
    column.objects.columns = kept[position].map { i in
      guard i < column.objects.columns.count, let values = column.objects.columns[i] else {
        return nil
      }
      return filtered(values, properties[i], rows: owners, &removed).values
    }
    return column
  }
}

extension Sequence<LostValues> {
  /// By property of a class, the objects whose values are lost.
  func keysByProperty(ofClass name: String) -> [String: Set<ObjectKey>] {
    var keys: [String: Set<ObjectKey>] = [:]
    for loss in self where loss.className == name {
      if let property = loss.property { keys[property, default: []].formUnion(loss.keys) }
    }
    return keys
  }
}
