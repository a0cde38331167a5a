import Foundation
import TestSupport
import Testing

@Suite("realm-cli browse")
struct BrowseCommandTests {
  @Test("options that only make sense with editing, or without it, are wrong usage")
  func usage() throws {
    let backup = try runTool("browse", MeasuredQuery.realm, "--no-open", "--no-backup")
    #expect(backup.status == 64 && backup.stderr.contains("--no-backup needs --edit"))
    let previous = try runTool("browse", MeasuredQuery.realm, "--no-open", "--edit", "--previous")
    #expect(previous.status == 64 && previous.stderr.contains("--previous"))
  }

  @Test("the start says whether editing is on", arguments: [true, false])
  func start(isEditing: Bool) throws {
    let options = isEditing ? ["--edit"] : []
    let tool = try RunningTool(
      "realm-cli", ["browse", MeasuredQuery.realm, "--no-open", "--json"] + options)
    let start = try JSONSerialization.jsonObject(with: Data(line { tool.read(1) }))
    tool.send(SIGINT)
    let object = try #require(start as? [String: Any])
    #expect(object["editing"] as? Bool == isEditing)
    #expect(
      object["port"] is Int && (object["url"] as? String)?.hasPrefix("http://127.0.0.1:") == true)
    _ = tool.end()

    let told = try RunningTool("realm-cli", ["browse", MeasuredQuery.realm, "--no-open"] + options)
    var lines: [String] = []
    while !lines.contains("Ctrl-C ends it\n") {
      let next = line { told.readError(1) }
      if next.isEmpty { break }
      lines.append(String(decoding: next, as: UTF8.self))
    }
    told.send(SIGINT)
    _ = told.end()
    #expect(lines.joined().contains("editing is on") == isEditing, "\(lines)")
  }

  /// A line of what `read` reads byte by byte; empty at the end.
  private func line(_ read: () -> [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let bytes = read()
      if bytes.isEmpty { return line }
      line += bytes
    }
    return line
  }
}
