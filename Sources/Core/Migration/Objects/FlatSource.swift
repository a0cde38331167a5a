import RealmBuilding
import RealmModel
import RealmQuery
import RealmStorage

/// The source of the objects of a realm after a flat stage. Embedded objects are read as objects of their classes, and
/// links by object key, so all keys stay.
final class FlatSource: ObjectSource {
  typealias Failure = MigrationFailure

  let schema: ObjectSchema
  let classes: [Int]
  fileprivate let base: RealmSource
  fileprivate let input: Input
  /// The position of each class in the schema of the result; nil for a removed class.
  fileprivate let positions: [Int?]
  private let all: [ObjectPart]
  private let originals: [ObjectPart]

  /// What a stage reads, and how.
  struct Input: Sendable {
    let realm: Realm
    let stage: MigrationStage
    let clock: MigrationClock
    /// The tables to copy to the result. Of their objects, only what gives new values is read.
    var copied: CopiedTables?
    /// The keys of the objects that the deletions of the stage found, by number of the step.
    var deleted: [Int: KeyList] = [:]
    /// Nil if nothing is counted.
    var tally: StepTally?
    let stepNames: @Sendable (Int) -> String?
  }

  /// - Parameter only: position of the only class to read; nil for all classes.
  init(_ input: Input, only: Int? = nil) throws(RealmFileError) {
    self.input = input
    let (schema, positions) = input.stage.draft.result
    (self.schema, self.positions) = (schema, positions)
    let old = input.realm.schema.objects
    let read = only.map { [$0] } ?? old.appClasses + old.keptInternalClasses(withEmbedded: true)
    var request = ObjectRequest()
    (request.links, request.embedded) = (.keys, .asClass)
    request.normalization = .format24
    for (position, edit) in input.stage.valueEdits(of: input.realm)
    where positions[position].map({ input.copied?.replaces($0) == true }) == true {
      request.properties[position] = edit.read
    }
    let source = RealmSource(
      input.realm, request,
      classes: read.filter { position in
        positions[position].map { input.copied?.reads($0) != false } ?? false
      }, only: input.copied?.touched ?? [:])
    base = source
    classes =
      only == nil ? schema.classes.indices.filter { !schema.classes[$0].isVersionTable } : []
    originals = try source.parts()
    all = originals.map { part in
      ObjectPart(classPosition: positions[part.classPosition] ?? 0, number: part.number)
    }
  }

  var objectCount: Int { base.objectCount }
  func parts() -> [ObjectPart] { all }

  func makeCursor() throws(MigrationFailure) -> FlatCursor {
    FlatCursor(self, try inMigration(base.makeCursor()))
  }

  func accept(_ report: PartReport, of part: ObjectPart) throws(MigrationFailure) {
    try inMigration(base.accept(report, of: originals[part.number]))
  }

  fileprivate func original(_ part: ObjectPart) -> ObjectPart { originals[part.number] }

  /// The keys of deleted objects, by position of their class in the schema of the result.
  fileprivate var deletedKeys: [Int: KeyList] {
    var all: [Int: KeyList] = [:]
    for deletion in input.stage.deletions {
      guard let keys = input.deleted[deletion.step], !keys.keys.isEmpty,
        let position = positions[deletion.classPosition]
      else { continue }
      all[position] = all[position]?.union(keys) ?? keys
    }
    return all
  }
}

/// The cursor of a flat stage. Used by one thread.
final class FlatCursor: ObjectCursor {
  typealias Failure = MigrationFailure

  private let source: FlatSource
  private let base: RealmCursor
  private let context: MigrationContext
  private let settler: LinkSettler
  private var changes: ObjectChanges?
  private var part = 0
  /// Number of objects of the part that were read.
  private var count = 0

  fileprivate init(_ source: FlatSource, _ base: RealmCursor) {
    (self.source, self.base) = (source, base)
    let (input, positions) = (source.input, source.positions)
    context = MigrationContext(
      input.clock, input.realm, linked: input.stage.linked,
      classNames: input.stage.classNames(of: input.realm.schema.objects))
    let deleted = source.deletedKeys
    let replaced = Set(source.input.stage.replacedKeys.compactMap { positions[$0] })
    // A removed class has a negative position: links to it are dropped. A deleted object could come back by its
    // primary key, but not if another property is the key.
    settler = LinkSettler(
      positions: positions.map { $0 ?? -1 },
      asksAboutKeys: !deleted.isEmpty || positions.contains { $0 == nil }, keepsKeys: true
    ) { target, key in
      if target < 0 || deleted[target]?.contains(key) ?? false { return .dropped }
      guard key.isUnresolved else { return .expected }
      return replaced.contains(target) ? .dropped : .unresolved
    }
  }

  func open(_ part: ObjectPart) {
    let original = source.original(part)
    base.open(original)
    (self.part, count) = (part.number, 0)
    let input = source.input
    changes = ObjectChanges(
      operations: input.stage.operations[original.classPosition] ?? [], context: context,
      deleted: input.deleted, tally: input.tally, stepNames: input.stepNames)
  }

  func next() throws(MigrationFailure) -> ObjectBatch? {
    while true {
      let batch = try inMigration(base.next())
      guard let batch, let changes else { return nil }
      defer { count += batch.count }
      guard let changed = try changes.apply(to: batch, part: part, first: count) else { continue }
      return try inMigration(settler.settle(changed))
    }
  }

  func close() -> PartReport { base.close() }
}

extension MigrationStage {
  /// The name of each class after the stage; for a removed class, the name before.
  ///
  /// - Parameter old: the schema before the stage.
  fileprivate func classNames(of old: ObjectSchema) -> [String] {
    draft.classes.enumerated().map { position, draft in
      draft?.name.text
        ?? (old.classes.indices.contains(position) ? old.classes[position].name.text : "")
    }
  }

  /// The properties of linked objects that expressions read, by position of their class.
  var linked: [Int: Set<Int>] {
    var linked: [Int: Set<Int>] = [:]
    for operation in operations.values.joined() {
      for place in operation.formulas.flatMap(\.linked) {
        linked[place.classPosition, default: []].insert(place.property)
      }
    }
    return linked
  }
}

extension MigrationOperation {
  fileprivate var formulas: [Formula] {
    switch change {
    case .add(_, let formula), .fill(_, let formula, _): formula.map { [$0] } ?? []
    case .replace(_, let formula, _), .keep(let formula): [formula]
    case .set(let choice, let values): (choice.condition.map { [$0] } ?? []) + values.map(\.formula)
    case .remove, .convert, .delete: []
    }
  }
}
