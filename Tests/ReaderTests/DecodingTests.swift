import Foundation
import RealmReader
import TestSupport
import Testing

@Suite("Decoding values with the types of Foundation")
struct DecodingTests {
  private struct Numbers: Decodable {
    var decimal: Decimal
    var decimalOpt: String?
    var date: Date
    var any: RealmValue
  }

  @Test("decimals decode as text and as Decimal, dates to what Date holds")
  func numbers() throws {
    let realm = try RealmReader.open(Golden.path("all-types.realm"))
    let reference = try JSONParser.parse(
      try Golden.bytes("all-types.core-xjson-plus.json"), as: .reference)
    let rows = try #require(reference["AllTypes"]?.array)
    let objects = try #require(try realm.objects(ofClass: "AllTypes"))
    var (fitting, others, dates) = (0, 0, 0)
    for row in rows {
      let object = try #require(try objects.next())
      let text = try #require(row["decimal"]?["$numberDecimal"]?.string)
      let numbers: Numbers
      do {
        numbers = try object.decoded(as: Numbers.self)
      } catch let error as RealmDecodingError {
        // Infinity, and exponents that Decimal does not have.
        #expect(error.property == "decimal" && error.problem.hasSuffix(" does not fit Decimal"))
        others += 1
        continue
      }
      fitting += 1
      if text.lowercased().hasSuffix("nan") {
        #expect(numbers.decimal.isNaN)
      } else {
        #expect(numbers.decimal == Decimal(string: text), "\(text)")
      }
      #expect(
        numbers.decimalOpt.map { DecimalText($0) }
          == row["decimalOpt"]?["$numberDecimal"]?.string.map { DecimalText($0) })
      let shown = try #require(row["date"]?["$date"]?["$numberLong"]?.string)
      let found = numbers.date.timeIntervalSince1970 * 1000
      // The reference leaves out the microseconds, and its milliseconds overflow.
      if found.magnitude < 1e14, let milliseconds = Double(shown) {
        #expect((found - milliseconds).magnitude <= 1, "\(milliseconds)")
        dates += 1
      }
    }
    #expect(fitting > 5 && others > 0 && dates > 5)
  }

  private struct Collections: Decodable {
    struct Address: Decodable {
      var city: String?
    }

    var name: String
    var address: Address?
    var addresses: [Address]
    var addressBook: [String: Address?]
    var friends: [String]
  }

  private struct Members: Decodable {
    var int: Set<Int>
    var string: Set<String>
  }

  private struct Entries: Decodable {
    var int: [String: Int]
    var data: [String: Data]
  }

  @Test("sets decode as Set, dictionaries as Dictionary")
  func setsAndDictionaries() throws {
    let realm = try RealmReader.open(Golden.path("all-types.realm"))
    let reference = try JSONParser.parse(
      try Golden.bytes("all-types.core-xjson-plus.json"), as: .reference)
    let sets = try #require(try realm.objects(ofClass: "Sets", as: Members.self))
    for theirs in try #require(reference["Sets"]?.array) {
      let ours = try #require(try sets.next())
      let ints = theirs["int"]?["$set"]?.array?.compactMap { $0["$numberLong"]?.string }
      #expect(ours.int == Set(ints?.compactMap { Int($0) } ?? []))
      #expect(ours.string == Set(theirs["string"]?["$set"]?.array?.compactMap(\.string) ?? []))
    }
    let dictionaries = try #require(try realm.objects(ofClass: "Dicts", as: Entries.self))
    for theirs in try #require(reference["Dicts"]?.array) {
      let ours = try #require(try dictionaries.next())
      let ints = theirs["int"]?["$dictionary"]?.members ?? []
      #expect(ours.int.count == ints.count)
      for entry in ints {
        #expect(ours.int[entry.name].map { "\($0)" } == entry.value["$numberLong"]?.string)
      }
      for entry in theirs["data"]?["$dictionary"]?.members ?? [] {
        #expect(
          ours.data[entry.name]?.base64EncodedString()
            == entry.value["$binary"]?["base64"]?.string)
      }
    }
  }

  @Test("embedded objects, lists and links decode")
  func collections() throws {
    let realm = try RealmReader.open(Golden.path("links.realm"))
    let people = try #require(try realm.objects(ofClass: "Person", as: Collections.self))
    let reference = try JSONParser.parse(
      try Golden.bytes("links.core-xjson-plus.json"), as: .reference)
    for theirs in try #require(reference["Person"]?.array) {
      let person = try #require(try people.next())
      #expect(person.name == theirs["name"]?.string)
      #expect(person.address?.city == theirs["address"]?["$embedded"]?["value"]?["city"]?.string)
      #expect(person.addresses.count == theirs["addresses"]?.array?.count)
      #expect(
        person.addressBook.keys.sorted() == theirs["addressBook"]?["$dictionary"]?.names.sorted())
      #expect(
        person.friends
          == theirs["friends"]?["$set"]?.array?.compactMap { $0["$link"]?["key"]?["$oid"]?.string })
    }
  }
}

@Suite("The lines for apps in the documentation")
struct AppLinesTests {
  @Test("five lines decode the objects of a class, as docs/library.md shows them")
  func fiveLines() throws {
    var lines: [String] = []
    func print(_ name: String, _ age: Int) { lines.append("\(name) \(age)") }
    func read(_ path: String) throws {
      struct Person: Decodable { let firstName: String, age: Int }
      let realm = try RealmReader.open(path)
      let people = try realm.objects(ofClass: "Person", as: Person.self)
      while let person = try people?.next() { print(person.firstName, person.age) }
    }
    try read(Golden.path("names-v0.realm"))
    #expect(lines.count == 3 && lines.contains { $0.hasPrefix("Bilbo ") })
    let page = try String(
      contentsOf: packageFolder.appending(path: "docs/library.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let found = try #require(source.firstMatch(of: /\n( {6}struct Person(?s:.*?)\n) {4}\}/))
    let code = ("\n" + found.output.1).replacing("\n      ", with: "\n")
      .replacing("open(path)", with: "open(\"people.realm\")")
    #expect(page.contains("```swift\nimport RealmReader\n\(code)```\n"))
  }
}

@Suite("Files that change while an app reads them")
struct ChangedFileTests {
  @Test("a file that is truncated after opening is read to its end, without a signal handler")
  func truncated() async {
    await #expect(processExitsWith: .success) {
      for name in ["people", "people-encrypted"] {
        let folder = try TemporaryFolder()
        let path = try folder.write(try Golden.bytes("\(name).realm"), to: "x.realm")
        let key = name == "people" ? nil : try KeyFile.read(Golden.path("\(name).key")).key
        let realm = try RealmReader.open(path, key: key)
        precondition(unsafe truncate(path, 0) == 0)
        var count = 0
        for name in realm.classNames {
          guard let objects = try realm.objects(ofClass: name, as: AnyContent.self) else {
            continue
          }
          while try objects.next() != nil { count += 1 }
        }
        let expected = realm.classNames.reduce(0) { $0 + (realm.objectCount(ofClass: $1) ?? 0) }
        precondition(count == expected && count > 1000)
        let names = try folder.names()
        precondition(names == ["x.realm"])
      }
      var action = sigaction()
      unsafe precondition(sigaction(SIGBUS, nil, &action) == 0)
      #if canImport(Glibc)
        unsafe precondition(action.__sigaction_handler.sa_handler == nil)
      #else
        unsafe precondition(action.__sigaction_u.__sa_handler == nil)
      #endif
    }
  }

  @Test("a file that is not a realm, and a wrong key, are refused with the path")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let text = try folder.write(Array("hello, world, this is text".utf8), to: "x.realm")
    let error = #expect(throws: RealmFileError.self) { try RealmReader.open(text) }
    #expect(error?.kind == .notARealm && error?.path == text)
    let other = try RealmKey(bytes: [UInt8](repeating: 7, count: 64))
    let encrypted = Golden.path("people-encrypted.realm")
    let wrong = #expect(throws: RealmFileError.self) {
      try RealmReader.open(encrypted, key: other)
    }
    #expect(wrong?.kind == .wrongKey)
    let missing = #expect(throws: RealmFileError.self) { try RealmReader.open(encrypted) }
    #expect(missing?.kind == .keyMissing)
  }
}
