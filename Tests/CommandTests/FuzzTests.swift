import Foundation
import TestSupport
import Testing

@Suite("Mutated realms")
struct FuzzTests {
  /// `make fuzz` runs 100,000.
  @Test("nothing crashes, hangs or takes much memory, whatever bytes a realm has")
  func mutations() throws {
    let realms = Golden.names.map { Golden.path("\($0).realm") }.filter {
      let size = try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int
      return (size ?? .max) < 100_000
    }
    #expect(realms.count > 10)
    let result = try runTool(
      ["--mutations", "2000", "--processes", "2", "--seconds", "30"] + realms, named: "fuzz",
      timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "2000 mutations, 0 failures\n")
  }

  @Test(
    "nor where they have formats 2 to 9",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func legacy() throws {
    let folder = try #require(corpusFolder)
    let texts = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "truth-core5").path)
    let realms = texts.filter { $0.hasSuffix(".txt") && !$0.contains("crypt") }.map {
      folder.appending(path: $0.dropLast(4).replacing("__", with: "/", maxReplacements: 1)).path
    }.sorted()
    #expect(realms.count > 60)
    let result = try runTool(
      ["--mutations", "1000", "--processes", "2", "--seconds", "30"] + realms, named: "fuzz",
      timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "1000 mutations, 0 failures\n")
  }

  @Test("nor whatever text is imported")
  func imports() throws {
    let realms = [
      "all-types", "links", "nested-mixed", "unresolved", "indexes", "names-v0", "asymmetric",
    ].map { Golden.path("\($0).realm") }
    let result = try runTool(
      ["--imports", "--mutations", "2000", "--processes", "2", "--seconds", "30"] + realms,
      named: "fuzz", timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "2000 mutations, 0 failures\n")
  }

  /// `make fuzz` runs a million.
  @Test("nor whatever text a query has")
  func queries() throws {
    let result = try runTool(
      [
        "--queries", "--mutations", "5000", "--processes", "2", "--seconds", "30",
        MeasuredQuery.realm,
      ], named: "fuzz", timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "5000 mutations, 0 failures\n")
  }

  @Test("what is salvaged of it has no errors")
  func salvage() throws {
    let realms = [
      "all-types", "links", "nested-mixed", "unresolved", "indexes", "names-v0", "churned",
    ].map { Golden.path("\($0).realm") }
    let result = try runTool(
      ["--salvage", "--mutations", "500", "--processes", "2", "--seconds", "30"] + realms,
      named: "fuzz", timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "500 mutations, 0 failures\n")
  }

  @Test("nor where the ciphertext of an encrypted realm is changed")
  func encrypted() throws {
    let result = try runTool(
      [
        "--mutations", "10", "--seconds", "30", "--key", Golden.path("people-encrypted.key"),
        Golden.path("people-encrypted.realm"),
      ], named: "fuzz", timeout: 300)
    #expect(result.status == 0, "\(result.text)")
  }
}
