import RealmMigration
import RealmStorage

/// A step of a migration plan as a form has it: the fields are the members of the step (docs/migrate.md). The properties of
/// `add-class` are pairs of the fields `property` and `propertyType`, the values of `set-values` pairs of `property` and
/// `expression`.
struct StepFields {
  private static let members = [
    "class", "name", "from", "to", "type", "objectType", "collection", "optional", "indexed",
    "fulltext", "embedded", "primary-key", "value", "where",
  ]

  let form: FormFields

  /// The name of the step; empty if the form has none.
  var step: String { form["step"] ?? "" }

  /// Decodes the step.
  ///
  /// - Throws: what is wrong with it. It has no line, because the user has not written a plan.
  func decoded() throws(PlanError) -> MigrationStep {
    do throws(PlanError) {
      let plan = try PlanDecoder.decode(
        Array("realm-migration: 1\nversions: [{to: 1, steps: [\(text)]}]\n".utf8))
      guard let step = plan.versions.first?.steps.first else {
        throw PlanError(.structure, "the form has no step", at: .nowhere)
      }
      return step
    } catch {
      throw error.withoutPlace
    }
  }

  /// The step in YAML. An empty field is an absent member.
  private var text: String {
    var members: [(name: String, value: String)] = []
    for name in StepFields.members {
      guard let value = form[name], !value.isEmpty else { continue }
      members.append((name, StepFields.quoted(value)))
    }
    switch StepName(rawValue: step) {
    case .addClass: members.append(("properties", pairs("propertyType")))
    case .setValues: members.append(("values", pairs("expression")))
    default: break
    }
    return "{\(StepFields.quoted(step)): \(StepFields.mapping(members))}"
  }

  /// Names of properties with the field `value` of each. Rows that are not filled in are left out.
  private func pairs(_ value: String) -> String {
    let pairs = zip(form.all("property"), form.all(value)).filter { name, value in
      !name.isEmpty || !value.isEmpty
    }
    return StepFields.mapping(pairs.map { ($0, StepFields.quoted($1)) })
  }

  /// - Parameter members: the values in YAML.
  private static func mapping(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { "\(quoted($0.name)): \($0.value)" }.joined(separator: ", ") + "}"
  }

  private static func quoted(_ text: String) -> String { PlanWriter.quoted(text, always: true) }
}

extension PlanError {
  /// The error of a step that is in no file.
  var withoutPlace: PlanError {
    var error = self
    (error.path, error.line, error.column) = ("", nil, nil)
    return error
  }
}
