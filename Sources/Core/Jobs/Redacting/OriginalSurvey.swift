import RealmModel
import RealmStorage
import Synchronization

/// Reads the strings of a realm that a redaction replaces, and the keys of the objects with primary keys.
///
/// Each round reads twice as many parts of the objects as the one before, on all threads. For each string of a round, four
/// of its bytes are either known from the rounds before or added by its part, so the result does not depend on the number
/// of threads, and few bytes are added more often than if the strings came one after the other.
struct OriginalSurvey {
  let realm: Realm
  let scope: RedactionScope
  let jobs: Int

  struct Result {
    var originals = OriginalTexts()
    /// The objects with primary keys, by position of their class.
    var ranks: [Int: ObjectRanks] = [:]
  }

  /// - Parameter progress: receives the number of objects read, in calls one at a time.
  /// - Throws: the errors of reading.
  func run(_ progress: @escaping @Sendable (Int) -> Void) throws(RealmFileError) -> Result {
    let source = RealmSource(realm, request, classes: realm.schema.objects.topLevelClasses)
    let parts = try source.parts()
    var result = Result()
    var runs = [[ObjectRanks.Run]](repeating: [], count: parts.count)
    var done = 0
    for round in OriginalSurvey.rounds(of: parts.count) {
      let report = try added(
        by: SomeParts(source, round.map { parts[$0] }), known: result.originals
      ) { [done] in progress(done + $0) }
      for word in report.words { result.originals.insert(word) }
      for (part, added) in report.runs { runs[part] = added }
      done += report.objectCount
    }
    for (part, runs) in zip(parts, runs) where !runs.isEmpty {
      result.ranks[part.classPosition, default: ObjectRanks()].append(runs)
    }
    return result
  }

  /// The first one, then always those in the middle between two that were there.
  static func rounds(of count: Int) -> [StrideTo<Int>] {
    guard count > 0 else { return [] }
    var step = 1
    while step < count { step *= 2 }
    var rounds = [stride(from: 0, to: count, by: step)]
    while step > 1 {
      rounds.append(stride(from: step / 2, to: count, by: step))
      step /= 2
    }
    return rounds
  }

  /// What the survey needs: strings, keys of dictionaries, and the primary keys of tombstones, which come with links.
  private var request: ObjectRequest {
    var request = ObjectRequest()
    (request.links, request.normalization) = (.keys, .stored)
    for (position, objectClass) in scope.schema.classes.enumerated() {
      let wanted = objectClass.properties.indices.filter { i in
        let property = objectClass.properties[i]
        switch property.type {
        case .mixed, .link, .typedLink: return true
        default:
          return !scope.keeps(i, ofClass: position)
            && (property.type == .string || property.collection == .dictionary)
        }
      }
      request.properties[position] = Set(wanted)
    }
    return request
  }

  private func added(
    by source: SomeParts, known: OriginalTexts, _ progress: @escaping @Sendable (Int) -> Void
  ) throws(RealmFileError) -> SurveySink.Report {
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try ObjectRoad(
        from: source, to: SurveySink(scope: scope, known: known), jobs: jobs
      ).run(progress: progress)
    } catch {
      throw error.failure
    }
  }
}

/// Takes what parts add to the texts that masks avoid.
private final class SurveySink: ObjectSink {
  typealias Failure = RealmFileError

  struct Report {
    var words: [UInt32] = []
    /// What ``SurveyEncoder/Output/runs`` has for each part.
    var runs: [(part: Int, runs: [ObjectRanks.Run])] = []
    var objectCount = 0
  }

  private let scope: RedactionScope
  private let known: OriginalTexts
  private let report = Mutex(Report())

  init(scope: RedactionScope, known: OriginalTexts) { (self.scope, self.known) = (scope, known) }

  func begin(_ schema: ObjectSchema, classes: [Int]) {}

  func makeEncoder() -> SurveyEncoder { SurveyEncoder(scope: scope, known: known) }

  func accept(_ output: SurveyEncoder.Output, of part: ObjectPart, isLast: Bool) {
    report.withLock {
      $0.words += output.words
      $0.runs.append((part.number, output.runs))
      $0.objectCount += output.objectCount
    }
  }

  func finish() -> Report { report.withLock { $0 } }
}

/// Finds what a part adds.
private struct SurveyEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  struct Output: Sendable {
    let words: Set<UInt32>
    /// The keys of the objects, if they have primary keys.
    let runs: [ObjectRanks.Run]
    let objectCount: Int
  }

  private let scope: RedactionScope
  private let known: OriginalTexts
  private var originals: OriginalsOfPart
  private var runs: [ObjectRanks.Run] = []
  private var objectCount = 0

  init(scope: RedactionScope, known: OriginalTexts) {
    (self.scope, self.known) = (scope, known)
    originals = OriginalsOfPart(known: known)
  }

  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<Output, RealmFileError>) {
    (originals, runs, objectCount) = (OriginalsOfPart(known: known), [], 0)
  }

  mutating func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    try add(batch)
    if scope.schema.classes[batch.classPosition].primaryKey != nil {
      ObjectRanks.Run.add(batch.keys, to: &runs)
    }
    objectCount += batch.count
  }

  func end() -> Output {
    Output(words: originals.words, runs: runs, objectCount: objectCount)
  }

  static func weight(of output: Output) -> Int { 8 * output.words.count + 16 * output.runs.count }

  // MARK: Values

  private func add(_ batch: ObjectBatch) throws(RealmFileError) {
    for (i, column) in batch.columns.enumerated() {
      guard let column else { continue }
      let domain = scope.domain(of: i, ofClass: batch.classPosition)
      if domain?.isByWord == true, case .scalar(.string(let texts)) = column {
        // First the words: then most strings have one that is avoided already.
        for case let text? in texts { originals.add(wordsOf: text) }
      }
      try add(column, isKept: domain == nil)
    }
  }

  /// - Parameter isKept: whether only embedded objects and links are redacted.
  private func add(_ values: ColumnValues, isKept: Bool) throws(RealmFileError) {
    switch values {
    case .scalar(let column): if !isKept { add(column) }
    case .link(let column):
      if let identities = column.identities, scope.domain(ofKeyOf: column.target) != nil {
        add(identities)
      }
    case .embedded(let column): try add(column.objects)
    case .mixed(let column):
      for value in column.values {
        if case .string(let text) = value, !isKept { originals.add(text) }
      }
      for link in column.links {
        if case .string(let text)? = link.identity, scope.domain(ofKeyOf: link.target) != nil {
          originals.add(text)
        }
      }
      if let lists = column.lists { try add(lists, isKept: isKept) }
      if let dictionaries = column.dictionaries { try add(dictionaries, isKept: isKept) }
    case .collection(let column): try add(column, isKept: isKept)
    }
  }

  private func add(_ collections: CollectionColumn, isKept: Bool) throws(RealmFileError) {
    guard let runs = collections.runs else {
      if let keys = collections.keys, !isKept { add(keys) }
      return try add(collections.elements, isKept: isKept)
    }
    while let run = try runs.next() { try add(run, isKept: isKept) }
  }

  private func add(_ column: ScalarColumn) {
    guard case .string(let texts) = column else { return }
    for case let text? in texts { originals.add(text) }
  }
}
