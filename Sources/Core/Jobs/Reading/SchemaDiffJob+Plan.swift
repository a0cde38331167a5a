import RealmMigration
import RealmModel

extension SchemaDiffJob.Report {
  /// A migration plan that turns the first schema into the second. Properties that are removed and added may
  /// have been renamed; the plan says where.
  public var plan: String {
    let steps = SchemaSteps(
      from: from.schema, to: to.schema, changes: changes, .converting)
    let version = max(to.version ?? 0, (from.version ?? 0) + 1)
    return PlanWriter.text(steps.steps, to: version, notes: steps.notes + possibleRenamings)
  }

  /// Pairs of a removed and an added property of one class with the same type.
  private var possibleRenamings: [String] {
    var notes: [String] = []
    var taken = Set<Name>()
    for change in changes {
      guard case .propertyRemoved(let old) = change.kind else { continue }
      let match = changes.first { other in
        guard case .propertyAdded(let new) = other.kind, other.className == change.className,
          !taken.contains(new.name)
        else { return false }
        return new.type == old.type && new.isOptional == old.isOptional
          && new.collection == old.collection
          && from.schema.target(of: old)?.name == to.schema.target(of: new)?.name
      }
      guard let match, let name = match.property else { continue }
      taken.insert(name)
      let members = [("class", change.className), ("from", old.name), ("to", name)]
        .map { "\($0): \(PlanWriter.quoted($1.text))" }.joined(separator: ", ")
      notes.append("perhaps rename-property: {\(members)} instead of removing and adding")
    }
    return notes
  }
}
