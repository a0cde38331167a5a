import Foundation
import TestSupport
import Testing

@Suite("Mutated realms")
struct FuzzTests {
  /// `make fuzz` runs 100,000.
  @Test("no bytes of a realm cause a crash, a hang or much memory")
  func mutations() throws {
    let realms = Golden.names.map { Golden.path("\($0).realm") }.filter {
      let size = try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int
      return (size ?? .max) < 100_000
    }
    #expect(realms.count > 10)
    try expectNoFailures(2000, in: realms)
  }

  @Test(
    "nor do those of formats 2 to 9",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func legacy() throws {
    let folder = try #require(corpusFolder)
    let texts = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "truth-core5").path)
    let realms = texts.filter { $0.hasSuffix(".txt") && !$0.contains("crypt") }.map {
      folder.appending(path: $0.dropLast(4).replacing("__", with: "/", maxReplacements: 1)).path
    }.sorted()
    #expect(realms.count > 60)
    try expectNoFailures(1000, in: realms)
  }

  @Test("nor does an imported file")
  func imports() throws {
    let realms = [
      "all-types", "links", "nested-mixed", "unresolved", "indexes", "names-v0", "asymmetric",
    ].map { Golden.path("\($0).realm") }
    try expectNoFailures(2000, of: "--imports", in: realms)
  }

  /// `make fuzz` runs a million.
  @Test("nor does a query")
  func queries() throws {
    try expectNoFailures(5000, of: "--queries", in: [MeasuredQuery.realm])
  }

  @Test("a realm salvaged from them has no errors")
  func salvage() throws {
    let realms = [
      "all-types", "links", "nested-mixed", "unresolved", "indexes", "names-v0", "churned",
    ].map { Golden.path("\($0).realm") }
    try expectNoFailures(500, of: "--salvage", in: realms)
  }

  @Test("nor does the ciphertext of an encrypted realm")
  func encrypted() throws {
    try expectNoFailures(
      10, of: "--key", Golden.path("people-encrypted.key"),
      in: [Golden.path("people-encrypted.realm")])
  }

  /// - Parameter options: more options of `fuzz`.
  private func expectNoFailures(
    _ mutations: Int, of options: String..., in realms: [String]
  ) throws {
    let result = try runTool(
      options + ["--mutations", "\(mutations)", "--processes", "2", "--seconds", "30"] + realms,
      named: "fuzz", timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "\(mutations) mutations, 0 failures\n")
  }
}
