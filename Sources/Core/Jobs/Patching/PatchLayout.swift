import RealmCompare
import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// How the classes of a realm become those of a patch, if they are the same but for what the patch adds.
struct PatchLayout {
  let steps: [MigrationStep]
  /// The schema of the realm after the steps.
  let schema: ObjectSchema
  private let patch: ObjectSchema

  /// - Parameters:
  ///   - schema: the schema of the realm.
  ///   - path: path of the realm.
  /// - Throws: `otherClasses`, `syncedMigration`, `cannotSync`; ``PlanError`` for a change that no step can make.
  init(_ patch: PatchInput, for schema: ObjectSchema, isSynced: Bool, path: String) throws {
    let head = patch.head
    self.patch = head.schema
    let changes = SchemaComparison(from: schema, to: head.schema).changes
    let applied = changes.filter { PatchLayout.isListed($0, in: head) }
    let touched = PatchLayout.touched(patch)
    let refused = changes.filter { change in
      switch change.kind {
      // The realm may have more than the patch.
      case .classRemoved, .propertyRemoved, .index: false
      default: touched.contains(change.className) && !PatchLayout.isListed(change, in: head)
      }
    }
    guard refused.isEmpty else {
      throw RequestError(.otherClasses(refused.map(\.sentence)), path: path)
    }
    let planned = SchemaSteps(from: schema, to: head.schema, changes: applied, .automatic)
    guard planned.notes.isEmpty else {
      throw RequestError(.otherClasses(planned.notes), path: path)
    }
    steps = planned.steps
    if isSynced { try AdditiveSteps.checkOnlyAdd(steps, path: path) }
    self.schema = try MigrationRun.check(steps, on: schema)
    if isSynced { try AdditiveSteps.checkCanSync(self.schema, after: schema, path: path) }
  }

  /// Whether the patch makes a change. A class that it adds may exist without some of the properties.
  private static func isListed(_ change: SchemaChange, in head: PatchHead) -> Bool {
    guard let kind = PatchHead.Change(change)?.kind else { return false }
    return head.changes.contains {
      $0.className == change.className
        && ($0.kind == kind && $0.property == change.property
          || $0.kind == .classAdded && kind == .propertyAdded)
    }
  }

  /// The names of the classes that the patch changes or adds, and of the embedded classes inside them.
  private static func touched(_ patch: PatchInput) -> Set<Name> {
    let schema = patch.head.schema
    let named = Set(patch.head.changes.map(\.className))
    return schema.namesWithEmbedded(
      schema.appClasses.filter {
        named.contains(schema.classes[$0].name) || patch.counts[$0].map { !$0.isZero } ?? false
      })
  }

  /// Positions of the properties that the patch covers, without the primary key, by position of the class, for the
  /// classes with changed objects.
  ///
  /// - Parameter counts: the numbers of changes, by position of the class in the schema of the patch.
  func properties(_ counts: [Int: PatchInput.Counts]) -> [Int: [Int]] {
    var properties: [Int: [Int]] = [:]
    for (position, counts) in counts where !counts.isZero {
      guard let own = self.position(of: position) else { continue }
      let (covered, objectClass) = (patch.classes[position].properties, schema.classes[own])
      let names = Set(covered.map(\.name))
      properties[own] = objectClass.properties.indices.filter {
        $0 != objectClass.primaryKey && names.contains(objectClass.properties[$0].name)
      }
    }
    return properties
  }

  /// The number of changed objects of each class, by position.
  func changed(_ counts: [Int: PatchInput.Counts]) -> [Int: Int] {
    var changed: [Int: Int] = [:]
    for (position, counts) in counts {
      if let own = self.position(of: position) { changed[own] = counts.changed }
    }
    return changed
  }

  /// The position in the realm of a class of the patch; nil if the realm does not have it.
  private func position(of position: Int) -> Int? {
    let name = patch.classes[position].name
    return schema.appClasses.first { schema.classes[$0].name == name }
  }
}
