import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Patches with random mutations")
struct MutatedPatchTests {
  private static let schema = #"""
    [{"name":"E","embedded":true,"properties":{"n":"int","to":"P?"}},
    {"name":"P","primaryKey":"_id","properties":{"_id":"int","a":"double","s":"string?","l":"P[]","d":"mixed{}","e":"E?","set":"int<>"}},
    {"name":"N","keyMember":"_key","properties":{"t":"data","to":"N?","any":"mixed"}}]
    """#

  private static func document(_ people: String, _ notes: String) -> String {
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":1},"schema":"# + schema
      + #","objects":{"P":[\#(people)],"N":[\#(notes)]}}"#
  }

  private static let old = document(
    #"""
    {"_id":1,"a":1.5,"s":null,"l":[1,2],"d":{"k":[1,{"x":null}]},"e":{"n":1,"to":2},"set":[1,2]},
    {"_id":2,"a":-0.0,"s":"x","l":[],"d":{},"e":null,"set":[]},
    {"_id":3,"a":2.0,"s":"y","l":[3],"d":{},"e":null,"set":[7]}
    """#, #"{"_key":0,"t":{"$binary":{"base64":"AAE=","subType":"00"}},"to":null,"any":5}"#)

  private static let new = document(
    #"""
    {"_id":1,"a":{"$numberDouble":"NaN"},"s":"é","l":[2,4],"d":{"k":{"$date":"2024-01-01T00:00:00Z"}},"e":{"n":2,"to":4},"set":[2,3]},
    {"_id":2,"a":0.0,"s":null,"l":[1],"d":{"m":{"$link":{"class":"N","id":3}}},"e":{"n":3,"to":null},"set":[1]},
    {"_id":4,"a":3.0,"s":"z","l":[1,1],"d":{},"e":null,"set":[]}
    """#,
    #"""
    {"_key":0,"t":{"$binary":{"base64":"","subType":"00"}},"to":3,"any":[1,2]},
    {"_key":3,"t":{"$binary":{"base64":"AAE=","subType":"00"}},"to":0,"any":{"$link":{"class":"P","id":1}}}
    """#)

  @Test("end in an error or a sound realm, and never change the source")
  func mutations() throws {
    let folder = try TemporaryFolder()
    let path = try folder.importRealm(Self.old, as: "old")
    let diff = RealmDiff(
      from: try Realm(path: path), to: try Realm(path: try folder.importRealm(Self.new, as: "new")))
    let text = MemorySink()
    var lines = try PatchLines(to: text, of: diff)
    _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
    try lines.finish()
    let bytes = try readFile(path)
    var (written, refused, failed) = (0, 0, 0)
    for seed in 0..<400 {
      var random = SplitMix64(seed: UInt64(seed))
      let patch = Self.mutated(text.bytes, &random)
      do {
        let file = try folder.write(patch, to: "changed.patch")
        var request = ApplyJob.Request()
        request.resolution = PatchResolution.allCases[seed % 3]
        let report = try ApplyJob(
          try Patch(path: file), to: path, key: nil,
          destination: .file(folder.path("out.realm"), replacing: true), request: request
        ).run()
        if report.rewrite == nil { refused += 1 } else { written += 1 }
        if report.rewrite != nil { try expectNoErrors(folder.path("out.realm")) }
      } catch let error as RealmErrors {
        throw error
      } catch {
        let isExpected = error is ImportError || error is RequestError
        #expect(isExpected, "seed \(seed): \(error)")
        failed += 1
      }
    }
    #expect(try readFile(path) == bytes)
    #expect(written > 20 && failed > 100 && refused > 5, "\(written), \(refused), \(failed)")
  }

  /// The patch with one to three changes of bytes, ranges or lines.
  private static func mutated(_ patch: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = patch
    // Most changes are behind the first line, and most of them change digits, so that the patch stays JSON.
    let head = (patch.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let first = Int.random(in: 0..<10, using: &random) == 0 || head >= bytes.count ? 0 : head
      let place = Int.random(in: first..<bytes.count, using: &random)
      let line = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
      switch Int.random(in: 0..<10, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1, 6, 7, 8, 9:
        if let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) {
          bytes[digit] = UInt8.random(in: 48...57, using: &random)
        }
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + 8))
      case 3: bytes.insert(contentsOf: bytes[line..<end], at: end)
      case 4: bytes.removeSubrange(line..<end)
      default: bytes.insert(contentsOf: "null".utf8, at: place)
      }
      if bytes.isEmpty { return patch }
    }
    return bytes
  }
}
