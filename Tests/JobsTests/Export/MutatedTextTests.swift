import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport
import Testing

/// Imported files with random changes end in objects or an error, never in a trap.
@Suite("Imports of mutated files")
struct MutatedTextTests {
  private static let schema =
    #"[{"name":"T","primaryKey":"_id","properties":{"_id":"int","s":"string?","f":"double?","n":"decimal128?","#
    + #""t":"date?","i":"objectId?","x":"data?","l":"int[]","e":"E?","k":"mixed{}","next":"T?","m":"mixed"}},"#
    + #"{"name":"E","embedded":true,"properties":{"q":"string?"}}]"#

  /// Files that go with the schema.
  static let texts: [(name: String, text: String)] = [
    (
      "T.csv",
      """
      _id,s,f,n,t,i,x,l,e,k,next,m\r
      1,"a ""b"",\n c",1.5,2.50,2023-11-14T22:13:20Z,64f0c0de00000001abcdef01,//4=,"[1,2]","{""q"":""r""}","{""a"":[1]}",2,"[1,{""z"":[true]}]"\r
      2,,,,,,,[],,{},1,"{""b"":null}"\r

      """
    ),
    (
      "T.ndjson",
      #"{"_id":1,"s":"é\n","f":1.5,"n":{"$numberDecimal":"2.50"},"t":{"$date":{"$numberLong":"1"}},"#
        + #""i":{"$oid":"64f0c0de00000001abcdef01"},"x":"//4=","l":[1,2],"e":{"q":"r"},"k":{"a":[1]},"#
        + #""next":{"$ref":"T","$id":2},"m":[1,{"z":[true]}]}"# + "\n"
        + #"{"_id":2,"l":null,"k":null,"next":1,"m":{"b":null}}"# + "\n"
    ),
    (
      "T.json",
      #"[{"_id":1,"l":[1,2],"e":{"q":"r"},"m":{"a":true}},{"_id":2,"m":[[[]]]}]"#
    ),
  ]

  /// Bytes that mean something to one of the formats.
  private static let telling = Array("\"\"\"[]{},:\n\r\\$-.0e9 \u{0}".utf8) + [0xFF, 0xC3]

  private func mutated(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...4, using: &random) where !text.isEmpty {
      let place = Int.random(in: 0..<text.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: text.remove(at: place)
      case 1: text.removeSubrange(place...)
      case 2:
        let end = min(text.count, place + Int.random(in: 1...20, using: &random))
        text.insert(contentsOf: text[place..<end], at: place)
      case 3: text[place] = UInt8.random(in: 0...255, using: &random)
      default: text[place] = Self.telling.randomElement(using: &random) ?? 0
      }
    }
    return text
  }

  @Test("a changed file is imported or refused", arguments: texts, [true, false])
  func mutate(text: (name: String, text: String), hasSchema: Bool) throws {
    let folder = try TemporaryFolder()
    let schema = try folder.write(Array(Self.schema.utf8), to: "s.json")
    var random = SplitMix64(seed: 11)
    var (imported, refused) = (0, 0)
    var request = ImportJob.Request()
    request.options.schemaPath = hasSchema ? schema : nil
    request.options.infersStrings = !hasSchema
    for round in 0..<400 {
      let bytes = round == 0 ? Array(text.text.utf8) : mutated(Array(text.text.utf8), &random)
      let path = try folder.write(bytes, to: text.name)
      let job = ImportJob(
        path: path, to: .new(folder.path("x.realm"), replacing: false, key: nil), request: request,
        isDryRun: true)
      do {
        _ = try job.run()
        imported += 1
      } catch {
        // Each error says which file is wrong.
        #expect(error.path == path, "round \(round): \(error)")
        refused += 1
      }
    }
    #expect(imported > 0)
    #expect(refused > 50)
  }
}
