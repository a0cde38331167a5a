package import RealmModel
import RealmStorage

/// The steps of the migration that an SDK makes by itself, without a migration block, for a new schema
/// (chapter 3, section 9.3).
///
/// Properties of another type, and properties that are no longer optional, are removed and added: their values
/// become defaults. Classes that the schema does not have stay.
package struct AutomaticSteps {
  private let from: ObjectSchema
  private let to: ObjectSchema
  private let allowsDataLoss: Bool

  package init(from: ObjectSchema, to: ObjectSchema, allowsDataLoss: Bool) {
    (self.from, self.to, self.allowsDataLoss) = (from, to, allowsDataLoss)
  }

  /// - Throws: `dataLoss` if values would be lost that the user did not give up; `rule` for a change that no
  ///   SDK makes.
  package func steps() throws(PlanError) -> [MigrationStep] {
    let changes = SchemaComparison(from: from, to: to).changes
    let lossy = changes.filter(\.losesValues)
    if !lossy.isEmpty, !allowsDataLoss {
      throw PlanError(
        .dataLoss,
        "the values of these properties would be lost: \(lossy.map(described).joined(separator: ", "))",
        at: .nowhere)
    }
    let steps = SchemaSteps(from: from, to: to, changes: changes, .automatic)
    if let note = steps.notes.first { throw PlanError(.rule, note, at: .nowhere) }
    return steps.steps
  }

  private func described(_ change: SchemaChange) -> String {
    let name = "\(change.className).\(change.property?.text ?? "")"
    switch change.kind {
    case .propertyRemoved: return "\(name) (removed)"
    case .typeChanged: return "\(name) (another type)"
    default: return "\(name) (no longer optional)"
    }
  }
}
