internal import ArgumentParser
internal import CSystem

/// The number of threads.
struct JobsOption: ParsableArguments {
  @Option(help: ArgumentHelp("Number of threads (default: one per processor).", valueName: "n"))
  var jobs: Int?

  init() {}

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs takes a number from 1 to 256, not \(jobs)")
    }
  }

  /// The given number, or the number of processors.
  var count: Int { jobs ?? Int(csystem_processors()) }
}
