import RealmBuilding
import RealmModel
import RealmStorage

/// Lists the objects of a class that have the same primary key.
struct DuplicateKeys {
  /// The most primary keys that are listed.
  private static let limit = 10
  /// The most bytes of primary keys in memory; what is beyond goes to an unlinked file.
  private static let memoryByteCount = 256 << 20

  let className: String
  let jobs: Int

  /// - Parameter makeSource: makes the source of the objects; called for each pass over them.
  /// - Returns: for each primary key, `"value" (objects 1, 2)`.
  func list<Source: ObjectSource<MigrationFailure>>(
    _ makeSource: () throws -> Source
  ) throws -> [String] {
    let source = try makeSource()
    guard let position = source.schema.classes.firstIndex(where: { $0.name.text == className }),
      let property = source.schema.classes[position].primaryKey
    else { return [] }
    let sink = DuplicateKeySink(
      classPosition: position, property: property, limit: DuplicateKeys.limit,
      budget: MemoryBudget(limit: DuplicateKeys.memoryByteCount))
    let groups = try run(source, to: sink)
    let values = try run(
      try makeSource(),
      to: ValueSink(
        classPosition: position, property: property, keys: Set(groups.compactMap(\.first))))
    return groups.map { keys in
      let value = keys.first.flatMap { values[$0] }?.quoted ?? "null"
      return "\(value) (objects \(keys.map { "\($0.raw)" }.joined(separator: ", ")))"
    }
  }

  private func run<Source: ObjectSource<MigrationFailure>, Sink: ObjectSink<RealmFileError>>(
    _ source: Source, to sink: Sink
  ) throws -> Sink.Report {
    do throws(RoadError<MigrationFailure, RealmFileError>) {
      return try ObjectRoad(from: source, to: sink, jobs: jobs).run()
    } catch {
      switch error {
      case .source(let failure): throw failure.cause
      case .sink(let error): throw error
      }
    }
  }
}
