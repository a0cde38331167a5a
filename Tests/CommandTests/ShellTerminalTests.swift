import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite("realm-cli shell at a terminal")
  struct ShellTerminalTests {
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try folder.copyGolden("people.realm")
    }

    private func start(environment: [String: String] = [:]) throws -> TerminalSession {
      let session = try TerminalSession(
        ["shell", "people.realm"],
        environment: ["XDG_STATE_HOME": folder.path("state"), "PAGER": "cat", "NO_COLOR": "1"]
          .merging(environment) { $1 },
        folder: folder.url)
      try session.wait(for: "people.realm> ")
      return session
    }

    /// Runs a line, and returns what the terminal shows until the next prompt.
    private func run(_ line: String, _ session: TerminalSession) throws -> String {
      try session.type(line + "\n")
      return try session.wait(for: "people.realm> ")
    }

    @Test("a line is edited with the keys, and run with Enter")
    func editing() throws {
      let session = try start()
      // Home, a forgotten letter, End, and two characters too much.
      let shown = try run("erson where age == 41 limit(1)xx\u{1}P\u{5}\u{7F}\u{7F}", session)
      #expect(shown.contains("1 object\n"), "\(shown)")
      try session.type("\u{4}")
      #expect(try session.end() == 0)
    }

    @Test("Tab completes classes, words, properties and commands")
    func completion() throws {
      let session = try start()
      try session.type("Per\t wh\t ag\t > 200\n")
      #expect(try session.wait(for: "objects").contains("Person where age > 200"))
      try session.wait(for: "people.realm> ")
      try session.type(".cl\t\n")
      #expect(try session.wait(for: "people.realm> ").contains("Company"))
      // Several words are listed, and what is typed stays.
      try session.type("Co\t")
      let listed = try session.wait(for: "people.realm> Co")
      #expect(listed.contains("Company  Counter"), "\(listed)")
      try session.type("mpany limit(1)\n")
      try session.wait(for: "1 object")
    }

    @Test("changes that are not saved are asked about at the end")
    func unsaved() throws {
      func start() throws -> TerminalSession {
        let session = try TerminalSession(
          ["shell", "people.realm", "--edit", "--no-history"],
          environment: ["PAGER": "cat", "NO_COLOR": "1"], folder: folder.url)
        try session.wait(for: "people.realm> ")
        try session.type("upd\t Counter set n = 9\n")
        try session.wait(for: "people.realm (5 changed)> ")
        return session
      }
      let path = folder.path("people.realm")
      let before = try readFile(path)
      var session = try start()
      try session.type(".quit\n")
      try session.wait(for: "5 changed objects not saved. Save? (yes, no, cancel) ")
      try session.type("what\n")
      try session.wait(for: "(yes, no, cancel) ")
      try session.type("cancel\n")
      try session.wait(for: "people.realm (5 changed)> ")
      try session.type("\u{4}")
      try session.wait(for: "(yes, no, cancel) ")
      try session.type("no\n")
      #expect(try session.end() == 0)
      #expect(try readFile(path) == before)
      session = try start()
      try session.type("\u{4}")
      try session.wait(for: "(yes, no, cancel) ")
      try session.type("yes\n")
      #expect(try session.end() == 0)
      let count = try runTool("query", path, "Counter", "n == 9", "--count")
      #expect(count.text == "5\n")
    }

    @Test("lines are recalled, also by a later shell")
    func history() throws {
      var session = try start()
      _ = try run("Counter", session)
      _ = try run(".timer off", session)
      try session.type("\u{1B}[A\u{1B}[A\n")
      try session.wait(for: "Counter")
      try session.wait(for: "people.realm> ")
      try session.type(".quit\n")
      #expect(try session.end() == 0)
      let history = try String(
        contentsOfFile: folder.path("state/realm-cli/history"), encoding: .utf8)
      #expect(history == "Counter\n.timer off\nCounter\n.quit\n")
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.path("state/realm-cli/history"))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      session = try start()
      try session.type("\u{1B}[A\u{1B}[A\n")
      try session.wait(for: "Counter")
    }

    @Test("lines about an encrypted realm are kept only if the user asks for it")
    func encryptedHistory() throws {
      try folder.copyGolden("people-encrypted.realm")
      try folder.copyGolden("people-encrypted.key")
      for (options, isKept) in [([], false), (["--history"], true)] as [([String], Bool)] {
        let session = try TerminalSession(
          ["shell", "people-encrypted.realm", "--key-file", "people-encrypted.key"] + options,
          environment: ["XDG_STATE_HOME": folder.path("state")], folder: folder.url)
        try session.wait(for: "> ")
        try session.type(".quit\n")
        #expect(try session.end() == 0)
        #expect(try folder.contents().keys.contains("state/realm-cli/history") == isKept)
      }
    }

    @Test("Ctrl-C ends a long query and not the shell; at the prompt it drops the line")
    func interrupt() throws {
      // Each of 3000 objects links to 100 others, so each has a million links of links of links: all take minutes.
      let objects = (0..<3000).map { i in
        let links = (1...100).map { "\((i * 7 + $0 * 29) % 3000)" }.joined(separator: ",")
        return "{\"_key\":\(i),\"n\":\(i),\"next\":[\(links)]}"
      }.joined(separator: ",\n")
      let text = """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
        "schema":[{"name":"A","keyMember":"_key","properties":{"n":"int","next":"A[]"}}],
        "objects":{"A":[\(objects)]}}
        """
      try folder.write(Array(text.utf8), to: "a.json")
      let made = try runTool("import", "a.json", "-o", "a.realm", folder: folder.url)
      #expect(made.status == 0, "\(made.stderr)")
      let session = try TerminalSession(
        ["shell", "a.realm"], environment: ["HOME": folder.path("home"), "NO_COLOR": "1"],
        folder: folder.url)
      try session.wait(for: "a.realm> ")
      for command in [".count ", "", ".explain "] {
        try session.type("\(command)A where ANY next.next.next.n > n + 3000\n")
        try session.wait(for: "+ 3000\n")
        usleep(300_000)
        try session.type("\u{3}")
        try session.wait(for: "interrupted\n")
        try session.wait(for: "a.realm> ")
      }
      try session.type("A where nonsense\u{3}")
      try session.wait(for: "a.realm> ")
      try session.type(".count A where n < 2\n")
      #expect(try session.wait(for: "a.realm> ").contains("\n2\n"))
      try session.type(".quit\n")
      #expect(try session.end() == 0)
    }

    /// The writer makes all values of a version its number, so objects of two versions differ.
    @Test(
      "after a commit by an app, queries end with an error until .refresh shows the newest version")
    func changes() throws {
      let session = try start()
      let before = try run(".count Person", session)
      #expect(before.contains("\n2851\n"), "\(before)")
      let writer = try RunningTool(
        "test-writer",
        [folder.path("people.realm"), "Person", "score", "--lock", "--pause", "20000"])
      #expect(writer.read(6) == Array("ready\n".utf8))
      // The commits reuse space, so what the old version needs may be gone.
      for line in [".count Person where score > 0", "Person sort(age desc) limit(2)"] {
        let shown = try run(line, session)
        #expect(shown.contains("changed while it was read"), "\(shown)")
        #expect(shown.contains(".refresh"), "\(shown)")
      }
      for _ in 0..<5 {
        let shown = try run(".refresh", session)
        let version = try #require(
          shown.components(separatedBy: "version ").last?.prefix { $0.isNumber }, "\(shown)")
        // The writer goes on meanwhile.
        for _ in 0..<3 {
          let found = try run(".count Person where score == \(version)", session)
          #expect(found.contains("\n2851\n"), "version \(version): \(found)")
        }
      }
      #expect(writer.end().status == 0)
      try session.type("\u{4}")
      #expect(try session.end() == 0)
    }

    @Test("output that does not fit on the terminal goes to the pager")
    func pager() throws {
      let session = try start(environment: ["PAGER": "sed s/^/paged:/"])
      let long = try run("Person", session)
      #expect(long.contains("paged:"), "\(long)")
      #expect(long.contains("100 of "))
      let short = try run("Person limit(3)", session)
      #expect(!short.contains("paged:"))
      // A pager that ends early ends the query.
      let left = try start(environment: ["PAGER": "head -n 2"])
      let shown = try run("Person", left)
      #expect(!shown.contains("realm-cli:"), "\(shown)")
      #expect(try run("Counter limit(1)", left).contains("1 object"))
    }

    @Test("a table fits 80 columns, also with wide characters")
    func width() throws {
      let session = try start()
      let shown = try run("Person limit(20)", session)
      let lines = shown.split(separator: "\n").filter { !$0.contains("people.realm>") }
      #expect(lines.count > 20)
      for line in lines.dropFirst() { #expect(line.unicodeScalars.count <= 80, "\(line)") }
    }

    @Test("wide characters are edited as one")
    func wide() throws {
      let session = try start()
      let shown = try run("Person where firstName == \"日本語\u{7F}\u{7F}\u{7F}X\"", session)
      #expect(shown.contains("0 objects"), "\(shown)")
      let error = try run("日本 where x", session)
      #expect(error.contains("日本"), "\(error)")
    }

    @Test("an error shows its place in the line")
    func errors() throws {
      let session = try start()
      let shown = try run("Person where agee > 3", session)
      #expect(shown.contains("  Person where agee > 3\n               ^~~~\n"), "\(shown)")
    }
  }
#endif
