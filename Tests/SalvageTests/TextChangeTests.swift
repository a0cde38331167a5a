import Foundation
import RealmJobs
import TestJobs
import TestSupport
import Testing

@testable import RealmStorage

/// What a program does that takes a file for text.
enum TextProgram: CaseIterable {
  /// Puts a carriage return before each line feed.
  case always
  /// Puts one before each line feed that has none.
  case whereMissing

  func changed(_ bytes: [UInt8]) -> [UInt8] {
    var (result, last): ([UInt8], UInt8) = ([], 0)
    for byte in bytes {
      if byte == 0x0A, self == .always || last != 0x0D { result.append(0x0D) }
      result.append(byte)
      last = byte
    }
    return result
  }
}

@Suite("Realms that were changed as text")
struct TextChangeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The error of opening the file at `path`; nil if it opens.
  private func refusal(_ path: String) -> RealmFileError? {
    do throws(RealmFileError) {
      _ = try Snapshot(path: path)
      return nil
    } catch {
      return error
    }
  }

  /// The undone bytes of a changed file; nil if nothing was found.
  private func undone(_ bytes: [UInt8]) throws -> (bytes: [UInt8], undo: TextUndo)? {
    let path = try folder.write(bytes, to: "changed.realm")
    guard let undo = try TextUndo(of: try FileDescriptor.openForReading(path)) else { return nil }
    return (try undo.copy.read(at: 0, count: try undo.copy.size()), undo)
  }

  @Test(
    "carriage returns are taken out of every realm, so that it has its bytes again",
    arguments: TextProgram.allCases)
  func roundTrip(program: TextProgram) throws {
    let realms =
      try Golden.names.filter { !$0.hasSuffix("-encrypted") }.map {
        try Golden.bytes("\($0).realm")
      }
      + Lived.names.map { try Lived.bytes("\($0).realm") }
    var (exact, inFreeSpace, undecided, wrong) = (0, 0, 0, 0)
    for bytes in realms {
      let changed = program.changed(bytes)
      guard changed != bytes else {
        #expect(try undone(bytes) == nil)
        exact += 1
        continue
      }
      let result = try #require(try undone(changed))
      if result.bytes == bytes {
        exact += 1
      } else if result.undo.undecided > 0 {
        #expect(result.bytes.count == bytes.count)
        undecided += 1
      } else if result.bytes.count == bytes.count {
        // Carriage returns that could be others are in free space only.
        inFreeSpace += 1
      } else {
        wrong += 1
      }
    }
    // Numbers with the bytes 13 and 10 are in most realms; what is not strings does not say which ones.
    let counts =
      "\(exact) exact, \(inFreeSpace) in free space, \(undecided) undecided, \(wrong) wrong"
    #expect(program == .always ? exact == realms.count : exact > 70 && wrong <= 1, "\(counts)")
  }

  @Test("no realm that was not changed is taken for a changed one")
  func unchanged() throws {
    for name in Golden.names { #expect(try undone(Golden.bytes("\(name).realm")) == nil) }
    for name in Lived.names { #expect(try undone(Lived.bytes("\(name).realm")) == nil) }
  }

  /// Texts that have carriage returns of their own, short, of medium length and long, in one column each.
  private func texts(_ long: String) -> String {
    let texts = [
      "a\r\nb", "a\nb", "", "\r\n", "\n", "first line\r\nsecond line\r\nthird line",
      "first line\nsecond line\nthird line", "\r\n\r\n", "none",
    ]
    let rows = texts.enumerated().map { i, text in
      let values = [String(text.prefix(12)), text, text + long + text]
        // A carriage return and a line feed are one character.
        .map { $0.replacing("\r\n", with: "\\r\\n").replacing("\n", with: "\\n") }
      return #"{"_key":\#(i),"a":"\#(values[0])","b":"\#(values[1])","c":"\#(values[2])"}"#
    }
    return
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"T","#
      + #""keyMember":"_key","properties":{"a":"string","b":"string","c":"string"}}],"objects":{"T":["#
      + rows.joined(separator: ",") + "]}}"
  }

  @Test(
    "the structure decides which carriage returns belong there", arguments: TextProgram.allCases)
  func ownCarriageReturns(program: TextProgram) throws {
    let long = String(repeating: "long ", count: 30)
    let bytes = try readFile(try folder.importRealm(texts(long)))
    let changed = program.changed(bytes)
    #expect(changed.count > bytes.count)
    let result = try #require(try undone(changed))
    #expect(result.undo.undecided == 0)
    #expect(result.undo.kept > 0 || program == .always)
    #expect(result.bytes == bytes)
  }

  @Test("text with both line ends in one string is reported, because nothing says which is which")
  func undecided() throws {
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"T","#
      + #""keyMember":"_key","properties":{"a":"string"}}],"objects":{"T":[{"_key":0,"a":""#
      + #"one\r\ntwo\nthree and more than fifteen bytes"}]}}"#
    let bytes = try readFile(try folder.importRealm(text))
    let result = try #require(try undone(TextProgram.whereMissing.changed(bytes)))
    #expect(result.undo.undecided == 2 && result.undo.kept >= 1)
    #expect(result.bytes.count == bytes.count)
    #expect(zip(result.bytes, bytes).count { $0 != $1 } < 10)
  }

  @Test("a realm whose only line feeds have carriage returns of their own was not changed")
  func onlyOwn() throws {
    // No header or ref has a line feed in such a small file.
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"T","#
      + #""keyMember":"_key","properties":{"a":"string"}}],"objects":{"T":[{"_key":0,"a":"x\r\ny"}]}}"#
    var bytes = try readFile(try folder.importRealm(text))
    for i in bytes.indices where bytes[i] == 0x0A && bytes[i - 1] != 0x0D { bytes[i] = 0x0B }
    #expect(bytes.contains(0x0A))
    #expect(try undone(bytes) == nil)
  }

  @Test("bytes that became U+FFFD are told apart, and nothing undoes that")
  func replacementCharacters() throws {
    for name in ["all-types", "people", "strings"] {
      let bytes = Array(String(decoding: try Golden.bytes("\(name).realm"), as: UTF8.self).utf8)
      let path = try folder.write(bytes, to: "\(name).realm")
      // No two of these can overlap.
      let count = String(decoding: bytes, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
      #expect(count > 0)
      let error = refusal(path)
      #expect(error?.kind == .changedAsText(.replacementCharacters(count)), "\(name)")
      #expect("\(try #require(error))".contains("nothing can undo that"))
    }
  }

  @Test("opening a changed realm says what happened, with the number of carriage returns")
  func opening() throws {
    let bytes = try Golden.bytes("people.realm")
    let changed = TextProgram.always.changed(bytes)
    let path = try folder.write(changed, to: "a.realm")
    #expect(
      refusal(path)?.kind == .changedAsText(.carriageReturns(changed.count - bytes.count)))
    // Any other damage keeps its own error.
    let cut = try folder.write(Array(bytes.prefix(bytes.count / 2)), to: "b.realm")
    guard case .truncated = refusal(cut)?.kind else {
      Issue.record("\(String(describing: refusal(cut)))")
      return
    }
  }
}
