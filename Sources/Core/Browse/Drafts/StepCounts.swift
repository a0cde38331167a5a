import RealmMigration
import RealmModel

/// The numbers of objects that the steps of a plan change now. Those of conditions are searched once for a version.
struct StepCounts: Sendable {
  /// The most searches for one page, and the most objects of the searched classes together: pages stay quick.
  private static let searchLimit = 20
  private static let objectLimit = 1_000_000

  private struct Entry {
    let line: String
    /// Nil if only a trial shows it.
    let count: Int?
  }

  private weak var view: RealmView?
  /// The counts of the first steps of the plan.
  private var known: [Entry] = []

  /// - Parameter jobs: number of threads.
  /// - Returns: the number of each step; nil where only a trial shows it, and where the page would take too long.
  mutating func counts(of steps: [MigrationStep], over view: RealmView, jobs: Int) -> [Int?] {
    let lines = steps.map { PlanWriter.line($0) }
    if self.view !== view { known = [] }
    self.view = view
    known.removeLast(known.count - zip(known, lines).prefix { $0.line == $1 }.count)
    var origins = ClassOrigins(view.schema)
    var counts: [Int?] = []
    var (searchesLeft, objectsLeft) = (StepCounts.searchLimit, StepCounts.objectLimit)
    for (number, step) in steps.enumerated() {
      let objects = step.action.changedClass.flatMap { origins.position(of: $0) }
        .map { view.table($0).objectCount }
      origins.apply(step.action)
      if number < known.count {
        counts.append(known[number].count)
      } else if !step.action.hasCondition || (objects ?? 0) == 0 {
        counts.append(objects ?? 0)
      } else if searchesLeft > 0, let objects, objects <= objectsLeft {
        (searchesLeft, objectsLeft) = (searchesLeft - 1, objectsLeft - objects)
        counts.append(StepCounts.search(number, steps, view, jobs))
      } else {
        counts.append(nil)
        // What was not searched is searched for the next page.
        searchesLeft = 0
        continue
      }
      if number == known.count { known.append(Entry(line: lines[number], count: counts[number])) }
    }
    return counts
  }

  private static func search(
    _ number: Int, _ steps: [MigrationStep], _ view: RealmView, _ jobs: Int
  ) -> Int? {
    do {
      return try MigrationRun.count(
        ofObjectsFoundBy: number, of: steps, in: view.realm, jobs: jobs)
    } catch {
      // A trial tells what is wrong: it makes the same steps.
      return nil
    }
  }
}

/// The positions in a realm that the classes of a plan have now, by their names after some steps.
struct ClassOrigins {
  private var positions: [String: Int] = [:]

  init(_ schema: ObjectSchema) {
    for position in schema.appClasses.reversed() {
      positions[schema.classes[position].name.text] = position
    }
  }

  /// Nil for a class that the steps add.
  func position(of name: String) -> Int? { positions[name] }

  mutating func apply(_ action: MigrationAction) {
    switch action {
    case .renameClass(let from, let to):
      positions[to.text] = positions.removeValue(forKey: from.text)
    case .removeClass(let name): positions[name.text] = nil
    default: break
    }
  }
}

extension MigrationAction {
  /// The class whose objects the step changes or deletes; nil for a step that changes none.
  fileprivate var changedClass: String? {
    switch self {
    case .addProperty(let owner, _, .some), .removeProperty(let owner, _),
      .changeType(let owner, _, _, _), .setRequired(let owner, _, _), .removeClass(let owner),
      .setEmbedded(let owner), .setValues(let owner, _, _), .deleteObjects(let owner, _):
      owner.text
    case .addProperty, .renameProperty, .setOptional, .setPrimaryKey, .removePrimaryKey, .addIndex,
      .removeIndex,
      .addClass, .renameClass, .setTopLevel:
      nil
    }
  }

  /// Whether the step changes only the objects that a search finds.
  fileprivate var hasCondition: Bool {
    switch self {
    case .setValues(_, .meeting, _), .deleteObjects, .setRequired: true
    default: false
    }
  }
}
