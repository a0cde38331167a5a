import RealmStorage
import Synchronization

/// Why objects could not be moved from a source to a sink.
public enum RoadError<SourceFailure: Error, SinkFailure: Error>: Error {
  case source(SourceFailure)
  case sink(SinkFailure)
}

extension RoadError where SourceFailure == SinkFailure {
  /// The error of either side.
  public var failure: SourceFailure {
    switch self {
    case .source(let error), .sink(let error): error
    }
  }
}

/// Moves the objects of a source to a sink on any number of threads. The result does not depend on their number.
public struct ObjectRoad<Source: ObjectSource, Sink: ObjectSink>: Sendable {
  public typealias Failure = RoadError<Source.Failure, Sink.Failure>

  /// Maximum bytes of finished parts that wait for their turn. They are enough for workers to continue while an
  /// earlier part is delayed.
  private static var waitingLimit: Int { 16 << 20 }

  private let source: Source
  private let sink: Sink
  private let jobs: Int

  /// - Parameter jobs: number of threads.
  public init(from source: Source, to sink: Sink, jobs: Int = 1) {
    (self.source, self.sink, self.jobs) = (source, sink, jobs)
  }

  /// The result of a worker for a part, or for a piece of a part.
  private struct Outcome {
    let output: Sink.Encoder.Output
    /// Nil for a piece if the part continues.
    let report: PartReport?
  }

  /// Moves all objects.
  ///
  /// - Parameter progress: receives the number of finished objects. It is called from different threads, one call at a
  ///   time.
  public func run(
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws(Failure) -> Sink.Report {
    let all = try fromSource { () throws(Source.Failure) in try source.parts() }
    try fromSink { () throws(Sink.Failure) in
      try sink.begin(source.schema, classes: source.classes)
    }
    let done = Mutex(0)
    let parts = OrderedParts<Outcome, Failure>(
      count: all.count, jobs: jobs, waitingLimit: Self.waitingLimit,
      weight: { Sink.Encoder.weight(of: $0.output) },
      accept: { [source, sink] (number, outcome) throws(Failure) in
        if let report = outcome.report {
          do throws(Source.Failure) {
            try source.accept(report, of: all[number])
          } catch {
            throw .source(error)
          }
        }
        do throws(Sink.Failure) {
          try sink.accept(outcome.output, of: all[number], isLast: outcome.report != nil)
        } catch {
          throw .sink(error)
        }
        guard let report = outcome.report else { return }
        progress(
          done.withLock {
            $0 += report.objectCount
            return $0
          })
      })
    try parts.run { work(all, parts) }
    return try fromSink { () throws(Sink.Failure) in try sink.finish() }
  }

  private func fromSource<R>(_ body: () throws(Source.Failure) -> R) throws(Failure) -> R {
    do { return try body() } catch { throw .source(error) }
  }

  private func fromSink<R>(_ body: () throws(Sink.Failure) -> R) throws(Failure) -> R {
    do { return try body() } catch { throw .sink(error) }
  }

  /// The work of one thread.
  private func work(_ all: [ObjectPart], _ parts: OrderedParts<Outcome, Failure>) {
    guard var turn = parts.take() else { return }
    do {
      var cursor = try fromSource { () throws(Source.Failure) in try source.makeCursor() }
      var encoder = sink.makeEncoder()
      while true {
        let outcome = try convert(all[turn.part], turn, &cursor, &encoder)
        parts.finish(turn, outcome)
        guard let next = parts.take() else { return }
        turn = next
      }
    } catch {
      parts.fail(turn, error)
    }
  }

  private func convert(
    _ part: ObjectPart, _ turn: OrderedParts<Outcome, Failure>.Turn, _ cursor: inout Source.Cursor,
    _ encoder: inout Sink.Encoder
  ) throws(Failure) -> Outcome {
    let outlet = PartOutlet<Sink.Encoder.Output, Sink.Failure>(
      isNow: { turn.isNow }, waiting: { turn.wait() },
      handing: { (output) throws(Sink.Failure) in
        do throws(Failure) {
          try turn.handOver(Outcome(output: output, report: nil))
        } catch {
          switch error {
          case .sink(let error): throw error
          // The source needs no report for a piece of a part.
          case .source: return
          }
        }
      })
    do { try cursor.open(part) } catch { throw .source(error) }
    encoder.begin(part, outlet)
    while true {
      let batch: ObjectBatch?
      do { batch = try cursor.next() } catch { throw .source(error) }
      guard let batch else { break }
      do { try encoder.encode(batch) } catch { throw .sink(error) }
    }
    do {
      return Outcome(output: try encoder.end(), report: cursor.close())
    } catch {
      throw .sink(error)
    }
  }
}
