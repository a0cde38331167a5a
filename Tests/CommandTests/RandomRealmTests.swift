import Foundation
import TestSupport
import Testing

/// Realms of random classes and objects that are imported, exported and imported again.
@Suite("Random realms")
struct RandomRealmTests {
  private static let seeds =
    ProcessInfo.processInfo.environment["REALM_RANDOM_REALMS"].flatMap(Int.init) ?? 15

  @Test("any classes and values survive import and export")
  func roundTrip() throws {
    let result = try runTool(
      ["--seeds", "\(RandomRealmTests.seeds)"], named: "random-realms",
      timeout: 300 + 5 * Double(RandomRealmTests.seeds))
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "\(RandomRealmTests.seeds) realms, 0 failures\n")
  }

  /// Found by a random realm: `verify`, which runs after each import here, reported the index as wrong.
  @Test("the index of mixed values does not list links inside of collections")
  func linksInIndexedCollections() throws {
    let folder = try TemporaryFolder()
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":null},
      "schema":[{"name":"A","primaryKey":"_id","properties":{"_id":"int",\
      "any":{"type":"mixed","indexed":true}}}],
      "objects":{"A":[
      {"_id":1,"any":[{"$link":{"class":"A","id":2}}]},
      {"_id":2,"any":{"$link":{"class":"A","id":1}}},
      {"_id":3,"any":{"key":[{"$link":{"class":"A","id":3}}]}}
      ]}}
      """
    let result = try runTool(
      "import", "-", "-o", "x.realm", stdin: Array(text.utf8), folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    let exported = try JSONParser.parse(
      try runTool("export", "x.realm", folder: folder.url).stdout)
    #expect(exported["objects"] == (try JSONParser.parse(text))["objects"])
  }
}
