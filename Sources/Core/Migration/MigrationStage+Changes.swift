import RealmBuilding
import RealmModel
import RealmQuery

extension MigrationStage {
  /// What the stage changes in the tables of a realm. Tables that it leaves alone, or gives another name, can be
  /// copied.
  func changes(of realm: Realm) -> TableChanges {
    let old = realm.schema.objects.classes
    let deleting = Set(deletions.map(\.classPosition))
    let draft = draft
    var changes = TableChanges(positions: Array(draft.result.positions.prefix(old.count))) {
      position, property in
      guard !deleting.contains(position) else { return nil }
      return draft.classes[position]?.properties.firstIndex { $0.source == property }
    }
    changes.losing = deleting.union(removals.keys)
    changes.changed = changes.losing
    // Values of mixed properties can be any links that the realm has.
    let targets = Set(realm.schema.tables.filter { !$0.backlinkColumns.isEmpty }.map(\.position))
    for (position, objectClass) in draft.classes.enumerated() {
      guard let objectClass else { continue }
      let newTargets = objectClass.properties.filter { $0.source == nil }.compactMap(\.target)
        .filter { $0 < old.count }
      guard position < old.count else {
        // They get columns for the backlinks of a new class.
        changes.changed.formUnion(newTargets)
        continue
      }
      let operations = operations[position] ?? []
      if !operations.isEmpty || !objectClass.keepsTable(of: old[position]) {
        changes.changed.insert(position)
      }
      changes.newTargets[position] = Set(newTargets)
      if operations.contains(where: \.givesMixedValues) {
        changes.newTargets[position]?.formUnion(targets)
      }
    }
    return changes
  }
}

extension MigrationDraft.Class {
  /// Whether a table of the class differs from one of the class before in nothing but names.
  fileprivate func keepsTable(of old: ObjectClass) -> Bool {
    kind == old.kind && primaryKey == old.primaryKey && properties.count == old.properties.count
      && zip(properties, old.properties).enumerated().allSatisfy { position, pair in
        let (property, oldProperty) = pair
        return property.source == position && property.isOptional == oldProperty.isOptional
          && property.index == oldProperty.index
      }
  }
}

extension MigrationOperation {
  /// Whether the operation gives mixed properties values that they did not have.
  fileprivate var givesMixedValues: Bool {
    switch change {
    case .add(let property, let formula): formula != nil && property.type == .mixed
    case .replace(_, _, let property), .fill(_, _, let property), .convert(_, _, to: let property):
      property.type == .mixed
    case .set(_, let values): values.contains { $0.property.type == .mixed }
    case .remove, .delete, .keep: false
    }
  }
}
