import Foundation
import RealmStorage
import TestSupport
import Testing

@testable import RealmSync

@Suite("Encoding of changesets")
struct ChangesetEncoderTests {
  private func name(_ text: String) -> Instruction.InternedName {
    Instruction.InternedName(Array(text.utf8))
  }

  private let id: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

  /// The bytes of an instruction, with `[oid]` for the identifier and `<text>` for the definition of the next
  /// string.
  private func bytes(_ text: String) -> [UInt8] {
    var (result, number) = ("", 0)
    for part in text.replacing("[oid]", with: "0a 01 02 03 04 05 06 07 08 09 0a 0b 0c")
      .split(separator: " ")
    {
      if part.hasPrefix("<") {
        let characters = part.dropFirst().dropLast().utf8
        result += "3f \(hexadecimal(number)) \(hexadecimal(characters.count)) "
        result += characters.map { hexadecimal(Int($0)) }.joined(separator: " ") + " "
        number += 1
      } else {
        result += part + " "
      }
    }
    return hexadecimalBytes(result)
  }

  private func hexadecimal(_ byte: Int) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private func place(_ field: String, _ path: [Instruction.Step] = []) -> Instruction.Place {
    Instruction.Place(table: name("T"), key: .objectId(id), field: name(field), path: path)
  }

  /// Chapter 4, section 3.5: the annotated bytes, with the numbers of the strings that are used here.
  @Test("instructions have the bytes of the format")
  func annotated() {
    let cases: [(Instruction, String)] = [
      (
        .addTable(
          name: name("A"), kind: .topLevel,
          primaryKey: Instruction.PrimaryKeyColumn(
            name: name("_id"), type: .int, isNullable: false)),
        "<A> <_id> 00 00 00 01 01 00"
      ),
      (.addTable(name: name("E"), kind: .embedded, primaryKey: nil), "<E> 00 00 01"),
      (.createObject(table: name("T"), key: .string(name("k"))), "<T> <k> 02 00 03 01"),
      (.createObject(table: name("T"), key: .null), "<T> 02 00 00"),
      (.eraseObject(table: name("T"), key: .int(-1)), "<T> 03 00 01 40"),
      (
        .update(place("i"), .int(-5), .value(isDefault: false)),
        "<T> <i> 04 00 [oid] 01 00 01 44 00"
      ),
      (
        .update(
          place("d"), .timestamp(seconds: -10, nanoseconds: -500), .value(isDefault: true)),
        "<T> <d> 04 00 [oid] 01 00 05 49 f3 43 01"
      ),
      (
        .update(place("e", [.name(name("x"))]), .int(63), .value(isDefault: false)),
        "<T> <e> <x> 04 00 [oid] 01 01 40 02 01 3f 00"
      ),
      (.clear(place("e", [.name(name("l"))]), 1), "<T> <e> <l> 0b 00 [oid] 01 01 40 02 01"),
      (
        .arrayInsert(
          place("l", [.index(1)]), .link(table: name("A"), key: .string(name("k"))), priorSize: 1),
        "<T> <l> <A> <k> 08 00 [oid] 01 01 01 09 02 03 03 01"
      ),
      (
        .arrayInsert(place("l", [.index(3)]), .newList, priorSize: 3),
        "<T> <l> 08 00 [oid] 01 01 03 44 03"
      ),
      (
        .update(place("d", [.name(name("e"))]), .newObject, .value(isDefault: false)),
        "<T> <d> <e> 04 00 [oid] 01 01 40 02 41 00"
      ),
      (.setInsert(place("s"), .string([0x61])), "<T> <s> 0c 00 [oid] 01 00 03 01 61"),
      (
        .update(
          place("n"), .decimal(coefficient: 1234, exponent: -2, isNegative: true),
          .value(isDefault: false)), "<T> <n> 04 00 [oid] 01 00 08 d2 09 41 01 00"
      ),
      (
        .addColumn(
          Instruction.NewColumn(
            table: name("T"), name: name("p"), type: .link, isNullable: true, collection: .none,
            target: name("A"))), "<T> <p> <A> 06 00 01 09 01 00 02"
      ),
      (
        .addColumn(
          Instruction.NewColumn(
            table: name("T"), name: name("p"), type: .int, isNullable: false,
            collection: .dictionary, keyType: .string)), "<T> <p> 06 00 01 01 00 02 03"
      ),
    ]
    for (instruction, text) in cases {
      #expect(ChangesetEncoder.encode([instruction]) == bytes(text), "\(text)")
    }
  }

  /// Chapter 4, section 3.1.
  @Test("integers of all lengths", arguments: ChangesetDecoderTests.encodedIntegers)
  func integers(text: String, value: Int64) {
    #expect(
      ChangesetEncoder.encode([.createObject(table: name("T"), key: .int(value))])
        == bytes("<T> 02 00 01 \(text)"))
  }

  @Test("a string is defined once, and again after a reset")
  func reset() {
    var encoder = ChangesetEncoder()
    encoder.append(.eraseTable(name: name("A")))
    let mark = encoder.mark
    encoder.append(.eraseTable(name: name("B")))
    encoder.append(.eraseTable(name: name("A")))
    #expect(encoder.bytes == bytes("<A> 01 00 <B> 01 01 01 00"))
    encoder.reset(to: mark)
    encoder.append(.eraseTable(name: name("C")))
    #expect(encoder.bytes == bytes("<A> 01 00 <C> 01 01"))
  }

  @Test("changesets of the reference decode to the same instructions after encoding them again")
  func golden() throws {
    let paths =
      Golden.names.filter { $0 != "people-encrypted" }.map { Golden.path("\($0).realm") }
      + Lived.names.map { Lived.path("\($0).realm") }
    #expect(try count(paths) > 15)
  }

  @Test(
    "public changesets decode to the same instructions after encoding them again",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder).appending(path: "realm-core").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(try count(names.filter { $0.contains("client_schema") }.map { "\(folder)/\($0)" }) >= 3)
  }

  /// Encodes the changesets of realms again, and returns their number.
  private func count(_ paths: [String]) throws -> Int {
    var count = 0
    for path in paths {
      let snapshot: Snapshot
      do throws(RealmFileError) {
        snapshot = try Snapshot(path: path)
      } catch {
        guard case .oldFormat = error.kind else { throw error }
        continue
      }
      guard let history = try ClientHistory(snapshot), history.schemaVersion >= 11 else { continue }
      try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
        let bytes = try changeset.bytes()
        do throws(ChangesetError) {
          let instructions = try ChangesetDecoder.instructions(bytes)
          let again = ChangesetEncoder.encode(instructions)
          #expect(again.count <= bytes.count)
          #expect(try ChangesetDecoder.instructions(again) == instructions)
        } catch {
          Issue.record("\(path), version \(changeset.version): \(error)")
        }
        count += 1
      }
    }
    return count
  }

  @Test("random instructions decode to the same instructions")
  func random() throws {
    for seed in 0..<300 {
      var chance = RandomInstructions(seed: UInt64(seed))
      let instructions = (0..<40).map { _ in chance.instruction() }
      let decoded = try ChangesetDecoder.instructions(ChangesetEncoder.encode(instructions))
      #expect(decoded == instructions, "seed \(seed)")
    }
  }
}
