import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Shares and lists of realms")
struct RealmShareTests {
  @Test(
    "the share of a path is its FNV-1a hash modulo the number of shares",
    arguments: [
      // Computed with another program.
      ("a.realm", [2, 1, 2, 922]),
      ("/srv/realms/people.realm", [2, 1, 8, 264]),
      ("données/été.realm", [1, 1, 3, 323]),
    ])
  func hash(path: String, numbers: [Int]) {
    for (count, number) in zip([2, 3, 8, 1000], numbers) {
      #expect(RealmShare(number, of: count)?.contains(path) == true)
      #expect(RealmShare(number % count + 1, of: count)?.contains(path) == false)
    }
  }

  @Test("shares are numbered from 1")
  func numbers() {
    #expect(RealmShare(1, of: 1) != nil)
    #expect(RealmShare(0, of: 3) == nil)
    #expect(RealmShare(4, of: 3) == nil)
    #expect(RealmShare(1, of: 0) == nil)
    #expect(RealmShare(1, of: -2) == nil)
  }

  @Test("each realm of a folder is in one share, and the shares are about equal")
  func search() throws {
    let missing = (0..<400).map { "/missing/\($0).realm" }
    let all = RealmSearch(paths: missing).realms
    let shares = (1...8).map { RealmSearch(paths: missing, share: RealmShare($0, of: 8)).realms }
    #expect(shares.flatMap(\.self).sorted() == all.sorted())
    #expect(shares.allSatisfy { (30...70).contains($0.count) })
  }

  @Test("lines, and paths between zero bytes")
  func list() throws {
    let folder = try TemporaryFolder()
    let lines = try folder.write(Array("a.realm\n\n b c.realm\nlast".utf8), to: "lines")
    #expect(try PathList.read(lines) == ["a.realm", " b c.realm", "last"])
    let zeros = try folder.write(Array("a\nb.realm\0c.realm\0".utf8), to: "zeros")
    #expect(try PathList.read(zeros) == ["a\nb.realm", "c.realm"])
    let empty = try folder.write([], to: "empty")
    #expect(try PathList.read(empty) == [])
  }

  @Test("a path that is not UTF-8 is refused with its number")
  func notText() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("a\nb\n".utf8) + [0xff, 0x0a], to: "list")
    let error = #expect(throws: RealmFileError.self) { try PathList.read(path) }
    #expect(error?.path == path)
    #expect(error?.description.contains("path 3, which is not UTF-8") == true)
  }

  @Test("lines that cross blocks of the reader are whole")
  func longLines() throws {
    let folder = try TemporaryFolder()
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
    let path = try folder.write(long + [0x0a] + long + [0x0a, 0x0a, 0x79], to: "long")
    var reader = LineReader(try InputFile.open(path))
    #expect(try reader.next(limit: 1_000_000) == long)
    #expect(try reader.next(limit: 1000)?.count == 1000)
    #expect(try reader.next(limit: 10) == [])
    #expect(try reader.next(limit: 10) == [0x79])
    #expect(try reader.next(limit: 10) == nil)
  }
}
