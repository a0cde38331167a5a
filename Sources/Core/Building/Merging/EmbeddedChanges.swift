import RealmModel
import RealmStorage

/// The embedded objects that come with added objects, and those that their owners lose.
struct EmbeddedChanges {
  private let input: MergeInput
  private let request: MergeRequest
  private let existing: Realm
  private var added: [Int: KeyList] = [:]
  private var removed: [Int: KeyList] = [:]
  /// The plans, by position of the class.
  private(set) var plans: [Int: MergePlan] = [:]

  /// - Parameter owners: the plans of the classes with added objects.
  /// - Throws: `tooMany`; the errors of reading both realms.
  init(
    of owners: [Int: MergePlan], _ input: MergeInput, _ request: MergeRequest, _ existing: Realm
  ) throws(MergeError) {
    (self.input, self.request, self.existing) = (input, request, existing)
    for (position, plan) in owners.sorted(by: { $0.key < $1.key }) where !plan.keys.isEmpty {
      let owning = input.schema.owningProperties(ofClass: position)
      if !owning.isEmpty { try inMerge(add(plan, position, owning)) }
    }
    for position in Set(added.keys).union(removed.keys) {
      plans[position] = try MergePlan(
        embedded: added[position] ?? KeyList(), removing: removed[position] ?? KeyList(),
        from: existing.schema.tables[position], in: existing)
    }
  }

  /// Adds the objects inside the objects of a class.
  private mutating func add(
    _ plan: MergePlan, _ position: Int, _ owning: Set<Int>
  ) throws(RealmFileError) {
    guard let table = input.addedTables[position] else { return }
    // The owners by the properties for which they give values, and by those whose values they lose.
    var (giving, losing): ([Set<Int>: [ObjectKey]], [Set<Int>: [ObjectKey]]) = ([:], [:])
    let replaced = Set(try existing.common(existing.schema.tables[position], plan.keys))
    var marks = ObjectRequest()
    marks.properties[table.position] = [table.columns.count - 1]
    let fetcher = try ObjectFetcher(input.added, marks)
    var rest = Array(zip(plan.added, plan.keys))[...]
    while !rest.isEmpty {
      let some = rest.prefix(ObjectBatch.capacity).map(\.0)
      let batch = try fetcher.fetch(some, of: table)
      let marks = request.marks(of: batch, position)
      for ((key, newKey), mark) in zip(rest, marks) {
        let given = owning.filter { mark?.contains($0) != true }
        giving[given, default: []].append(key)
        if replaced.contains(newKey) {
          losing[request.mode.keepsValues ? given : owning, default: []].append(newKey)
        }
      }
      rest = rest.dropFirst(batch.count)
    }
    for (properties, keys) in giving {
      let found = try OwnedObjects(input.added).find(
        in: KeyList(keys), ofClass: table.position, properties: properties)
      for (inner, keys) in found {
        let inner = input.positions[inner]
        added[inner] = added[inner]?.union(keys) ?? keys
      }
    }
    for (properties, keys) in losing {
      let found = try OwnedObjects(existing).find(
        in: KeyList(keys), ofClass: position, properties: properties)
      for (inner, keys) in found { removed[inner] = removed[inner]?.union(keys) ?? keys }
    }
  }
}

extension ObjectSchema {
  /// Positions of the properties with embedded objects.
  fileprivate func owningProperties(ofClass position: Int) -> Set<Int> {
    Set(
      classes[position].properties.indices.filter {
        classes[position].properties[$0].target.map { classes[$0].kind == .embedded } ?? false
      })
  }
}

extension MergeRequest {
  /// The properties for which added objects have no value.
  ///
  /// - Parameter position: position of their class in the result.
  func marks(of objects: ObjectBatch, _ position: Int) -> [AddedMark?] {
    var marks = AddedMark.marks(of: objects)
    guard let exceptions = exceptions[position] else { return marks }
    for row in marks.indices {
      guard let others = exceptions.withoutValues[objects.keys[row]] else { continue }
      if marks[row]?.formUnion(others) == nil { marks[row] = others }
    }
    return marks
  }
}
