import Foundation
import RealmJobs
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Releases of SDKs")
struct SDKReleasesTests {
  /// The formats that realms have.
  private static let formats = FileFormat.all.map(\.number)

  /// The tables of the page whose rows are formats: what is after the first cell of each row, by format.
  private static func tables() throws -> [[Int: String]] {
    let page = try String(
      contentsOf: packageFolder.appending(path: "docs/file-formats.md"), encoding: .utf8)
    return try page.components(separatedBy: "\n\n").filter { $0.hasPrefix("| format |") }.map {
      var rows: [Int: String] = [:]
      for line in $0.split(separator: "\n").dropFirst(2) {
        let cells = line.dropFirst(2).split(separator: " | ", maxSplits: 1)
        let ends = try cells[0].components(separatedBy: " to ").map { try #require(Int($0)) }
        for format in try #require(ends.first)...(try #require(ends.last)) {
          rows[format] = String(cells[1])
        }
      }
      return rows
    }
  }

  /// A cell of the page.
  private func cell(_ ranges: [SDKReleases.Range]) -> String {
    guard !ranges.isEmpty else { return "–" }
    return ranges.map { range in
      guard let last = range.last else { return "\(range.first) and later" }
      return last == range.first ? last : "\(range.first) – \(last)"
    }.joined(separator: ", ")
  }

  private func row(_ cells: [String]) -> String { cells.joined(separator: " | ") + " |" }

  @Test("docs/file-formats.md has the same tables")
  func docs() throws {
    let tables = try Self.tables()
    #expect(tables.count == 2)
    for format in Self.formats {
      let releases = SDKReleases.opening(format: format)
      #expect(releases.map(\.sdk) == SDK.allCases, "\(format)")
      // Which releases wrote formats 2 to 8 is not known.
      let isKnown = !releases.contains { $0.opening == nil }
      #expect(isKnown == (format > 8))
      #expect(tables[0][format] == (isKnown ? row(releases.map { cell($0.opening ?? []) }) : nil))
      #expect(tables[1][format] == row(releases.map { cell($0.upgrading) }))
    }
    #expect(tables[1].count == Self.formats.count)
  }

  /// The parts of a release, such as 10, 8, 0 and a pre-release, which comes before the release without one.
  private func order(_ release: String) -> [Int] {
    let parts = release.split(separator: "-", maxSplits: 1)
    let numbers = parts[0].split { !$0.isNumber }.prefix(3).compactMap { Int($0) }
    return numbers + [parts.count > 1 ? 0 : 1]
  }

  @Test("the releases of an SDK follow each other, and no release has two formats")
  func ranges() throws {
    var writing: [SDK: [[Int]]] = [:]
    for format in Self.formats {
      for releases in SDKReleases.opening(format: format) {
        let ranges = (releases.opening ?? []) + releases.upgrading
        let ends = ranges.flatMap { [order($0.first), order($0.last ?? "99.0.0")] }
        for (end, next) in zip(ends, ends.dropFirst()) {
          #expect(!next.lexicographicallyPrecedes(end), "\(format) \(releases.sdk)")
        }
        for range in releases.opening ?? [] {
          writing[releases.sdk, default: []] += [order(range.first), order(range.last ?? "99.0.0")]
        }
      }
    }
    for (sdk, ends) in writing where sdk != .javaScript {
      for (end, next) in zip(ends, ends.dropFirst()) {
        #expect(!next.lexicographicallyPrecedes(end), "\(sdk) \(next)")
      }
    }
    #expect(SDKReleases.opening(format: 0).isEmpty)
    #expect(SDKReleases.opening(format: 25).isEmpty)
  }
}
