package import RealmModel
package import RealmStorage

/// The source of a realm's objects together with added ones: class by class, in the order of their keys in the
/// result.
package final class MergedSource: ObjectSource {
  package typealias Cursor = MergeCursor
  package typealias Failure = MergeError

  /// The most added objects in a part without existing objects.
  private static let partCount = 4096

  /// The content of a part.
  struct Part {
    /// The clusters of the existing realm, if the part has any.
    let existing: ObjectPart?
    /// Added objects, as positions in the plan of the class.
    let added: Range<Int>
  }

  /// Number of objects that were added to a class.
  package struct Counts: Sendable {
    /// Objects that the realm does not have.
    package let inserted: Int
    /// Objects that replace existing objects or change their values.
    package let updated: Int
  }

  let input: MergeInput
  let request: MergeRequest
  package let classes: [Int]
  /// The plans, by position of the class.
  let plans: [Int: MergePlan]
  /// The tables of the existing realm that are copied to the result. This source gives the objects of all others.
  package let copied: CopiedTables?
  /// How the added objects change clusters of tables that are copied; nil if the tables with added objects are built.
  private let edit: MergeEdit?
  /// How the objects of classes with added objects are read.
  let addedRequest: ObjectRequest
  /// The existing objects of classes with added objects (`touched`), and of other classes that are not copied.
  let existing: (touched: RealmSource, others: RealmSource)?
  /// The tombstones of the added realm whose primary keys no existing object has, by position of the class.
  let missing: [Int: Set<ObjectKey>]
  private let all: [ObjectPart]
  let contents: [Part]

  /// - Throws: `exists`, `tooMany`; the errors of reading both realms.
  package init(_ input: MergeInput, _ request: MergeRequest) throws(MergeError) {
    (self.input, self.request) = (input, request)
    let schema = input.schema
    let topLevel =
      schema.topLevelClasses
      + schema.classes.indices.filter {
        schema.classes[$0].isInternal && !schema.classes[$0].isVersionTable
          && schema.classes[$0].kind != .embedded && input.existing != nil
      }
    let all = try MergedSource.plans(input, request)
    let edit = try MergeEdit(input, request, all)
    let embedded = edit?.embedded ?? [:]
    let plans = all.filter { !$0.value.keys.isEmpty }.merging(embedded) { first, _ in first }
    self.plans = plans
    let copied = edit?.copied ?? MergedSource.copied(input, plans)
    // Otherwise embedded objects are read inside their owners.
    let classes = topLevel + embedded.keys.sorted()
    self.classes = classes
    (self.edit, self.copied) = (edit, copied)
    let read = classes.filter { copied?.reads($0) != false }
    let addedRequest = edit == nil ? ObjectRequest() : MergedSource.flat
    self.addedRequest = addedRequest
    let existing = input.existing.map { realm in
      var byKey = ObjectRequest()
      byKey.links = .keys
      return (
        touched: RealmSource(
          realm, addedRequest, classes: read.filter { plans[$0] != nil },
          only: copied?.touched ?? [:]),
        others: RealmSource(realm, byKey, classes: read.filter { plans[$0] == nil })
      )
    }
    self.existing = existing
    missing = request.dropsMissingTargets ? try inMerge(input.missingTargets(request)) : [:]
    var parts: [Part] = []
    let clusters = try existing.map { (sources) throws(MergeError) in
      try inMerge(sources.touched.parts() + sources.others.parts())
    }
    let byClass = Dictionary(grouping: clusters ?? [], by: \.classPosition)
    var ordered: [ObjectPart] = []
    for position in read {
      let own = byClass[position] ?? []
      var next = 0
      for (i, part) in own.enumerated() {
        let limit = i + 1 < own.count ? own[i + 1].clusters.first?.firstKey : nil
        let added = plans[position]?.range(from: next, before: limit) ?? 0..<0
        next = added.upperBound
        ordered.append(
          ObjectPart(classPosition: position, number: ordered.count, clusters: part.clusters))
        parts.append(Part(existing: part, added: added))
      }
      let count = plans[position]?.keys.count ?? 0
      for start in stride(from: next, to: count, by: MergedSource.partCount) {
        ordered.append(ObjectPart(classPosition: position, number: ordered.count))
        parts.append(
          Part(existing: nil, added: start..<min(start + MergedSource.partCount, count)))
      }
    }
    (self.all, contents) = (ordered, parts)
  }

  /// The plans of the classes with added objects.
  ///
  /// - Throws: `exists` for up to ``MergeRequest/errorLimit`` objects; `tooMany`; the errors of reading both
  ///   realms.
  private static func plans(
    _ input: MergeInput, _ request: MergeRequest
  ) throws(MergeError) -> [Int: MergePlan] {
    var plans: [Int: MergePlan] = [:]
    var refused: [MergeError] = []
    for position in input.schema.topLevelClasses {
      guard let table = input.addedTables[position], table.objectCount > 0 else { continue }
      do throws(MergeError) {
        plans[position] = try MergePlan(position, table, input, request)
      } catch {
        guard case .exists = error.kind else { throw error }
        refused.append(error)
        if request.errorLimit == 1 { break }
      }
    }
    if let error = MergeError.joined(refused, limit: request.errorLimit) { throw error }
    return plans
  }

  /// The request for objects whose links, and links to embedded objects, stay as they are.
  private static var flat: ObjectRequest {
    var request = ObjectRequest()
    (request.links, request.embedded) = (.keys, .asClass)
    return request
  }

  /// The tables of the existing realm that the added objects do not touch.
  private static func copied(_ input: MergeInput, _ plans: [Int: MergePlan]) -> CopiedTables? {
    guard let existing = input.existing else { return nil }
    let added = input.added.schema
    var targets: [Int: Set<Int>] = [:]
    for table in added.tables {
      for column in table.backlinkColumns {
        guard let origin = added.table(column.origin) else { continue }
        targets[input.positions[origin.position], default: []]
          .insert(input.positions[table.position])
      }
    }
    let classes = existing.schema.objects.classes
    // Embedded objects are read inside their owners and get new keys, so no link to or from them stays.
    var changes = TableChanges(positions: Array(classes.indices)) { position, property in
      let target = classes[position].properties[property].target
      let isOwner = target.map { classes[$0].kind == .embedded } ?? false
      let isEmbedded = classes[position].kind == .embedded
      return plans[position] != nil || isOwner || isEmbedded ? nil : property
    }
    (changes.changed, changes.newTargets) = (Set(plans.keys), targets)
    changes.losing = Set(classes.indices.filter { classes[$0].kind == .embedded })
    return CopiedTables(of: existing, changes, input.format)
  }

  package var schema: ObjectSchema { input.schema }

  /// Number of objects, except in copied tables.
  package var objectCount: Int {
    (existing.map { $0.touched.objectCount + $0.others.objectCount } ?? 0)
      + plans.values.reduce(0) { $0 + $1.keys.count - $1.replacingCount }
  }

  /// The numbers of added objects, by position of the class.
  package var counts: [Int: Counts] {
    addedPlans.mapValues {
      Counts(inserted: $0.keys.count - $0.replacingCount, updated: $0.replacingCount)
    }
  }

  /// Positions of the classes with added objects.
  package var changedClasses: [Int] { addedPlans.keys.sorted() }

  /// The plans without those of embedded classes.
  var addedPlans: [Int: MergePlan] { plans.filter { schema.classes[$0.key].kind != .embedded } }

  package func parts() -> [ObjectPart] { all }

  package func makeCursor() throws(MergeError) -> MergeCursor {
    try inMerge(MergeCursor(self))
  }

  package func accept(_ report: PartReport, of part: ObjectPart) throws(MergeError) {
    guard let existing, let own = contents[part.number].existing else { return }
    let source = plans[part.classPosition] == nil ? existing.others : existing.touched
    try inMerge(source.accept(report, of: own))
  }

  /// The keys of the added objects that get another key, by position of the class.
  private var newKeys: [Int: [ObjectKey: ObjectKey]] {
    var newKeys: [Int: [ObjectKey: ObjectKey]] = [:]
    for (position, exceptions) in request.exceptions where !exceptions.moved.isEmpty {
      guard let plan = plans[position] else { continue }
      for (key, added) in zip(plan.keys, plan.added) where exceptions.moved.contains(added) {
        newKeys[position, default: [:]][added] = key
      }
    }
    return newKeys
  }

  /// Makes the settler for the added objects.
  ///
  /// - Parameter isForHistory: whether a history gets the objects, which names link targets by their primary keys.
  /// - Throws: the errors of an encrypted realm.
  func makeSettler(isForHistory: Bool = false) throws(RealmFileError) -> LinkSettler {
    let added = try RealmReader(input.added)
    var existing: RealmReader?
    if let realm = input.existing { existing = try RealmReader(realm) }
    let dropsMissing = request.dropsMissingTargets
    let newKeys = newKeys
    let objectKeys = isForHistory ? nil : edit?.keys
    let leftOut = request.exceptions.mapValues(\.missing).filter { !$0.value.isEmpty }
    return LinkSettler(
      positions: input.positions, asksAboutKeys: dropsMissing || !newKeys.isEmpty,
      asksAboutAll: dropsMissing && !leftOut.isEmpty, makesKeys: objectKeys != nil
    ) { [input, missing, existing] (target, key) throws(RealmFileError) in
      if dropsMissing, leftOut[target]?.contains(key) == true { return .dropped }
      let isEmbedded = input.schema.classes[target].kind == .embedded
      guard let table = input.addedTables[target], table.primaryKey == nil, !isEmbedded else {
        if key.isUnresolved, !key.isExpected { return .unresolved }
        if let objectKeys {
          return objectKeys[target]?[key].map { .moved(to: $0) } ?? .dropped
        }
        return dropsMissing && missing[target]?.contains(key) ?? false ? .dropped : .expected
      }
      if key.isUnresolved { return .unresolved }
      if let newKey = newKeys[target]?[key] { return .moved(to: newKey) }
      // Objects without keys in their source have generated keys, which no link uses.
      if input.classesWithKeys.contains(table.className), try added.find(key, in: table) != nil {
        return .expected
      }
      if let existing,
        try existing.find(key, in: existing.realm.schema.tables[target]) != nil
      {
        return .expected
      }
      return .dropped
    }
  }

}

extension MergeInput {
  /// The tombstones of the added realm with primary keys that no existing object has, by position of the class.
  ///
  /// - Parameter deleted: objects of the existing realm that do not count, by position of the class.
  package func missingTargets(
    _ request: MergeRequest, without deleted: [Int: KeyList] = [:]
  ) throws(RealmFileError) -> [Int: Set<ObjectKey>] {
    var missing: [Int: Set<ObjectKey>] = [:]
    for (position, found) in try foundTargets(request) {
      missing[position] = Set(
        found.filter { $0.existing.map { deleted[position]?.contains($0) == true } ?? true }
          .map(\.added))
    }
    return missing
  }

  /// The tombstones of the added realm, and the existing objects with their primary keys, by position of the class.
  func foundTargets(
    _ request: MergeRequest
  ) throws(RealmFileError) -> [Int: [(added: ObjectKey, existing: ObjectKey?)]] {
    var targets: [Int: [(added: ObjectKey, existing: ObjectKey?)]] = [:]
    for position in schema.topLevelClasses {
      guard let table = addedTables[position], table.tombstones != 0 else { continue }
      var found: [ObjectKey: ObjectKey] = [:]
      if let existing {
        for pair in try ObjectJoin.pairsByPrimaryKey(
          ObjectJoin.Side(existing, existing.schema.tables[position]),
          ObjectJoin.Side(added, table, isTombstones: true),
          MemoryBudget(
            limit: request.memoryByteCount, encryptsFiles: existing.snapshot.isEncrypted))
        { found[pair.b] = pair.a }
      }
      targets[position] = try added.objectKeys(of: table, tombstones: true).map { ($0, found[$0]) }
    }
    return targets
  }
}

extension ClusterPosition {
  /// The smallest key that the cluster can contain.
  fileprivate var firstKey: ObjectKey { ObjectKey(Int64(bitPattern: base)) }
}
