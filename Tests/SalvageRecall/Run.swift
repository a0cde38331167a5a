import Foundation
import RealmJobs
import RealmModel
import RealmQuery
import RealmSalvage
import RealmStorage
import RealmVerify
import TestSupport

/// One realm, damaged once and salvaged.
struct Run {
  private let original: Original
  private let survivors: Survivors
  private var tally = Tally()
  /// Cells that the report lists as lost.
  private var reported: [Cell: Rule] = [:]
  /// Whether the report says that links are null because their targets, or classes, are lost.
  private var hasNulledLinks = false
  /// Whether the report says that tables are, or may be, of an older version.
  private var mayBeOlder = false
  /// Whether the report says that nothing is lost, because no rule is broken.
  private var isComplete = false
  /// Classes that lack properties in the result, as the report says.
  private var incompleteClasses = Set<Int>()

  /// A cell of the result by the key of its object, as reports name it.
  private struct Cell: Hashable {
    let className: String
    let property: String
    let key: Int64
  }

  struct Unsound: Error {
    let findings: [Finding]
  }

  /// Objects are lost, but the report says that nothing is.
  struct Untold: Error {}

  /// - Returns: nil if the realm is too small for the damage, or of another kind.
  static func tally(
    _ damage: Damage, on original: Original, other: [UInt8], seed: Int, folder: TemporaryFolder
  ) throws -> Tally? {
    // Realms of equal size are damaged in different places.
    var (bytes, random) = (original.bytes, SplitMix64(seed: original.seed &+ UInt64(seed)))
    guard damage.isOfEncrypted == (original.key != nil),
      let ranges = damage.apply(to: &bytes, innerNodes: original.innerNodes, other: other, &random)
    else { return nil }
    var run = Run(original, try Survivors(original, damaged: ranges))
    try run.salvage(bytes, folder)
    return run.tally
  }

  private init(_ original: Original, _ survivors: Survivors) {
    (self.original, self.survivors) = (original, survivors)
    tally.runs = 1
  }

  private mutating func salvage(_ bytes: [UInt8], _ folder: TemporaryFolder) throws {
    let damaged = try folder.write(bytes, to: "damaged.realm")
    let target = folder.path("saved.realm")
    if FileManager.default.fileExists(atPath: target) {
      try FileManager.default.removeItem(atPath: target)
    }
    var request = SalvageRequest(path: damaged)
    (request.jobs, request.key) = (2, original.key)
    var (isOlder, saved): (Bool, Cells?) = (false, nil)
    do {
      let report = try SalvageJob(request).run(to: .realm(target, replacing: false))
      note(report)
      isOlder = report.isNewestLost
      saved = try cells(of: target, report)
    } catch let error as RealmFileError {
      tally.refused = 1
      tally.note("\(error)")
    }
    let matches = ObjectMatches(original, saved, incompleteClasses: incompleteClasses) {
      [reported] name, property, key in
      reported[Cell(className: name, property: property, key: key)] != nil
    }
    let older = isOlder ? "older version" : saved == nil ? "nothing saved" : nil
    for (i, object) in original.cells.objects.enumerated() {
      try compare(object, matches.match(of: i), older)
    }
    for object in matches.invented {
      if mayBeOlder,
        try original.older().hasObject(object.values, className: object.className)
      {
        tally.older += 1
      } else {
        tally.invented += 1
        tally.note("invented \(object)")
      }
    }
  }

  private mutating func note(_ report: SalvageReport) {
    isComplete = report.isComplete
    mayBeOlder =
      report.isNewestLost || report.isNewestUnknown || report.isRebuilt
      || !report.olderTables.isEmpty
    hasNulledLinks =
      report.nulledLinks > 0 || report.lostSchema.contains { $0.property == nil }
    // A doubtful value is in the result, so it must be right.
    for loss in report.losses where !loss.isDoubtful {
      for key in loss.objectKeys {
        let cell = Cell(className: loss.className ?? "", property: loss.property ?? "", key: key)
        if reported[cell] == nil { reported[cell] = loss.rule }
      }
    }
  }

  /// The cells of the result.
  ///
  /// - Throws: ``Unsound``; ``Untold``.
  private mutating func cells(of target: String, _ report: SalvageReport) throws -> Cells {
    var verifying = VerifyJob.Request(path: target)
    verifying.key = original.key
    let errors = try VerifyJob(verifying).run().findings.filter { $0.severity == .error }
    guard errors.isEmpty else { throw Unsound(findings: errors) }
    let realm = try Realm(path: target, key: original.key)
    let cells = try Cells(realm, name: original.className)
    incompleteClasses = original.classes(lackingPropertiesIn: realm)
    guard !report.isComplete || cells.objects.count >= original.cells.objects.count else {
      throw Untold()
    }
    return cells
  }

  /// The rule that the report names for a lost value of the result.
  private func rule(of object: ObjectMatches.Match, _ column: Column) -> Rule? {
    reported[Cell(className: object.className, property: object.name(column), key: object.key)]
  }

  /// Counts the cells of an object.
  ///
  /// - Parameter other: the object in the result.
  private mutating func compare(
    _ object: Cells.Object, _ other: ObjectMatches.Match?, _ older: String?
  ) throws {
    let schema = original.realm.schema.objects
    guard
      let table = schema.classes.firstIndex(where: {
        !$0.isInternal && $0.name.text == object.className
      })
    else { return }
    let place = LinkedObjects.Place(table: table, key: object.key)
    for (i, column) in original.realm.schema.tables[table].columns.enumerated() {
      let value = other?.value(of: column)
      let isEqual = value == .some(object.values[i])
      if survivors.survives(place, i) {
        let isDescribed = survivors.isDescribed(place, i)
        tally.surviving += 1
        if isDescribed { tally.described += 1 }
        if isEqual {
          tally.recovered += 1
          if isDescribed { tally.describedRecovered += 1 }
        } else {
          let causes = Set(survivors.causes(place)).sorted().map(\.rawValue)
          let all = (older.map { [$0] } ?? []) + causes
          let cause = all.joined(separator: " + ")
          tally.causes[cause, default: 0] += 1
          if isDescribed {
            let reported =
              other.map { rule(of: $0, column)?.rawValue ?? "not reported" } ?? "no object"
            tally.rules[
              "\(object.className).\(column.name.text): \(reported) (\(cause))", default: 0] += 1
          }
        }
      }
      let isReported =
        other.map {
          $0.hasLostKey && schema.classes[table].primaryKey == i
            || rule(of: $0, column) != nil
        } ?? true
      // A property that is missing in the result has no wrong value.
      let isIncomplete = column.property.target.map(incompleteClasses.contains) ?? false
      if let value, !isEqual, !isReported, !isIncomplete,
        !(hasNulledLinks && value.isWithoutLinks(of: object.values[i]))
      {
        if mayBeOlder,
          try original.older().has(
            value, of: other?.name(column) ?? "", className: object.className,
            identity: object.identity)
        {
          tally.older += 1
        } else {
          if isComplete { tally.unseen += 1 } else { tally.wrong += 1 }
          tally.note(
            "wrong \(object.className).\(column.name.text) of \(object.identity)")
        }
      }
    }
  }
}
