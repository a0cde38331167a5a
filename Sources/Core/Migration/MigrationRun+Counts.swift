import RealmBuilding
package import RealmModel
import RealmStorage

extension MigrationRun {
  /// The number of objects that the condition of a step finds after the steps before it.
  ///
  /// - Parameters:
  ///   - number: position of the step in `steps`.
  ///   - jobs: number of threads.
  /// - Returns: nil for a step without a condition, and if only the result of earlier steps shows the number, because the step
  ///   begins a new pass.
  /// - Throws: what is wrong with the steps; ``MigrationError`` for an object that an earlier step cannot change; the errors
  ///   of reading the realm.
  package static func count(
    ofObjectsFoundBy number: Int, of steps: [MigrationStep], in realm: Realm, jobs: Int
  ) throws -> Int? {
    guard let (owner, condition) = steps[number].action.search else { return nil }
    // The search for the objects to delete, whatever the step does with them.
    let search = MigrationStep(
      action: .deleteObjects(class: owner, where: .meeting(condition)), place: .nowhere)
    let steps = steps.prefix(number) + [search]
    var next = 0
    let stage = try stage(Array(steps), from: &next, on: realm.schema.objects)
    guard next == steps.count, case .flat = stage.reading,
      let deletion = stage.deletions.last
    else { return nil }
    var request = RealmBuilder.Request()
    request.jobs = jobs
    let run = MigrationRun(
      Array(steps), StepTally(sampleLimit: 0), key: nil, request, stepNames: { _ in nil })
    var input = FlatSource.Input(
      realm: realm, stage: stage, clock: MigrationClock(), stepNames: { _ in nil })
    for earlier in stage.deletions.dropLast() {
      input.deleted[earlier.step] = try run.found(by: earlier, input)
    }
    return try run.found(by: deletion, input).keys.count
  }
}

extension MigrationAction {
  /// The class and the condition of the objects that the step changes; nil if it has no condition.
  fileprivate var search: (owner: PlanText, condition: PlanText)? {
    switch self {
    case .setValues(let owner, let choice, _), .deleteObjects(let owner, let choice):
      choice.condition.map { (owner, $0) }
    case .setRequired(let owner, let name, _): (owner, PlanText("\(name.text) == null"))
    default: nil
    }
  }
}
