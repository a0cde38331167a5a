import ArgumentParser
import RealmJobs

/// The objects that `update` or `delete` changes, and when it changes nothing.
struct EditOptions: ParsableArguments {
  @OptionGroup var arguments: QueryArgumentsOption

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
    (request.query, request.arguments, request.expected) = (query, arguments.values, expect)
    (request.sampleCount, request.jobs) = (isDryRun ? max : 0, jobs.count)
    return request
  }
}
