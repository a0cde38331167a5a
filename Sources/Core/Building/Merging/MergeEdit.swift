import RealmModel
import RealmStorage

/// How added objects change a realm whose tables are copied: the clusters to build, and the object keys in the result
/// of all link targets.
struct MergeEdit: Sendable {
  let copied: CopiedTables
  /// The keys in the result, by position of the class and by key in the added realm. Top-level classes without primary
  /// keys are left out.
  let keys: [Int: [ObjectKey: ObjectKey]]
  /// The plans of embedded classes, by position of the class.
  let embedded: [Int: MergePlan]

  /// - Parameter plans: the plans of all classes with added objects, even if these are left out.
  /// - Returns: nil if the tables with added objects must be built.
  /// - Throws: the errors of reading both realms.
  init?(
    _ input: MergeInput, _ request: MergeRequest, _ plans: [Int: MergePlan]
  ) throws(MergeError) {
    guard let existing = input.existing, plans.allSatisfy({ input.canEdit($0.key, $0.value) }),
      input.hasBacklinkColumns(in: existing),
      let targets = try inMerge(MergeEdit.targets(input, request))
    else { return nil }
    let embedded = try EmbeddedChanges(of: plans, input, request, existing).plans
    let changed = plans.filter { !$0.value.keys.isEmpty }.merging(embedded) { first, _ in first }
    let edit = try inMerge(
      CopiedTables(
        editing: existing,
        changed.mapValues { plan in plan.keys.filter { $0.raw <= plan.lastKey } + plan.removed },
        newCounts: changed.mapValues { plan in plan.keys.count { $0.raw > plan.lastKey } },
        input.format))
    guard let edit else { return nil }
    var keys = targets
    for (position, plan) in plans where input.schema.classes[position].primaryKey != nil {
      keys[position, default: [:]].merge(plan.leftOut) { first, _ in first }
      for (added, key) in zip(plan.added, plan.keys) { keys[position, default: [:]][added] = key }
    }
    for (position, plan) in embedded {
      keys[position] = Dictionary(
        zip(plan.added, plan.keys).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    }
    (copied, self.keys, self.embedded) = (edit, keys, embedded)
  }

  /// The keys of the existing objects to which added ones link, by their keys in the added realm.
  ///
  /// - Returns: nil if there are links that get tombstones, or that the builder must refuse.
  private static func targets(
    _ input: MergeInput, _ request: MergeRequest
  ) throws(RealmFileError) -> [Int: [ObjectKey: ObjectKey]]? {
    for table in input.added.schema.tables where table.tombstones != 0 {
      let keys = try input.added.objectKeys(of: table, tombstones: true)
      guard table.primaryKey != nil, keys.allSatisfy(\.isExpected) else { return nil }
    }
    var keys: [Int: [ObjectKey: ObjectKey]] = [:]
    for (position, targets) in try input.foundTargets(request) {
      for (added, existing) in targets {
        guard existing != nil || request.dropsMissingTargets else { return nil }
        keys[position, default: [:]][added] = existing
      }
    }
    return keys
  }
}

extension MergeInput {
  /// Whether the objects of a class can be added to its table. Those with primary keys get other keys in format 20, after
  /// they are added.
  fileprivate func canEdit(_ position: Int, _ plan: MergePlan) -> Bool {
    format.primaryKeys != .hashed || schema.classes[position].primaryKey == nil
      || plan.keys.count == plan.replacingCount
  }

  /// Whether the tables of `realm` have a column for the backlinks of each added link. The first link of a mixed
  /// property to a class makes one.
  fileprivate func hasBacklinkColumns(in realm: Realm) -> Bool {
    added.schema.tables.allSatisfy { table in
      table.backlinkColumns.allSatisfy { column in
        guard let origin = added.schema.table(column.origin),
          let property = origin.columns.firstIndex(where: { $0.key == column.originColumn })
        else { return false }
        let target = realm.schema.tables[positions[table.position]]
        let source = realm.schema.tables[positions[origin.position]]
        return target.backlinkColumns.contains {
          $0.origin == source.key && $0.originColumn == source.columns[property].key
        }
      }
    }
  }
}
