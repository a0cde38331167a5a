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
    let line = try JSONSerialization.jsonObject(with: Data(firstLine(of: tool)))
    tool.send(SIGINT)
    let object = try #require(line as? [String: Any])
    #expect(object["editing"] as? Bool == isEditing)
    #expect(
      object["port"] is Int && (object["url"] as? String)?.hasPrefix("http://127.0.0.1:") == true)
    _ = tool.end()

    let told = try RunningTool("realm-cli", ["browse", MeasuredQuery.realm, "--no-open"] + options)
    _ = firstLine(of: told)
    told.send(SIGINT)
    #expect(told.end().stderr.contains("editing is on") == isEditing)
  }

  private func firstLine(of tool: RunningTool) -> [UInt8] {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let bytes = tool.read(1)
      if bytes.isEmpty { return line }
      line += bytes
    }
    return line
  }
}
