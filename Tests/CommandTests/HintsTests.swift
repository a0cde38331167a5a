import Foundation
import TestSupport
import Testing

/// What the hints of refusals lead to: each command that a hint names is run on the file, and so on.
@Suite("Hints")
struct HintsTests {
  /// A chain of refusals that is longer leads nowhere.
  private static let chainLimit = 4

  /// One of so many files of the corpus is looked at; REALM_HINTS_STRIDE=1 takes all.
  private static let stride =
    ProcessInfo.processInfo.environment["REALM_HINTS_STRIDE"].flatMap(Int.init) ?? 4

  /// The command lines to begin with. `$` is the file, and `@` a new output.
  private static let starts = [
    "export $ -o @", "verify $", "upgrade $ -o @", "convert $ --to synced -o @", "salvage $ -o @",
  ]

  /// The command line for each command that a hint names.
  private static let commands = [
    "realm-cli salvage": "salvage $ -o @",
    "realm-cli upgrade": "upgrade $ -o @",
    "realm-cli export": "export $ -o @",
    "realm-cli convert --to local": "convert $ --to local -o @",
    "realm-cli convert --to synced --add-primary-keys":
      "convert $ --to synced --add-primary-keys -o @",
    "realm-cli copy": "copy $ -o @",
    "realm-cli verify": "verify $",
    "realm-cli info": "info $",
    "realm-cli schema show": "schema show $",
  ]

  /// How hints begin that say what to do where no command helps.
  private static let ends = [
    // There is nothing in the file to read, or no program that reads it.
    "look for a backup", "look for a later copy", "look for a newer version of realm-cli",
    "an app that opens this path creates a new realm in it",
    "apps can open it as it is", "check the path", "no release of an SDK",
    "use the copy from before the upgrade",
    // Nobody has the key.
    "give the key",
    // The user has to change the realm.
    "rename the property", "change all but one", "remove the index", "split the object",
    "rename the key", "correct the objects above",
    "leave out classes",
  ]

  /// A command line that was run on a file, and the refusal that led to it.
  private struct Step {
    let line: String
    let file: String
  }

  private let folder: TemporaryFolder
  private let followed = Counter()

  init() throws { folder = try TemporaryFolder() }

  private final class Counter {
    var files = 0
    var refusals = 0
    var circles: [String] = []
    var runs = 0
  }

  private func arguments(_ line: String, _ file: String) -> [String] {
    followed.runs += 1
    let output = folder.path("output-\(followed.runs)")
    return line.split(separator: " ").map {
      switch $0 {
      case "$": file
      case "@": output + (line.hasPrefix("export") ? ".json" : ".realm")
      default: String($0)
      }
    }
  }

  /// Follows the hints of a command on a file.
  ///
  /// - Returns: why they lead nowhere; nil if they lead somewhere.
  private func follow(_ line: String, _ file: String, _ chain: [String] = []) throws -> String? {
    let chain = chain + [line]
    let arguments = arguments(line, file)
    let keyOptions = try keyPath(of: file).map { ["--key-file", $0] } ?? []
    let result: ToolResult
    do {
      result = try runTool(arguments + keyOptions, timeout: 120)
    } catch ToolError.damagedResult where !line.hasPrefix("salvage") {
      // A conversion copies nodes with their errors, which `verify` reports.
      return nil
    }
    for argument in arguments where argument.hasPrefix(folder.path("output-")) {
      try? FileManager.default.removeItem(atPath: argument)
    }
    // `salvage` ends with 1 if something is lost, and `verify` reports damage with 65.
    if result.status == 0 || line.hasPrefix("salvage") && result.status == 1 { return nil }
    if line.hasPrefix("verify"), chain.count > 1, result.status == 65, !result.stdout.isEmpty {
      return nil
    }
    followed.refusals += 1
    // `verify` prints its findings, and the hint below them.
    let hints = (result.stderr + result.text).split(separator: "\n").filter {
      $0.contains("hint: ")
    }
    guard !hints.isEmpty else {
      return "\(chain.joined(separator: ", ")): no hint: \(result.stderr)\(result.text.prefix(200))"
    }
    for hint in hints {
      let text = String(hint.drop { $0 != ":" }.dropFirst(2))
      if HintsTests.ends.contains(where: { text.hasPrefix($0) }) { continue }
      let names = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
        $0.offset % 2 == 1
      }.map { String($0.element) }
      let option = text.contains("--discard-unsynced") ? [line + " --discard-unsynced"] : []
      let lines = names.compactMap { HintsTests.commands[$0] } + option
      guard !lines.isEmpty else {
        return "\(chain.joined(separator: ", ")): a hint that names no known command: \(text)"
      }
      var failure: String?
      // One of several ways is enough.
      for line in lines {
        failure = try go(to: line, file, chain, text)
        if failure == nil { break }
      }
      if let failure { return failure }
    }
    return nil
  }

  /// A file with the key of a realm; nil if it has none.
  private func keyPath(of file: String) throws -> String? {
    let golden = file.replacingOccurrences(of: ".realm", with: ".key")
    if golden != file, FileManager.default.fileExists(atPath: golden) { return golden }
    guard let bytes = LegacyFile.key(ofFile: file) else { return nil }
    return try folder.write(bytes, to: "key")
  }

  private func go(
    to line: String, _ file: String, _ chain: [String], _ hint: String
  ) throws -> String? {
    guard !chain.contains(line), chain.count < HintsTests.chainLimit else {
      return "\(chain.joined(separator: ", ")) leads to \(line) again: \(hint)"
    }
    return try follow(line, file, chain)
  }

  /// Runs all commands on a file, and expects that each refusal leads somewhere.
  private func expectWaysOut(of file: String) throws {
    followed.files += 1
    for line in HintsTests.starts {
      if let failure = try follow(line, file) { Issue.record("\(file): \(failure)") }
    }
  }

  @Test("every refusal of a realm of the tests leads somewhere")
  func fixtures() throws {
    for name in Golden.names { try expectWaysOut(of: Golden.path("\(name).realm")) }
    for i in 1...6 { try expectWaysOut(of: Fuzzed.path("width-zero-\(i).realm")) }
    report("fixtures")
  }

  @Test("every refusal of a damaged realm leads somewhere")
  func damaged() throws {
    for (i, name) in Golden.names.enumerated() where !name.hasSuffix("-encrypted") {
      let bytes = try Golden.bytes("\(name).realm")
      guard 4096..<1 << 18 ~= bytes.count else { continue }
      var random = SplitMix64(seed: UInt64(i))
      func write(_ what: String, _ change: (inout [UInt8]) -> Void) throws {
        var damaged = bytes
        change(&damaged)
        try expectWaysOut(of: folder.write(damaged, to: "\(what) \(name).realm"))
      }
      switch i % 4 {
      case 0: try write("truncated") { $0.removeSubrange(($0.count / 2)...) }
      case 1:
        let block = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
        try write("zeroed") {
          $0.replaceSubrange(block..<block + 4096, with: repeatElement(0, count: 4096))
        }
      case 2:
        try write("without header") {
          $0.replaceSubrange(0..<24, with: repeatElement(7, count: 24))
        }
      default:
        let place = Int.random(in: 24..<bytes.count - 512, using: &random)
        try write("scrambled") { bytes in
          for i in place..<place + 512 { bytes[i] = UInt8.random(in: 0...255, using: &random) }
        }
      }
    }
    report("damaged")
  }

  @Test(
    "every refusal of a file of the corpus leads somewhere",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let corpus = try #require(corpusFolder).path
    let paths = try FileManager.default.subpathsOfDirectory(atPath: corpus).sorted()
      .filter { $0.contains(".realm") && !$0.hasSuffix(".json") }.map { "\(corpus)/\($0)" }
      .filter {
        let attributes = try FileManager.default.attributesOfItem(atPath: $0)
        // Large ones are refused like small ones.
        return attributes[.type] as? FileAttributeType == .typeRegular
          && attributes[.size] as? Int ?? 0 < 1 << 18
      }
    for i in Swift.stride(from: 0, to: paths.count, by: HintsTests.stride) {
      try expectWaysOut(of: paths[i])
    }
    report("corpus")
  }

  private func report(_ what: String) {
    print(
      "hints: \(what): \(followed.files) files, \(followed.refusals) refusals followed in "
        + "\(followed.runs) runs")
  }
}
