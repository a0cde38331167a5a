import RealmBuilding
import RealmModel
import RealmStorage

/// Writes a new realm from the objects of a source.
struct ObjectRebuild {
  private let body: (RealmOutput, @escaping (Int, Int) -> Void) throws -> Int

  /// - Parameter body: writes the realm into the output, reports the number of objects done and the total, and
  ///   returns the size of the realm in bytes.
  init(_ body: @escaping (RealmOutput, @escaping (Int, Int) -> Void) throws -> Int) {
    self.body = body
  }

  /// - Parameters:
  ///   - request: options of the new realm.
  ///   - done: receives the builder's report before the realm is published.
  init(
    from source: some ObjectSource<RealmFileError>, _ request: RealmBuilder.Request,
    done: @escaping (RealmBuilder.Report) -> Void
  ) {
    body = { (output, progress) in
      let builder = RealmBuilder(into: output, request)
      let total = source.objectCount
      // The road calls it from one thread at a time.
      let tell = UncheckedProgress(progress)
      do throws(RoadError<RealmFileError, BuildError>) {
        let report = try ObjectRoad(from: source, to: builder, jobs: request.jobs).run {
          tell.progress($0, total)
        }
        done(report)
        return report.byteCount
      } catch {
        switch error {
        case .source(let error): throw error
        case .sink(let error): throw RebuildError.cause(error)
        }
      }
    }
  }

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Returns: size of the realm in bytes.
  func write(
    into output: RealmOutput, _ progress: @escaping (Int, Int) -> Void
  ) throws -> Int {
    try body(output, progress)
  }
}

/// A callback that one thread at a time calls.
struct UncheckedProgress: @unchecked Sendable {
  let progress: (Int, Int) -> Void

  init(_ progress: @escaping (Int, Int) -> Void) { self.progress = progress }
}
