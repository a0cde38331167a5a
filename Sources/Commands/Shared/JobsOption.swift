internal import ArgumentParser
internal import CSystem

/// How many threads work at one time.
struct JobsOption: ParsableArguments {
  @Option(help: ArgumentHelp("Threads to use (default: one a processor).", valueName: "n"))
  var jobs: Int?

  init() {}

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs takes a number from 1 to 256, not \(jobs)")
    }
  }

  /// The number given, or the number of processors.
  var count: Int { jobs ?? Int(csystem_processors()) }
}
