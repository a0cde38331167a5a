import ArgumentParser
import RealmJobs

/// The objects that `update` or `delete` changes, and when it changes nothing.
struct EditOptions: ParsableArguments {
  @Option(
    name: .customLong("arg"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The values of $0, $1, … in the query, in this order: values of Realm JSON, or bare words.",
      valueName: "value"))
  var arguments: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change nothing, and exit with 1, if another number of objects would change.", valueName: "n"
    ))
  var expect: Int?

  @Option(
    help: ArgumentHelp("With --dry-run: maximum number of objects to show.", valueName: "n"))
  var max = 100

  init() {}

  func validate() throws {
    guard expect ?? 0 >= 0 else { throw ValidationError("--expect takes a number of at least 0") }
    guard (0...1000).contains(max) else {
      throw ValidationError("--max takes a number from 0 to 1000, not \(max)")
    }
  }

  /// - Parameter isDryRun: whether objects are shown.
  func request(
    className: String, query: String, jobs: JobsOption, isDryRun: Bool
  ) -> EditRequest {
    var request = EditRequest(className: className)
    (request.query, request.arguments, request.expected) = (query, arguments, expect)
    (request.sampleCount, request.jobs) = (isDryRun ? max : 0, jobs.count)
    return request
  }
}
