public import RealmInterchange
package import RealmModel
public import RealmQuery
public import RealmStorage

/// Finds objects of one class with a query, and writes them, or totals over them. Reads
/// one consistent version, even while other processes write to the file.
public struct QueryJob: Sendable {
  /// What to find, and what to write about it.
  public struct Request: Sendable {
    public var className: String
    /// The query; empty for all objects.
    public var text = ""
    /// What `$0`, `$1`, … stand for: values of Realm JSON, or bare words, which are strings.
    public var arguments: [String] = []
    /// Paths with their direction, the most important one first; applied after the orderings of the query.
    public var sort: [(path: String, isAscending: Bool)] = []
    /// Paths whose combination of values occurs once in the result.
    public var distinct: [String] = []
    /// Number of objects that are left out at the start of the result.
    public var offset = 0
    /// The most objects in the result; nil for all.
    public var limit: Int?
    public var answer = Answer.objects([])
    public var format = RowTextFormat.ndjson
    /// Number of threads.
    public var jobs = 1

    public init(className: String) { self.className = className }
  }

  /// The content of the output.
  public enum Answer: Sendable {
    /// The objects: values of these paths, or all properties if there are none.
    case objects([String])
    /// Totals, for all objects or for each group.
    case totals([Total], groupedBy: String?)
    /// Nothing: the report is the answer.
    case nothing
  }

  /// A total to compute.
  public enum Total: Sendable {
    case count
    case values(QueryTotal.Operation, path: String)
  }

  /// The result of a query.
  public struct Report: Sendable {
    /// Number of objects of the result.
    public var found: Int
    /// The steps of the search.
    public var steps: [QueryStep]
    /// The values that the format could not hold.
    public var losses: FormatLosses
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// Runs the query, and publishes the sink.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the given access.
  ///   - makeOutput: makes the output for the snapshot. Called again if the output must start over; the
  ///     first one is then dropped.
  ///   - canStartOver: false if output cannot be taken back once written, as on standard output.
  /// - Throws: what `open` and `makeOutput` throw; ``QueryTextError``; `damaged`;
  ///   `changedWhileReading` if the realm changed after output was written that cannot be taken back;
  ///   `unsupported` for a total that its type cannot hold; the errors of the sink.
  public func run(
    open: (Snapshot.Access) throws -> Snapshot,
    makeOutput: (Snapshot) throws -> any OutputSink,
    canStartOver: Bool
  ) throws -> Report {
    try ProvenOutput.run(
      open: open,
      makeOutput: { (snapshot) in .text(try makeOutput(snapshot)) },
      canStartOver: canStartOver,
      write: { (snapshot, output) in
        let realm = try ReadableRealm(snapshot).current(
          ofClass: request.className, jobs: request.jobs)
        return try answer(try QueryTexts(request, realm), to: output)
      })
  }

  /// Runs the query in a realm that stays open, and publishes the sink.
  ///
  /// - Throws: same as ``run(open:makeOutput:canStartOver:)``, and `changedWhileReading` whenever the realm changed.
  package func run(in realm: Realm, to sink: any OutputSink) throws -> Report {
    try ProvenOutput.run(in: realm.snapshot, to: .text(sink)) { output in
      try answer(try QueryTexts(request, realm), to: output)
    }
  }

  private func answer(
    _ texts: QueryTexts, to output: ProvenOutput
  ) throws -> Report {
    let realm = texts.realm
    let result = try texts.query.run(in: realm, jobs: request.jobs)
    let keys = Array(result.keys.dropFirst(request.offset))
    let losses: FormatLosses
    switch texts.answer {
    case .nothing: losses = FormatLosses()
    case .objects:
      var objects = ObjectRequest()
      objects.properties = texts.properties(for: request.format)
      if texts.isEmbedded { objects.embedded = .asClass }
      losses = try write(
        KeyedSource(realm, objects, classPosition: texts.classPosition, keys: keys), to: output)
    case .columns(let paths):
      losses = try write(
        ColumnSource(realm, classPosition: texts.classPosition, keys: keys, paths: paths),
        to: output)
    case .totals(let totals, let group):
      let source = try TotalSource(
        realm, classPosition: texts.classPosition, keys: keys, totals: totals, groupedBy: group)
      losses = try write(
        source, as: group == nil && totals.count == 1 ? .ids : request.format, to: output)
    }
    try output.publish()
    return Report(found: keys.count, steps: result.steps, losses: losses)
  }

  /// - Parameter format: nil for the requested one.
  private func write<Source: ObjectSource>(
    _ source: Source, as format: RowTextFormat? = nil, to output: ProvenOutput
  ) throws -> FormatLosses where Source.Failure == RealmFileError {
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try (format ?? request.format).write(source, jobs: request.jobs, to: output).losses
    } catch {
      throw error.failure
    }
  }
}
