import ArgumentParser
import CSystem
import RealmStorage

/// The version of a realm that a command reads.
struct VersionOptions: ParsableArguments {
  @Flag(help: "Read the commit before the newest one, if it is intact.")
  var previous = false

  init() {}

  var version: Snapshot.Version { previous ? .previous : .latest }
}

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

/// The size of the cache of decrypted pages.
struct MemoryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Megabytes of decrypted pages of an encrypted realm to keep in memory.", valueName: "mb"))
  var memory = 256

  init() {}

  func validate() throws {
    guard (1...1_000_000).contains(memory) else {
      throw ValidationError("--memory takes a number from 1 to 1000000, not \(memory)")
    }
  }

  var byteCount: Int { memory * 1_000_000 }
}
