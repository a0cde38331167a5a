import ArgumentParser
import RealmInterchange
import RealmJobs
import RealmQuery

/// What `query` writes about the objects that it finds, and in which order.
struct QueryOptions: ParsableArguments {
  @OptionGroup var arguments: QueryArgumentsOption

  @Option(
    name: [.customShort("c"), .customLong("columns")],
    help: ArgumentHelp(
      "Write the values of these paths instead of all properties, such as name,dog.name,dogs.@count.",
      valueName: "paths"))
  var columns: [String] = []

  @Option(
    help: ArgumentHelp(
      "Sort by this path, ascending, or descending with :desc; can be given several times.",
      valueName: "path[:asc|desc]"))
  var sort: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep only the first object for each value of this path; can be given several times.",
      valueName: "path"))
  var distinct: [String] = []

  @Option(help: ArgumentHelp("Maximum number of objects.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Skip this many objects first.", valueName: "n"))
  var offset = 0

  @Flag(help: "Write the number of objects.")
  var count = false

  @Flag(help: "Write nothing; the exit code is 0 if an object is found, and 1 if none is.")
  var exists = false

  @Option(help: ArgumentHelp("Write the sum of these values.", valueName: "path"))
  var sum: [String] = []

  @Option(help: ArgumentHelp("Write the average of these values.", valueName: "path"))
  var avg: [String] = []

  @Option(help: ArgumentHelp("Write the smallest of these values.", valueName: "path"))
  var min: [String] = []

  @Option(help: ArgumentHelp("Write the largest of these values.", valueName: "path"))
  var max: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write one line for each value of this path, with --count, --sum and others.",
      valueName: "path"))
  var groupBy: String?

  @Flag(help: "Show what the query did instead of what it found.")
  var explain = false

  func validate() throws {
    guard limit ?? 0 >= 0, offset >= 0 else {
      throw ValidationError("--limit and --offset take a number of at least 0")
    }
    let answers = [
      exists, explain, !columns.isEmpty, groupBy != nil || count || !totals.isEmpty,
    ]
    guard answers.count(where: \.self) <= 1 else {
      throw ValidationError(
        "use only one of -c, --exists, --explain and totals such as --count")
    }
  }

  /// The totals of values.
  private var totals: [QueryJob.Total] {
    sum.map { .values(.sum, path: $0) }
      + avg.map { .values(.average, path: $0) }
      + min.map { .values(.min, path: $0) }
      + max.map { .values(.max, path: $0) }
  }

  /// Whether only the number of objects is written.
  var isCount: Bool { count && totals.isEmpty && groupBy == nil }

  /// What the job writes.
  ///
  /// - Parameter toFile: whether a number goes to the file that the job writes.
  func answer(toFile: Bool) -> QueryJob.Answer {
    if exists || explain || (isCount && !toFile) { return .nothing }
    let counts: [QueryJob.Total] = count || (groupBy != nil && totals.isEmpty) ? [.count] : []
    guard groupBy == nil, counts.isEmpty, totals.isEmpty else {
      return .totals(counts + totals, groupedBy: groupBy)
    }
    return .objects(columns)
  }

  /// The paths to sort by, with their direction.
  var sortKeys: [(path: String, isAscending: Bool)] {
    sort.map { text in
      for (ending, isAscending) in [(":asc", true), (":desc", false)] where text.hasSuffix(ending) {
        return (String(text.dropLast(ending.count)), isAscending)
      }
      return (text, true)
    }
  }
}

/// The formats of `query`.
enum QueryFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv, tsv, ids

  /// The format that the job writes. ``TableSink`` lays out the lines of a table.
  var text: RowTextFormat {
    switch self {
    case .table: .table
    case .tsv: .tsv
    case .json: .json
    case .ndjson: .ndjson
    case .csv: .csv
    case .ids: .ids
    }
  }
}
