import Foundation
import RealmInterchange
import RealmJobs
import TestSupport
import Testing

@Suite("realm-cli schema show as model classes")
struct SchemaModelCommandTests {
  /// Writes the model classes of every golden realm and every lived one into files, with what the command runs.
  private func models(
    _ format: SchemaTextFormat, as ending: String, in folder: TemporaryFolder
  ) throws -> [String] {
    let encrypted = ["people-encrypted"]
    let paths =
      Golden.names.filter { !encrypted.contains($0) }.map { Golden.path($0 + ".realm") }
      + Lived.names.map { Lived.path($0 + ".realm") }
    return try paths.map { (path) throws -> String in
      let name = URL(filePath: path).deletingPathExtension().lastPathComponent
      let text = try SchemaTextJob(path: path, key: nil, format: format).run().text
      return try folder.write(text, to: "\(name).\(ending)")
    }
  }

  @Test(
    "swiftc parses the Swift classes of Realm, GRDB and SwiftData",
    .enabled(if: Programs.isInstalled("swiftc"), "needs swiftc"),
    arguments: [SchemaTextFormat.swift, .grdb, .swiftdata])
  func swift(format: SchemaTextFormat) throws {
    let folder = try TemporaryFolder()
    // The compiler prints what is wrong, with the file.
    let files = try models(format, as: "swift", in: folder)
    #expect(try Programs.run("swiftc", ["-frontend", "-parse"] + files).status == 0)
  }

  @Test(
    "Node parses the JavaScript classes", .enabled(if: Programs.isInstalled("node"), "needs node"))
  func javascript() throws {
    let folder = try TemporaryFolder()
    let files = try models(.javascript, as: "mjs", in: folder)
    // It parses modules without the ones that they import, and names the file of an error.
    let script = """
      const { SourceTextModule } = require("vm")
      for (const file of process.argv.slice(1)) {
        new SourceTextModule(require("fs").readFileSync(file, "utf8"), { identifier: file })
      }
      """
    let (status, _) = try Programs.run(
      "node", ["--no-warnings", "--experimental-vm-modules", "-e", script] + files)
    #expect(status == 0)
  }

  @Test(
    "tsc accepts the TypeScript classes", .enabled(if: Programs.isInstalled("tsc"), "needs tsc"))
  func typescript() throws {
    let folder = try TemporaryFolder()
    let files = try models(.typescript, as: "ts", in: folder)
    let (_, output) = try Programs.run(
      "tsc", ["--noEmit", "--noResolve", "--target", "es2020"] + files)
    // The package realm is not here, and each file imports it.
    let lines = output.split(separator: "\n")
    #expect(lines.filter { !$0.contains("Cannot find module 'realm'") } == [])
    #expect(lines.count == files.count)
  }

  @Test("SQLite accepts the tables as SQL", .enabled(if: Programs.isInstalled("sqlite3")))
  func sql() throws {
    let folder = try TemporaryFolder()
    for file in try models(.sql, as: "sql", in: folder) {
      let (status, output) = try Programs.run("sqlite3", ["-bail", ":memory:", ".read '\(file)'"])
      #expect(status == 0, "\(file): \(output)")
    }
  }

  @Test("Python compiles the classes of SQLAlchemy", .enabled(if: Programs.isInstalled("python3")))
  func python() throws {
    let folder = try TemporaryFolder()
    let files = try models(.sqlalchemy, as: "py", in: folder)
    let script = "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)"
    #expect(try Programs.run("python3", ["-c", script] + files).status == 0)
  }

  @Test("the options for tables are refused where they mean nothing")
  func options() throws {
    let realm = Golden.path("links.realm")
    for arguments in [
      ["--format", "swift", "--dates", "unix"], ["--format", "swiftdata", "--ids", "blob"],
      ["--format", "grdb", "--for", "room"], ["--format", "room", "--for", "plain"],
      ["--for", "room"],
    ] {
      #expect(try runTool(["schema", "show", realm] + arguments).status == 64, "\(arguments)")
    }
    let sql = try runTool("schema", "show", realm, "--format", "sql", "--for", "room")
    #expect(sql.text.contains("\"index_Person_name\""))
  }
}
