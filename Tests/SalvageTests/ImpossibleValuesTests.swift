import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Values with bits that no library writes, without other signs of damage.
@Suite("Salvaging impossible values")
struct ImpossibleValuesTests {
  /// Expects that the value of a property of one object is reported as lost, and nothing else differs.
  private func expectOneLost(
    _ className: String, _ property: String, _ rule: Rule, _ fixture: DamagedFixture,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let report = try fixture.salvage()
    #expect(report.losses.map(\.rule) == [rule], sourceLocation: location)
    #expect(report.losses.map(\.property) == [property], sourceLocation: location)
    let keys = report.losses.flatMap(\.objectKeys)
    #expect(keys.count == 1 && !report.isComplete, sourceLocation: location)
    let (saved, original) = try fixture.expectNothingWrong(report, className, location)
    #expect(saved.count == original.count, sourceLocation: location)
    let different = original.keys.filter {
      "\(saved[$0]?[property] ?? .null)" != "\(original[$0]?[property] ?? .null)"
    }
    #expect(different == keys, sourceLocation: location)
  }

  @Test("a string of the medium form that does not end with a zero byte is lost")
  func strings() throws {
    var medium = try DamagedFixture("strings.realm")
    var edited = EditedRealm(medium.bytes)
    // End offsets and bytes of the values.
    let leaf = try medium.leaf("S", "medium", cluster: 1).lowerBound
    let (ends, blob) = (edited.element(0, of: leaf), edited.element(1, of: leaf))
    let end = blob + 8 + edited.element(7, of: ends) - 1
    #expect(edited.bytes[end] == 0)
    edited.bytes[end] = UInt8(ascii: "x")
    medium.bytes = edited.bytes
    try expectOneLost("S", "medium", .leafTerminator, medium)
  }

  /// Strings of more than 63 bytes are nodes of their own; all strings of a list can be in one node.
  @Test("a long string, and an element of a list, without their zero bytes are lost")
  func longStringAndElement() throws {
    let items = (0..<4).map { number in
      let note = "note \(number) " + String(repeating: "y", count: 80)
      return
        #"{"_key":\#(number),"note":"\#(note)","tags":["first tag of item \#(number)","last tag of item \#(number)"]}"#
    }
    var fixture = try DamagedFixture(
      importing: ImportedVersionTests.text(
        #"{"name":"Item","keyMember":"_key","properties":{"note":"string","tags":"string[]"}}"#,
        items))
    func replaceZero(behind text: String) throws {
      let wanted = Array(text.utf8) + [0]
      let place = try #require(EditedRealm(fixture.bytes).find(wanted))
      fixture.bytes[place + text.utf8.count] = UInt8(ascii: "x")
    }
    try replaceZero(behind: "note 1 " + String(repeating: "y", count: 80))
    try replaceZero(behind: "last tag of item 2")
    let report = try fixture.salvage()
    #expect(report.losses.allSatisfy { $0.rule == .leafTerminator })
    #expect(
      Set(report.losses.map { "\($0.property ?? "") \($0.objectKeys)" }) == [
        "note [1]", "tags [2]",
      ])
    var expected = try DamagedFixture.objects(of: "Item", in: fixture.original)
    expected[1]?["note"] = .string("")
    expected[2]?["tags"] = .list([.string("first tag of item 2")])
    #expect(try DamagedFixture.objects(of: "Item", in: fixture.target) == expected)
  }

  @Test("a decimal with bits that no library writes is lost", arguments: [0x7E, 0x6C, 0xF9])
  func decimals(highByte: UInt8) throws {
    var fixture = try DamagedFixture("all-types.realm")
    let leaf = try fixture.leaf("AllTypes", "decimal", cluster: 0).lowerBound
    // 16 bytes an element; the last one has sign and exponent: a NaN that signals, a coefficient of more than 34
    // digits, an infinity with a payload.
    #expect(fixture.bytes[leaf + 4] & 7 == 5)
    fixture.bytes[leaf + 8 + 16 * 3 + 15] = highByte
    fixture.bytes[leaf + 8 + 16 * 3 + 14] |= 1
    try expectOneLost("AllTypes", "decimal", .leafKind, fixture)
  }
}
