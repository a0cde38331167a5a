package import RealmModel
package import RealmStorage
import Synchronization

/// An export as a script for PostgreSQL's `psql`.
package enum PostgresExport {
  /// Writes a script that makes the tables of the objects of `source`.
  ///
  /// - Parameters:
  ///   - sink: receives the script in order.
  ///   - schemaName: name of the schema for the tables, which the script creates if it does not exist.
  ///   - acceptsLosses: false if the script must not lose any value. After the first loss nothing more is written
  ///     then, and the script, whose transaction has no end, changes nothing; the report has all losses.
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key. Object keys then identify
  ///     all objects, also in the links of the source.
  ///   - jobs: number of threads.
  ///   - progress: receives the number of finished objects. Called from different threads, one call at a
  ///     time.
  /// - Throws: the errors of the source and of `sink`; `unsupported` for objects that a row cannot hold.
  package static func write<Source: ObjectSource>(
    _ source: Source, to sink: any OutputSink & Sendable, schemaName: String, acceptsLosses: Bool,
    hasUniqueKeys: Bool = true, jobs: Int, progress: @escaping @Sendable (Int) -> Void
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    let sink = PostgresSink(
      sink, schemaName: schemaName, acceptsLosses: acceptsLosses, hasUniqueKeys: hasUniqueKeys)
    return try ObjectRoad(from: source, to: sink, jobs: jobs).run(progress: progress)
  }
}

/// Writes objects as a script for `psql` (`docs/formats.md`), in one transaction: the tables, the rows of each piece of
/// a part, and at the end the keys and indexes.
final class PostgresSink: ObjectSink {
  typealias Failure = RealmFileError

  private struct State {
    var classes: [Int] = []
    /// Number of objects by position of their class.
    var counts: [Int: Int] = [:]
    var script: PostgresText?
    var losses = FormatLosses()
  }

  private let output: any OutputSink & Sendable
  private let schemaName: String
  private let acceptsLosses: Bool
  private let hasUniqueKeys: Bool
  private let state = Mutex(State())

  init(
    _ output: any OutputSink & Sendable, schemaName: String, acceptsLosses: Bool,
    hasUniqueKeys: Bool
  ) {
    (self.output, self.schemaName) = (output, schemaName)
    (self.acceptsLosses, self.hasUniqueKeys) = (acceptsLosses, hasUniqueKeys)
  }

  /// - Throws: `unsupported` for a class with too many properties; the errors of the output.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(RealmFileError) {
    let layout = try TableLayout(
      schema, classes: classes, .postgres, hasUniqueKeys: hasUniqueKeys)
    let script = PostgresText(layout: layout, schemaName: schemaName)
    state.withLock { state in
      (state.classes, state.script) = (classes, script)
      state.losses.add(.changedNames, count: layout.changedNameCount)
    }
    try output.write(Array(script.start.utf8))
  }

  func makeEncoder() -> PostgresEncoder { PostgresEncoder(state.withLock { $0.script }) }

  func accept(
    _ output: OutputPiece, of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      state.counts[part.classPosition, default: 0] += output.objectCount
      state.losses += output.losses
      if acceptsLosses || !state.losses.hasLostValues { try output.buffer.flush(to: self.output) }
    }
  }

  func finish() throws(RealmFileError) -> WrittenObjects {
    try state.withLock { (state) throws(RealmFileError) in
      if let script = state.script, acceptsLosses || !state.losses.hasLostValues {
        try output.write(Array(script.end.utf8))
      }
      return WrittenObjects(
        counts: state.classes.compactMap { position in
          state.script.map { ($0.layout.schema.classes[position], state.counts[position] ?? 0) }
        }, losses: state.losses)
    }
  }
}
