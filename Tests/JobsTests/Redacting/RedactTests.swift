import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import RealmSync
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs

@Suite("Redaction")
struct RedactTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  @discardableResult
  private func redact(
    _ path: String, key: RealmKey? = nil, keep: [String] = [], keepClasses: [String] = [],
    seed: UInt64? = 1, jobs: Int = 2
  ) throws -> RedactJob.Report {
    var request = RedactJob.Request()
    (request.keptProperties, request.keptClasses) = (keep, keepClasses)
    (request.seed, request.jobs) = (seed, jobs)
    return try RedactJob(
      path: path, key: key, destination: .file(out, replacing: true), request: request
    ).runVerified(key: key)
  }

  /// The export of a realm as Realm JSON.
  private func document(_ path: String, key: RealmKey? = nil) throws -> JSONValue {
    try JSONParser.parse(try export(path, as: .json, key: key).bytes)
  }

  // MARK: The form of values

  /// What must stay of a value: its kind, and the lengths and nulls in it.
  private func form(_ value: JSONValue, isLinks: Bool = false) -> String {
    switch value {
    case .null: return "null"
    case .bool: return "bool"
    case .array(let elements): return "[\(elements.map { form($0) }.joined(separator: ","))]"
    case .object(let members):
      if let link = value["$link"] {
        return "link \(link["class"]?.string ?? "") \(link["unresolved"] != nil)"
      }
      if members.count == 1, let name = members.first?.name, name.hasPrefix("$") {
        if name == "$binary" {
          return "binary \(members[0].value["base64"]?.string?.utf8.count ?? 0)"
        }
        return name
      }
      // Keys of dictionaries have other names in another order.
      return "{\(members.map { form($0.value) }.sorted().joined(separator: ","))}"
    default:
      if let text = value.string { return "string \(text.utf8.count)" }
      return "number"
    }
  }

  /// The forms of all objects of each class, in any order: sets and dictionaries are sorted by their new values.
  private func forms(_ document: JSONValue) -> [String: [String: Int]] {
    var forms: [String: [String: Int]] = [:]
    for content in document["objects"]?.members ?? [] {
      for object in content.value.array ?? [] {
        let members = (object.members ?? []).filter { $0.name != "_key" }.map { member in
          let text = form(member.value)
          // A set is sorted by its new members.
          let sorted =
            text.hasPrefix("[") ? String(text.split(separator: ",").sorted().joined()) : text
          return "\(member.name): \(String(sorted.sorted()))"
        }
        forms[content.name, default: [:]][members.joined(separator: "; "), default: 0] += 1
      }
    }
    return forms
  }

  /// The strings of redacted properties of four bytes or more: all strings of the export that do not belong to its
  /// form.
  private func strings(in document: JSONValue) -> Set<String> {
    var strings: Set<String> = []
    func add(_ value: JSONValue) {
      switch value {
      case .array(let elements): for element in elements { add(element) }
      case .object(let members):
        if let link = value["$link"] { return add(link["id"] ?? .null) }
        if members.count == 1, members[0].name.hasPrefix("$") { return }
        for member in members { add(member.value) }
      default: if let text = value.string, text.utf8.count >= 4 { strings.insert(text) }
      }
    }
    for content in document["objects"]?.members ?? [] {
      for object in content.value.array ?? [] {
        for member in object.members ?? [] { add(member.value) }
      }
    }
    return strings
  }

  private static let goldenNames = Golden.names

  @Test(
    "each realm of the reference keeps its form and loses its strings",
    arguments: RedactTests.goldenNames
      + Lived.names.filter { !["broken-utf8-words", "deep"].contains($0) }.map { "lived/\($0)" })
  func fixtures(name: String) throws {
    let isLived = name.hasPrefix("lived/")
    let source =
      isLived ? Lived.path("\(name.dropFirst(6)).realm") : Golden.path("\(name).realm")
    let key = isLived ? nil : try Golden.key(name)
    try redact(source, key: key)
    let (before, after) = (try document(source, key: key), try document(out, key: key))
    #expect(before["schema"] == after["schema"])
    #expect(try counts(of: source, key) == counts(of: out, key))
    let (old, new) = (forms(before), forms(after))
    for (className, objects) in old {
      for (form, count) in objects where new[className]?[form] != count {
        Issue.record("\(className): \(new[className]?[form] ?? 0) objects \(form), not \(count)")
        return
      }
    }
    // Plain bytes, also of an encrypted realm.
    let plain = folder.path("plain.realm")
    if key != nil {
      _ = try ChangeKeyJob(
        path: out, key: key, change: .decrypt, destination: .file(plain, replacing: true)
      ).run()
    }
    let bytes = try readFile(key == nil ? out : plain)
    let names = Set(try Realm(path: key == nil ? out : plain).classNames)
    #expect(foundTexts(strings(in: before).subtracting(names), in: bytes) == [])
  }

  /// How many bytes larger a class in the copy is than in the compacted original, for other reasons than its values,
  /// where this is more than 5 %.
  private static let explained: [String: Int] = [
    // 67 addresses in one leaf take 16 bytes for each string: 8 + 67 × 16 = 1080. In the copy, each property that
    // holds addresses has a leaf of its own: 9 strings of 16 bytes, 29 of 4 bytes in a multiple of 8, and 29 nulls:
    // (8 + 144) + (8 + 120) + 8 = 288. There are two such properties.
    "links Address": 2 * (288 - 1080),
    // The leaf of an index begins with the position of its keys. If this is beyond 32,767, each of its elements, one
    // for each object, takes 4 bytes instead of 2. In the copy, indexes are further back.
    "primary-keys IntPk": 1000 * 2, "primary-keys OidPk": 1000 * 2,
    "primary-keys IntOptPk": 50 * 2, "primary-keys OidOptPk": 50 * 2,
    "primary-keys StringOptPk": 50 * 2,
    // The same in one index and in two leaves with positions of lists.
    "indexes Words": 3 * 39 * 2,
    // All strings begin with the same 199 bytes, which their replacements do not: 49 levels of an index with one entry
    // of 4 bytes, 16 bytes for its key and 16 for its child, are not there.
    "indexes Text": -49 * 32,
    // So it is with the first 15 bytes of 50 UUIDs: three levels.
    "primary-keys UuidOptPk": -3 * 32,
    // All strings have the form "key 7", so 1000 replacements have 26³ different starts of 4 bytes, and about
    // 1000² / 2 / 26³ = 28 pairs begin in the same way. Each pair takes one entry of 8 bytes less, and one more level
    // with two entries: 16 bytes for their keys, 24 for three elements.
    "primary-keys StringPk": 28 * (16 + 24 - 8),
  ]

  @Test(
    "classes stay as large as in a compacted copy, within 5 %", arguments: RedactTests.goldenNames)
  func sizes(name: String) throws {
    let key = try Golden.key(name)
    try redact(Golden.path("\(name).realm"), key: key)
    let compacted = folder.path("compacted.realm")
    _ = try CompactJob(
      path: Golden.path("\(name).realm"), key: key, destination: .file(compacted, replacing: true)
    ).run()
    let (before, after) = (try sizes(of: compacted, key), try sizes(of: out, key))
    #expect(Set(before.keys) == Set(after.keys))
    for (className, size) in before {
      var expected = size + (RedactTests.explained["\(name) \(className)"] ?? 0)
      // Positions beyond 32,767 take 4 bytes instead of 2 in the 14 slots of a table and the 6 of its spec, in
      // multiples of 8 bytes. A class with one small object is not much more than that.
      if className == "Counter" { expected += (56 - 32) + (24 - 16) }
      let difference = abs((after[className] ?? 0) - expected)
      #expect(
        difference * 20 <= size, "\(className): \(after[className] ?? 0) bytes, not \(size)")
    }
  }

  /// The sizes of the classes of apps, by name.
  private func sizes(of path: String, _ key: RealmKey?) throws -> [String: Int] {
    var request = StatsJob.Request(path: path)
    request.key = key
    let classes = try StatsJob(request).run().classes.filter { !$0.objectClass.isInternal }
    return Dictionary(
      uniqueKeysWithValues: classes.map { ($0.objectClass.name.text, $0.byteCount) })
  }

  private func counts(of path: String, _ key: RealmKey?) throws -> [Int] {
    let realm = try Realm(path: path, key: key)
    return realm.schema.objects.topLevelClasses.map { realm.schema.tables[$0].objectCount }
  }

  // MARK: What stays

  private func linkedRealm() throws -> String {
    try folder.importRealm(
      #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":7},
      "schema":[
      {"name":"P","primaryKey":"id","properties":{"id":"string","n":"int","name":"string?","friend":"P?","any":"mixed","tags":"string<>","d":"int{}","country":"string"}},
      {"name":"S","properties":{"setting":"string"}}],
      "objects":{"P":[
      {"id":"frodo@shire.me","n":50,"name":"Frodo","friend":"sam@shire.me","any":"sam@shire.me","tags":["ring","sword"],"d":{"frodo@shire.me":1},"country":"Shire"},
      {"id":"sam@shire.me","n":-1234567,"name":"Frodo","friend":null,"any":{"$link":{"class":"P","id":"frodo@shire.me"}},"tags":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r","s","t","u","v","w","x","y","z"],"d":{},"country":"Shire"}],
      "S":[{"_key":0,"setting":"dark mode"}]}}
      """#)
  }

  @Test("equal values stay equal, and a primary key is the same wherever it is")
  func equality() throws {
    try redact(try linkedRealm())
    let people = try #require(try document(out)["objects"]?["P"]?.array)
    let (one, two) = (people[0], people[1])
    #expect(one["name"] == two["name"] && one["name"]?.string != "Frodo")
    #expect(one["country"] == two["country"])
    #expect(one["friend"] == two["id"] && one["any"] == two["id"])
    #expect(two["any"]?["$link"]?["id"] == one["id"])
    #expect(one["d"]?.members?.first?.name == one["id"]?.string)
    let id = try #require(one["id"]?.string)
    #expect(id.firstMatch(of: /^[a-z]{5}.[a-z]{5}.[a-z]{2}$/) != nil, "\(id)")
    #expect(one["n"]?.int.map { 16...99 ~= $0 } == true)
    #expect(two["n"]?.int.map { -9_999_999 ... -1_000_000 ~= $0 } == true)
    // 26 letters become 26 letters, each another one.
    #expect(Set(two["tags"]?.array?.compactMap(\.string) ?? []).count == 26)
    #expect(try Realm(path: out).schemaVersion() == 7)
  }

  @Test("kept properties and classes keep their values, and the report lists them")
  func kept() throws {
    let report = try redact(try linkedRealm(), keep: ["P.country"], keepClasses: ["S"])
    #expect(report.kept == ["P.country", "S.setting"])
    let objects = try #require(try document(out)["objects"])
    #expect(objects["P"]?.array?.map { $0["country"]?.string } == ["Shire", "Shire"])
    #expect(objects["S"]?[0]?["setting"]?.string == "dark mode")
    for (name, kind) in [
      ("P.nope", RequestError.Kind.noSuchProperty("nope")), ("Q.name", .noSuchClass("Q")),
      ("P", .noSuchProperty("P")),
    ] {
      let error = #expect(throws: RequestError.self) { try redact(try linkedRealm(), keep: [name]) }
      #expect(error?.kind == kind)
    }
  }

  @Test("a seed gives the same copy with any number of threads, no seed another one each time")
  func seeds() throws {
    let path = Golden.path("all-types.realm")
    var copies: [[UInt8]] = []
    for (seed, jobs) in [(7, 1), (7, 3), (8, 1), (nil, 1), (nil, 1)] as [(UInt64?, Int)] {
      try redact(path, seed: seed, jobs: jobs)
      copies.append(try readFile(out))
    }
    #expect(copies[0] == copies[1])
    #expect(Set(copies).count == 4)
  }

  @Test("short primary keys stay unique until no string of their length is left")
  func shortKeys() throws {
    let ids = (0..<26).map { String(UnicodeScalar(UInt8(97 + $0))) }
    let objects = ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
    let path = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"#
        + #""schema":[{"name":"K","primaryKey":"id","properties":{"id":"string"}}],"#
        + "\"objects\":{\"K\":[\(objects)]}}")
    try redact(path)
    let keys = try document(out)["objects"]?["K"]?.array?.compactMap { $0["id"]?.string } ?? []
    #expect(Set(keys).count == 26 && keys.allSatisfy { $0.utf8.count == 1 })
  }

  @Test("members of a set stay different, or the realm is refused", arguments: ["data", "mixed"])
  func shortMembers(type: String) throws {
    let bytes = (0..<256).map { byte in
      let text = Data([UInt8(byte)]).base64EncodedString()
      return "{\"$binary\":{\"base64\":\"\(text)\",\"subType\":\"00\"}}"
    }
    let path = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"#
        + "\"schema\":[{\"name\":\"K\",\"properties\":{\"set\":\"\(type)<>\"}}],"
        + "\"objects\":{\"K\":[{\"set\":[\(bytes.joined(separator: ","))]}]}}")
    var counts: Set<Int> = []
    for seed in 1...6 {
      do {
        try redact(path, seed: UInt64(seed))
        let members = try document(out)["objects"]?["K"]?.array?[0]["set"]?.array ?? []
        counts.insert(Set(members.map { "\($0)" }).count)
      } catch let error as RealmFileError {
        #expect("\(error)".contains("too many members of 1 bytes"))
        counts.insert(0)
      }
    }
    #expect(counts == [0, 256])
  }

  @Test("a synced realm becomes a local one without history")
  func synced() throws {
    let report = try redact(Golden.path("tasks-synced.realm"))
    #expect(report.wasSynced)
    let info = try InfoJob(path: out, key: nil).run()
    #expect(info.historyKind == .inRealm)
  }

  // MARK: Masks

  /// What masks avoid for the strings that `add` adds.
  private func originals(_ add: (OriginalsOfPart) -> Void) -> OriginalTexts {
    let part = OriginalsOfPart(known: OriginalTexts())
    add(part)
    var originals = OriginalTexts()
    for word in part.words { originals.insert(word) }
    return originals
  }

  private func replaced(_ text: ByteSlice, _ domain: MaskDomain, _ mask: TextMask) -> [UInt8] {
    var bytes: [UInt8] = []
    mask.append(text, domain, to: &bytes)
    return bytes
  }

  @Test("numbers are replaced one to one within their magnitude")
  func numbers() throws {
    let mask = NumberMask(try MaskDomain([1], MessageCode(key: [1, 2, 3])))
    for range in [1...9, 16...99, 100...127, 128...999, -9 ... -1, -999 ... -128]
      as [ClosedRange<Int64>]
    {
      var seen: Set<Int64> = []
      for number in range { seen.insert(mask.int(number)) }
      #expect(seen == Set(range))
    }
    for number in [0, Int64.max, .min, .min + 1, 1 << 31, 12_345_678_901] {
      let masked = mask.int(number)
      #expect(masked.signum() == number.signum())
      #expect(String(masked.magnitude).count == String(number.magnitude).count)
    }
    for number in [1.0, -1.5, 1e300, .leastNonzeroMagnitude, 0, -0.0, .infinity, 3.25] {
      let masked = mask.double(number)
      #expect(masked.exponent == number.exponent || number == 0 || number.isInfinite)
      #expect(masked.sign == number.sign)
    }
    #expect(mask.double(.nan).isNaN)
    var decimals: Set<String> = []
    for digits in 1...999 {
      let number = try #require(Decimal128(text: "\(digits)"))
      let masked = mask.decimal(number)
      #expect(masked.exponent == number.exponent)
      decimals.insert("\(masked.reduced)")
    }
    #expect(decimals.count == 999)
    // 4 bytes store coefficients below 2²³, also with zeros at the end.
    decimals = []
    for digits in 1000...9999 {
      let number = try #require(Decimal128(text: "\(digits).000"))
      let masked = mask.decimal(number)
      #expect(masked.exponent == -3)
      // Numbers with one digit are not divided.
      #expect(
        (masked.coefficient < 1 << 23) == (number.coefficient < 1 << 23) || digits % 1000 == 0)
      decimals.insert("\(masked)")
    }
    #expect(decimals.count == 9000)
    for text in ["9007199254740991", "9007199254740993", "8388609", "-8388607", "1E-20"] {
      let number = try #require(Decimal128(text: text))
      let masked = mask.decimal(number)
      #expect((masked.coefficient < 1 << 53) == (number.coefficient < 1 << 53), "\(text)")
      #expect((masked.coefficient < 1 << 23) == (number.coefficient < 1 << 23), "\(text)")
      #expect(masked.isNegative == number.isNegative)
    }
    var dates: Set<[Int64]> = []
    for nanoseconds in 0..<2000 as Range<Int64> {
      let date = mask.date(1_700_000_000, nanoseconds)
      #expect(TimestampLeaf.isDate(seconds: date.seconds, nanoseconds: date.nanoseconds))
      #expect((date.nanoseconds == 0) == (nanoseconds == 0))
      dates.insert([date.seconds, date.nanoseconds])
    }
    #expect(dates.count == 2000)
    // The last ones are of damaged realms.
    for (seconds, nanoseconds) in [
      (0, -5), (-1, -999_999_999), (.max, 1), (.min, 0), (5, .min), (5, .max), (0, -1_000_000_000),
    ] as [(Int64, Int64)] {
      let date = mask.date(seconds, nanoseconds)
      #expect(TimestampLeaf.isDate(seconds: date.seconds, nanoseconds: date.nanoseconds))
    }
  }

  @Test("a string keeps its length, its letters and digits, and none of its words")
  func texts() throws {
    let domain = try MaskDomain([1], MessageCode(key: [1, 2, 3]))
    let texts = ["Hobbiton 12, Bag End", "åäö ß Ω 漢字 🧙‍♂️", "    ", "----", "0000", "", "x", "a b"]
    let slices = SliceColumn(copying: texts.map { Array($0.utf8) })
    let mask = TextMask(originals: originals { for case let slice? in slices { $0.add(slice) } })
    for (text, slice) in zip(texts, slices) {
      let masked = replaced(try #require(slice), domain, mask)
      #expect(masked.count == text.utf8.count)
      #expect(String(validating: masked, as: UTF8.self) != nil)
      for other in texts where other.utf8.count >= 4 {
        #expect(Data(masked).range(of: Data(other.utf8)) == nil, "\(text)")
      }
    }
    let sentence = String(decoding: replaced(try #require(slices[0]), domain, mask), as: UTF8.self)
    #expect(sentence.firstMatch(of: /^[A-Z][a-z]{7} [0-9]{2}, [A-Z][a-z]{2} [A-Z][a-z]{2}$/) != nil)
  }

  @Test("equal words stay equal in a property with a full-text index")
  func words() throws {
    var domain = try MaskDomain([1], MessageCode(key: [1, 2, 3]))
    domain.isByWord = true
    let texts = [
      "Old Toby, old friend", "toby+OLD=friend 1420", "Æther? Öl, öl ÿ Öl漢æther Ωold", "lima", "",
    ]
    let slices = SliceColumn(copying: texts.map { Array($0.utf8) })
    let mask = TextMask(
      originals: originals {
        for case let slice? in slices {
          $0.add(wordsOf: slice)
          $0.add(slice)
        }
      })
    var masks: [[UInt8]: [UInt8]] = [:]
    for (text, slice) in zip(texts, slices) {
      let original = try #require(slice)
      let copies = SliceColumn(copying: [replaced(original, domain, mask)])
      let masked = try #require(copies[0])
      #expect(masked.count == original.count)
      #expect(String(validating: masked.bytes, as: UTF8.self) != nil)
      let (old, new) = withExtendedLifetime(copies) {
        (FullTextWords.words(of: original), FullTextWords.words(of: masked))
      }
      #expect(old.count == new.count, "\(text)")
      for (word, other) in zip(old, new) {
        #expect(masks[word] == nil || masks[word] == other, "\(text)")
        masks[word] = other
      }
    }
    // old, toby, friend, 1420, æther, öl, lima
    #expect(masks.count == 7)
    #expect(Set(masks.values).count == 7)
    #expect(masks.allSatisfy { word, mask in !masks.keys.contains(mask) || word.count < 4 })
    let sentence = String(decoding: replaced(try #require(slices[0]), domain, mask), as: UTF8.self)
    #expect(
      sentence.firstMatch(of: /^[A-Z][a-z]{2} [A-Z][a-z]{3}, [a-z]{3} [a-z]{6}$/) != nil,
      "\(sentence)")
  }
}
