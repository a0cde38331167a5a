import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs

/// Redacts realms whose objects are in many parts.
@Suite("Redaction of many objects")
struct LargeRedactionTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  private func redact(_ path: String, jobs: Int = 2) throws {
    var request = RedactJob.Request()
    (request.seed, request.jobs) = (7, jobs)
    _ = try RedactJob(
      path: path, key: nil, destination: .file(out, replacing: true), request: request
    ).runVerified()
  }

  private func objects(_ path: String, _ className: String) throws -> [JSONValue] {
    let document = try JSONParser.parse(try export(path, as: .json).bytes)
    return try #require(document["objects"]?[className]?.array)
  }

  /// A realm whose objects link to each other in every way, with gaps between their keys.
  private func realm(count: Int) throws -> String {
    let words = ["hobbit", "wizard", "ranger", "dwarf", "elf", "ent"]
    var random = SplitMix64(seed: 3)
    func id(_ number: Int) -> String { "\"\(words[number % 6])-\(number)\"" }
    var objects: [String] = []
    for i in 0..<count {
      func other() -> String { id(Int(random.next() % UInt64(count))) }
      let others = [other(), other(), other()]
      let tags = Set((0..<3).map { _ in "\"\(words[Int(random.next() % 6)])\"" }).sorted()
      objects.append(
        """
        {"id":\(id(i)),"gone":\(random.next() % 4 == 0),"friend":\(other()),
        "list":[\(others.joined(separator: ","))],"set":[\(Set(others).sorted().joined(separator: ","))],
        "any":{"$link":{"class":"P","id":\(other())}},"tags":[\(tags.joined(separator: ","))],
        "short":{"a\(i % 10)":\(i),"b\(i % 10)":\(i)},
        "bio":"\(words[i % 5]) and \(words[i % 3]) of number \(i)","secret":"s\(random.next())"}
        """)
    }
    let path = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"P","primaryKey":"id","#
        + #""properties":{"id":"string","gone":"bool","friend":"P?","list":"P[]","set":"P<>","any":"mixed","#
        + #""tags":"string<>","short":"int{}","bio":{"type":"string","fulltext":true},"secret":"string"}}],"#
        + "\"objects\":{\"P\":[\(objects.joined(separator: ","))]}}")
    var request = EditRequest(className: "P")
    request.query = "gone == true"
    _ = try DeleteJob(
      path: path, key: nil, destination: .inPlace(backup: false), request: request
    ).run()
    return path
  }

  /// What each object links to, by position.
  private func links(_ objects: [JSONValue]) throws -> [[Int]] {
    var positions: [String: Int] = [:]
    for (i, object) in objects.enumerated() {
      positions[try #require(object["id"]?.string)] = i
    }
    #expect(positions.count == objects.count)
    func position(_ id: JSONValue?) -> Int {
      id?.string.map { positions[$0] ?? -2 } ?? -1
    }
    return objects.map { object in
      let list = object["list"]?.array?.map { position($0) } ?? []
      let set = object["set"]?.array?.map { position($0) }.sorted() ?? []
      return [position(object["friend"]), position(object["any"]?["$link"]?["id"])] + list + [-9]
        + set
    }
  }

  @Test("links lead to the same objects, equal values stay equal, and no string is left")
  func content() throws {
    let path = try realm(count: 5000)
    try redact(path)
    let (before, after) = (try objects(path, "P"), try objects(out, "P"))
    #expect(before.count > 3000 && before.count < 5000)
    #expect(try links(before) == links(after))
    #expect(try !links(after).joined().contains(-2))
    for property in ["bio", "secret", "id"] {
      var masks: [String: String] = [:]
      for (old, new) in zip(before, after) {
        let text = try #require(old[property]?.string)
        let mask = try #require(new[property]?.string)
        #expect(masks[text] == nil || masks[text] == mask)
        #expect(mask != text && mask.utf8.count == text.utf8.count)
        masks[text] = mask
      }
    }
    // The same word at the same place of two strings.
    var words: [String: String] = [:]
    for (old, new) in zip(before, after) {
      for (word, mask) in zip(
        old["bio"]?.string?.split(separator: " ") ?? [],
        new["bio"]?.string?.split(separator: " ") ?? [])
      where words.updateValue(String(mask), forKey: String(word)).map({ $0 != mask }) ?? false {
        Issue.record("\(word) has become two words")
      }
    }
    for (old, new) in zip(before, after) {
      #expect(
        Set(new["tags"]?.array?.compactMap(\.string) ?? []).count == old["tags"]?.array?.count)
      #expect(Set(new["short"]?.members?.map(\.name) ?? []).count == 2)
    }
    var texts: Set<String> = []
    for object in before {
      for property in ["id", "secret", "bio"] { texts.insert(object[property]?.string ?? "") }
      for tag in object["tags"]?.array ?? [] { texts.insert(tag.string ?? "") }
    }
    #expect(foundTexts(texts.filter { $0.utf8.count >= 4 }, in: try readFile(out)) == [])
  }

  @Test("the copy has the same bytes with any number of threads")
  func threads() throws {
    let path = try realm(count: 5000)
    var copies: Set<[UInt8]> = []
    for jobs in [1, 2, 4] {
      try redact(path, jobs: jobs)
      copies.insert(try readFile(out))
    }
    #expect(copies.count == 1)
  }

  @Test("primary keys stay unique if all strings of their form are keys", arguments: [1, 3])
  func keys(jobs: Int) throws {
    let ids = (0..<2000).map { "\"\($0)\"" }
    let records = ids.map { "{\"id\":\($0)}" }.joined(separator: ",")
    let path = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"#
        + #""schema":[{"name":"K","primaryKey":"id","properties":{"id":"string"}},"#
        + #"{"name":"L","primaryKey":"id","properties":{"id":"string","k":"K?"}}],"#
        + "\"objects\":{\"K\":[\(records)],\"L\":["
        + ids.map { "{\"id\":\($0),\"k\":\($0)}" }.joined(separator: ",") + "]}}")
    try redact(path, jobs: jobs)
    let (k, l) = (try objects(out, "K"), try objects(out, "L"))
    #expect(Set(k.compactMap { $0["id"]?.string }).count == 2000)
    // Equal keys of two classes stay equal.
    for (one, two) in zip(k, l) {
      #expect(one["id"] == two["id"] && two["k"] == two["id"])
    }
  }

  // MARK: Parts

  @Test("each part is in one round, and each round has as many parts as those before")
  func rounds() {
    for count in 0...70 {
      let rounds = OriginalSurvey.rounds(of: count).map(Array.init)
      #expect(rounds.joined().sorted() == Array(0..<count))
      #expect(rounds.first ?? [0] == [0])
    }
    #expect(OriginalSurvey.rounds(of: 6).map(Array.init) == [[0], [4], [2], [1, 3, 5]])
  }

  @Test("the rank of an object is its position among the keys")
  func ranks() {
    let keys: [Int64] = [0, 1, 2, 7, 8, 100, 1 << 40, 1 << 40 + 1]
    for cut in 0...keys.count {
      var ranks = ObjectRanks()
      for part in [keys[..<cut], keys[cut...]] {
        var runs: [ObjectRanks.Run] = []
        ObjectRanks.Run.add(part.map { ObjectKey($0) }, to: &runs)
        ranks.append(runs)
      }
      for (i, key) in keys.enumerated() { #expect(ranks[ObjectKey(key)] == i) }
      for key in [3, 6, 9, 99, 101, 1 << 40 - 1, 1 << 40 + 2, .max] as [Int64] {
        #expect(ranks[ObjectKey(key)] == nil)
      }
    }
    #expect(ObjectRanks()[ObjectKey(0)] == nil)
  }

  @Test("the keyed hash is SipHash-2-4")
  func hash() {
    // The key and the messages of the paper (appendix A) and of the reference's vectors.
    let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    for (count, expected) in [(0, 0x726F_DB47_DD0E_0E31), (15, 0xA129_CA61_49BE_45E5)]
      as [(Int, UInt64)]
    {
      let column = SliceColumn(copying: [(0..<UInt8(count)).map { $0 }])
      var hash = MaskHash(key: key)
      if let message = column[0] { hash.add(message) }
      #expect(withExtendedLifetime(column) { hash.value } == expected)
      var words = HashedWords(MaskHash(key: key))
      for byte in 0..<UInt8(count) { words.add(byte) }
      #expect(words.value == expected)
    }
  }
}
