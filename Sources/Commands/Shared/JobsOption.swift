package import ArgumentParser
internal import CSystem

/// How many threads work at one time.
package struct JobsOption: ParsableArguments {
  @Option(help: ArgumentHelp("Threads to use (default: one a processor).", valueName: "n"))
  package var jobs: Int?

  package init() {}

  package func validate() throws {
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs takes a number from 1 to 256, not \(jobs)")
    }
  }

  /// The number given, or the number of processors.
  package var count: Int { jobs ?? Int(csystem_processors()) }
}
