import Foundation
import TestSupport
import Testing

/// A page for users: the README, or a page in `docs` or a folder of it.
///
/// The commands of a page are run one after the other in one folder. It holds some realms, and the blocks of code
/// that come before a command and have a title, which is the name of the file: ` ```yaml title="plan.yml" `.
struct DocumentedPage: CustomTestStringConvertible, Sendable {
  /// In the package, such as `docs/info.md`.
  var path: String
  var blocks: [DocumentedBlock]
  /// Paths of the files that the page links to, as it writes them.
  var links: [String]

  var testDescription: String { path }

  static let all: [DocumentedPage] = {
    do {
      let pages = try FileManager.default.subpathsOfDirectory(
        atPath: packageFolder.appending(path: "docs").path)
      return try (["README.md"] + pages.sorted().map { "docs/" + $0 })
        .filter { $0.hasSuffix(".md") && !$0.hasPrefix("docs/file-format/") }
        .map { path in
          let page = packageFolder.appending(path: path)
          return DocumentedPage(path: path, try String(contentsOf: page, encoding: .utf8))
        }
    } catch {
      preconditionFailure("the pages cannot be read: \(error)")
    }
  }()

  private init(path: String, _ text: String) {
    self.path = path
    (blocks, links) = ([], [])
    var isInside = false
    for (i, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isInside.toggle()
        guard isInside else { continue }
        let words = line.dropFirst(3).split(separator: " ", maxSplits: 1).map(String.init)
        let title = words.last?.split(separator: "\"", omittingEmptySubsequences: false)
        blocks.append(
          DocumentedBlock(
            page: path, language: words.first ?? "",
            title: title?.first == "title=" ? title.map { String($0[1]) } : nil, line: i + 2,
            lines: []))
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      } else {
        links += line.matches(of: /\]\(([^()#:\s]+)(?:#[^()\s]*)?\)/).map { String($0.output.1) }
      }
    }
  }

  /// A new folder with the realms that pages use.
  static func makeFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["churned", "links", "names-v0", "people", "tasks-synced"] {
      try folder.copyGolden("\(name).realm")
    }
    try folder.write(HandBuiltLegacy.contacts(), to: "contacts.realm")
    let app = "Documents/mongodb-realm/tasks-abcde"
    try folder.writeApp(app, users: ["frodo", "sam"])
    try folder.copyGolden(
      "tasks-synced-uploaded.realm", as: "\(app)/frodo/flx_sync_default.realm")
    return folder
  }
}

/// A block of code in a page.
struct DocumentedBlock: CustomTestStringConvertible, Sendable {
  /// The path of the page.
  var page: String
  var language: String
  /// The name of the file that the block shows.
  var title: String?
  /// Number of the first line.
  var line: Int
  var lines: [String]

  var testDescription: String { "\(page):\(line)" }

  /// The commands of a block and what they print. A command that ends with a backslash goes on in the next line,
  /// after `> `.
  var commands: [DocumentedCommand] {
    var commands: [DocumentedCommand] = []
    for (i, line) in lines.enumerated() {
      if line.hasPrefix("$ ") {
        commands.append(
          DocumentedCommand(
            place: "\(page):\(self.line + i)", script: String(line.dropFirst(2)), output: []))
      } else if let last = commands.last, last.output.isEmpty, last.script.hasSuffix("\\"),
        line.hasPrefix("> ")
      {
        commands[commands.count - 1].script += "\n" + line.dropFirst(2)
      } else if !commands.isEmpty {
        commands[commands.count - 1].output.append(line)
      }
    }
    return commands
  }
}

/// A command in a page.
struct DocumentedCommand: Sendable {
  /// The page and the line.
  var place: String
  var script: String
  /// The lines that it prints, as the page shows them.
  var output: [String]

  /// Programs of other people that need not be there.
  private static let missing = ["jq", "sqlite3", "python3", "restic", "psql"].filter {
    $0 == "psql" ? !PostgresServer.isInstalled : !Programs.isInstalled($0)
  }

  /// Whether all programs that the command needs are there.
  ///
  /// - Parameter files: the texts of the files that the page shows, by name: a command may run one.
  func canRun(_ files: [String: String]) -> Bool {
    let words = DocumentedCommand.words(script)
    let all = words.union(words.compactMap { files[$0] }.flatMap(DocumentedCommand.words))
    return !DocumentedCommand.missing.contains { all.contains($0) }
  }

  private static func words(_ script: String) -> Set<String> {
    Set(script.split { " |'\"()\n".contains($0) }.map(String.init))
  }

  /// Whether `text` is what the page shows. There, `…` stands for any characters, and a line of its own for any
  /// lines.
  func matches(_ text: String) -> Bool {
    if output.isEmpty { return text.isEmpty }
    let pattern = output.map { line in
      line == "…"
        ? "(?:.*\n)*"
        : line.components(separatedBy: "…").map(NSRegularExpression.escapedPattern(for:))
          .joined(separator: ".*") + "\n"
    }
    return text.range(of: "^" + pattern.joined() + "$", options: .regularExpression)
      == text.startIndex..<text.endIndex
  }
}
