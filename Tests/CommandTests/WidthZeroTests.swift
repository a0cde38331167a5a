import Foundation
import TestSupport
import Testing

/// Realms of up to 16 KB in which nodes of width 0 claim millions of elements, which take no bytes. The fuzzer made
/// them.
@Suite("Nodes of width 0 with millions of elements")
struct WidthZeroTests {
  private static let realms = (1...7).map { "width-zero-\($0)" }
  private static let commands: [[String]] = [
    ["verify", "$"], ["verify", "--quick", "$"], ["info", "$"], ["stats", "$"],
    ["schema", "show", "$"],
    ["export", "$", "--format", "json"], ["query", "$", "T0", "TRUEPREDICATE"],
    ["salvage", "$", "-o", "saved.realm", "--force"],
    ["compact", "$", "-o", "small.realm", "--force"],
  ]
  /// What a command may take more for one of the realms than for an undamaged one of this size.
  private static let allowance = 64 << 20

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The most memory of a command on a realm, in bytes.
  private func peak(_ command: [String], _ realm: String) throws -> Int {
    let arguments = command.map { $0 == "$" ? realm : $0 }
    let result = try runTool(
      [toolURL.path] + arguments, named: "peak-memory", folder: folder.url)
    #expect([0, 1, 65].contains(result.status), "\(arguments): \(result.status) \(result.stderr)")
    return try #require(result.text.split(separator: "\n").last.flatMap { Int($0) })
  }

  @Test("no command takes memory for them", arguments: commands)
  func peaks(command: [String]) throws {
    let ordinary = try peak(command.map { $0 == "T0" ? "Any" : $0 }, Golden.path("indexes.realm"))
    #expect(ordinary > 1 << 20)
    for name in WidthZeroTests.realms {
      let found = try peak(command, Fuzzed.path("\(name).realm"))
      #expect(found < ordinary + WidthZeroTests.allowance, "\(name): \(found) of \(ordinary) bytes")
    }
  }
}
