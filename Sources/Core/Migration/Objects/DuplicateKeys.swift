import RealmBuilding
package import RealmModel
import RealmStorage
import Synchronization

/// Lists the objects of a class that have equal values in a property, such as the primary key.
package struct DuplicateKeys {
  /// Largest number of values to list, and of objects for each.
  private static let limit = 10

  private let classPosition: Int
  private let property: Int
  private let jobs: Int

  /// - Parameters:
  ///   - classPosition: position of the class.
  ///   - property: position of the property, which can be a primary key.
  ///   - jobs: number of threads.
  package init(classPosition: Int, property: Int, jobs: Int) {
    (self.classPosition, self.property, self.jobs) = (classPosition, property, jobs)
  }

  /// Lists the first duplicates in a realm. Reads only the property.
  ///
  /// - Returns: for each value, `"value" (objects 1, 2)`. Null is a value.
  /// - Throws: `damaged` and the errors of the source.
  package func list(in realm: Realm) throws -> [String] {
    var request = ObjectRequest()
    request.properties[classPosition] = [property]
    return try list { RealmSource(realm, request, classes: [classPosition]) }
  }

  /// Lists the first duplicates.
  ///
  /// - Parameter makeSource: makes the source of the objects; called for each pass.
  /// - Returns: for each value, `"value" (objects 1, 2)`.
  func list<Source: ObjectSource>(_ makeSource: () throws -> Source) throws -> [String] {
    let sink = DuplicateKeySink(
      classPosition: classPosition, property: property, limit: DuplicateKeys.limit,
      budget: MemoryBudget(limit: MemoryBudget.usualLimit))
    let groups = try run(try makeSource(), to: sink)
    guard !groups.isEmpty else { return [] }
    let values = try run(
      try makeSource(),
      to: ValueSink(
        classPosition: classPosition, property: property, keys: Set(groups.compactMap(\.first))))
    return groups.map { keys in
      let value = keys.first.flatMap { values[$0] }?.quoted ?? "null"
      return "\(value) (objects \(keys.map { "\($0.raw)" }.joined(separator: ", ")))"
    }
  }

  private func run<Source: ObjectSource, Sink: ObjectSink<RealmFileError>>(
    _ source: Source, to sink: Sink
  ) throws -> Sink.Report {
    do throws(RoadError<Source.Failure, RealmFileError>) {
      return try ObjectRoad(from: source, to: sink, jobs: jobs).run()
    } catch {
      switch error {
      case .source(let failure): throw (failure as? MigrationFailure)?.cause ?? failure
      case .sink(let error): throw error
      }
    }
  }
}

/// The sink that collects the values of a property of a few objects.
private final class ValueSink: ObjectSink {
  typealias Failure = RealmFileError
  typealias Report = [ObjectKey: RealmValue]

  private let classPosition: Int
  private let property: Int
  /// Keys of the objects.
  private let keys: Set<ObjectKey>
  private let found = Mutex<[ObjectKey: RealmValue]>([:])

  init(classPosition: Int, property: Int, keys: Set<ObjectKey>) {
    (self.classPosition, self.property, self.keys) = (classPosition, property, keys)
  }

  func begin(_ schema: ObjectSchema, classes: [Int]) {}
  func makeEncoder() -> Encoder { Encoder(self) }

  func accept(
    _ output: [ObjectKey: RealmValue], of part: ObjectPart, isLast: Bool
  ) {
    found.withLock { $0.merge(output) { first, _ in first } }
  }

  func finish() -> Report { found.withLock { $0 } }

  /// Collects the values of a part. Used by one thread.
  final class Encoder: ObjectEncoder {
    typealias Failure = RealmFileError
    private let sink: ValueSink
    private var values: [ObjectKey: RealmValue] = [:]

    fileprivate init(_ sink: ValueSink) { self.sink = sink }

    func begin(
      _ part: ObjectPart, _ outlet: PartOutlet<[ObjectKey: RealmValue], RealmFileError>
    ) {
      values = [:]
    }

    func encode(_ batch: ObjectBatch) throws(RealmFileError) {
      guard batch.classPosition == sink.classPosition else { return }
      for (row, key) in batch.keys.enumerated() where sink.keys.contains(key) {
        values[key] = try batch.value(ofProperty: sink.property, row: row)
      }
    }

    func end() -> [ObjectKey: RealmValue] { values }
    static func weight(of output: [ObjectKey: RealmValue]) -> Int { 64 * output.count }
  }
}
