internal import ArgumentParser

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
