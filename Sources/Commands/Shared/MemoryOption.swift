internal import ArgumentParser

/// How much memory the decrypted pages of an encrypted realm may take.
struct MemoryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Megabytes of decrypted pages to keep of an encrypted realm.", valueName: "mb"))
  var memory = 256

  init() {}

  func validate() throws {
    guard (1...1_000_000).contains(memory) else {
      throw ValidationError("--memory takes a number from 1 to 1000000, not \(memory)")
    }
  }

  var byteCount: Int { memory * 1_000_000 }
}
