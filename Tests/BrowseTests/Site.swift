import Commands
import Foundation
import RealmBrowse
import RealmJobs
import RealmStorage
import TestSupport

/// The pages of some realms, without a server.
struct Site {
  let site: BrowseSite

  init(_ paths: String..., key: RealmKey? = nil, editing: Editing? = nil) {
    site = BrowseSite(
      realms: paths.map {
        BrowsedRealm(
          path: $0, keys: OneKey(key: key), cacheByteCount: 64_000_000, jobs: 2)
      }, editing: editing, reports: PageReports())
  }

  /// The same key for all realms.
  private struct OneKey: RealmKeySource {
    let key: RealmKey?

    func open<Realm>(_ path: String, _ open: (RealmKey?) throws -> Realm) throws -> Realm {
      try open(key)
    }
  }

  /// The response to a request for `target`, with the whole body.
  func get(_ target: String) throws -> (status: Int, text: String, type: String) {
    let response = site.respond(to: try HTTPRequest(target: target))
    var bytes = response.bytes
    if case .stream(let write) = response.body {
      let sink = MemorySink()
      try write(sink)
      bytes = sink.bytes
    }
    return (response.status, String(decoding: bytes, as: UTF8.self), response.contentType)
  }

  /// The response to the request that a link leads to.
  func follow(_ link: String) throws -> (status: Int, text: String, type: String) {
    try get(link.split(separator: "#").first.map(String.init) ?? link)
  }
}

/// What a test needs of a page.
struct PageText {
  let html: String

  init(_ html: String) { self.html = html }

  /// The targets of the links with this text.
  func links(_ text: String) -> [String] {
    links.filter { $0.text == text }.map(\.target)
  }

  /// All links, with their text and their target, decoded.
  var links: [(text: String, target: String)] {
    html.components(separatedBy: "<a ").dropFirst().compactMap { part in
      guard let end = part.range(of: "</a>"), let start = part.firstIndex(of: ">"),
        let target = PageText.attribute("href", in: String(part[..<start]))
      else { return nil }
      let text = String(part[part.index(after: start)..<end.lowerBound])
      return (PageText.decoded(text), target)
    }
  }

  /// The decoded value of an attribute.
  static func attribute(_ name: String, in tag: String) -> String? {
    let parts = tag.components(separatedBy: "\(name)=\"")
    guard parts.count > 1 else { return nil }
    return parts[1].components(separatedBy: "\"").first.map(decoded)
  }

  /// Text without the escapes of HTML.
  static func decoded(_ text: String) -> String {
    text.replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
      .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&#39;", with: "'")
      .replacingOccurrences(of: "&amp;", with: "&")
  }

  /// The texts of the cells of each row of the table of objects.
  var rows: [[String]] {
    guard
      let body = html.components(separatedBy: "data-rows").dropFirst().first?
        .components(separatedBy: "<tbody>").dropFirst().first?.components(separatedBy: "</tbody>")
        .first
    else { return [] }
    return body.components(separatedBy: "<tr>").dropFirst().map { row in
      row.components(separatedBy: "</t").dropLast().compactMap { cell in
        guard let start = cell.range(of: "<td") ?? cell.range(of: "<th") else { return nil }
        return PageText.decoded(PageText.withoutTags(String(cell[start.lowerBound...])))
      }
    }
  }

  static func withoutTags(_ html: String) -> String {
    var (text, isTag) = ("", false)
    for character in html {
      if character == "<" {
        isTag = true
      } else if character == ">" {
        isTag = false
      } else if !isTag {
        text.append(character)
      }
    }
    return text
  }
}
