import Foundation
import RealmBackup
import RealmStorage
import TestSupport
import Testing

@Suite("The backup commands")
struct BackupCommandTests {
  let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.copyGolden("people.realm", as: "data/people.realm")
    try folder.copyGolden("tasks-synced.realm", as: "data/sub/tasks.realm")
    try FileManager.default.createDirectory(
      atPath: folder.path("out"), withIntermediateDirectories: false)
  }

  private var archives: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
    }
  }

  private static func has(_ tool: String) -> Bool {
    (try? runScript("command -v \(tool)").status) == 0
  }

  /// Such a time once trapped the command, as the manifest could not be read back. A file
  /// system in memory allows it; the usual ones end in 2446.
  @Test(
    "a file time beyond the year 9999 is reported, and the other realms are archived",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/shm"), "there is no /dev/shm"))
  func oddTime() throws {
    let result = try runScript(
      """
      odd=$(mktemp -d /dev/shm/realm-cli-test-XXXXXX)
      trap 'rm -rf "$odd"' EXIT
      cp data/people.realm "$odd/odd.realm"
      touch -d 12000-01-01T00:00:00Z "$odd/odd.realm"
      realm-cli backup create "$odd/odd.realm" data/sub/tasks.realm -o out/a.tar
      """, folder: folder.url)
    #expect(result.status == 69)
    #expect(result.stderr.contains("12000-01-01T00:00:00Z, is outside the years 1 to 9999"))
    let listed = try runTool("backup", "list", "out/a.tar", folder: folder.url)
    #expect(listed.text.contains("tasks.realm"))
    #expect(!listed.text.contains("odd.realm"))
  }

  #if os(Linux)
    /// File systems of Linux compare names byte by byte, `String` does not: composed and decomposed é.
    @Test("two files whose names are canonically equivalent are two files")
    func namesByBytes() throws {
      let names = ["caf\u{E9}.realm", "cafe\u{301}.realm"]
      for (name, golden) in zip(names, ["people.realm", "links.realm"]) {
        try folder.copyGolden(golden, as: "in/" + name)
      }
      let compacted = try runTool("compact", "in", "-o", "out", folder: folder.url)
      #expect(compacted.status == 0, "\(compacted.stderr)")
      for (name, golden) in zip(names, ["people", "links"]) {
        let text = try runTool(
          "export", "out/" + name, "--format", "core-xjson-plus", folder: folder.url)
        #expect(try text.stdout == Golden.bytes("\(golden).core-xjson-plus.json"))
      }
      let created = try runTool("backup", "create", "out", "-o", "a.tar", folder: folder.url)
      #expect(created.status == 64, "an archive cannot keep them apart")
      #expect(created.stderr.contains("the backup would have two realms named out/caf"))
    }

    @Test(
      "a decomposed name is restored as it was",
      arguments: ["tar", "tar.gz", "tar.xz", "tar.zst", "zip", "7z"])
    func decomposedName(format: String) throws {
      let archive = "names." + format
      try folder.copyGolden("people.realm", as: "in/cafe\u{301}.realm")
      let created = try runTool("backup", "create", "in", "-o", archive, folder: folder.url)
      #expect(created.status == 0, "\(created.stderr)")
      #expect(try runTool("backup", "verify", archive, folder: folder.url).status == 0)
      let restored = try runTool("backup", "restore", archive, "-C", "new", folder: folder.url)
      #expect(restored.status == 0, "\(restored.stderr)")
      let found = try FileManager.default.contentsOfDirectory(atPath: folder.path("new/in"))
      #expect(found.map { Array($0.utf8) } == [Array("cafe\u{301}.realm".utf8)])
    }
  #endif

  @Test("create, list, verify, restore")
  func all() throws {
    let created = try runTool("backup", "create", "data", "-o", "out", "--json", folder: folder.url)
    #expect(created.status == 0, "\(created.stderr)")
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(created.stdout)) as? [String: Any])
    #expect(Set(report.keys) == ["archive", "bytes", "failed", "manifest"])
    let archive = try #require(try archives.first)
    #expect(archive.hasPrefix("data-20") && archive.hasSuffix("Z.tar.zst"))
    let list = try runTool("backup", "list", folder.path("out/\(archive)"))
    #expect(list.text.contains("data/sub/tasks.realm"))
    #expect(try runTool("backup", "verify", folder.path("out/\(archive)")).status == 0)
    let target = folder.path("restored")
    let restored = try runTool(
      "backup", "restore", folder.path("out/\(archive)"), "-C", target + "/")
    #expect(restored.status == 0)
    #expect(restored.text.contains(target + "/data/people.realm: restored"))
    #expect(restored.stderr.contains("convert --to local"))
    let export = try runTool(
      "export", target + "/data/people.realm", "--format", "core-xjson-plus")
    #expect(export.stdout == (try Golden.bytes("people.core-xjson-plus.json")))
    let again = try runTool("backup", "restore", folder.path("out/\(archive)"), "-C", target)
    #expect(again.status == 73)
  }

  @Test("through pipes, in and out")
  func pipes() throws {
    let result = try runScript(
      """
      realm-cli backup create data -o - --name x | realm-cli backup restore - -C piped -q
      realm-cli backup create data -o - --format zip | realm-cli backup verify -
      """, folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.text.contains("good, 2 realms"))
    let sevenZip = try runScript(
      "realm-cli backup create data -o - --format 7z | realm-cli backup verify -",
      folder: folder.url)
    #expect(sevenZip.status == 69)
  }

  @Test(
    "tar opens them",
    .enabled(if: has("tar") && has("zstd"), "tar or zstd is not installed"),
    arguments: [
      ("tar.zst", "tar --zstd -xf"), ("tar.gz", "tar -xzf"), ("tar.xz", "tar -xJf"),
      ("tar", "tar -xf"),
    ])
  func tar(format: String, command: String) throws { try open(format, with: command) }

  @Test("unzip opens them", .enabled(if: has("unzip"), "unzip is not installed"))
  func unzip() throws { try open("zip", with: "unzip -q") }

  @Test("7z opens them", .enabled(if: has("7z"), "7z is not installed"))
  func sevenZip() throws { try open("7z", with: "7z x") }

  @Test("bsdtar opens them", .enabled(if: has("bsdtar"), "bsdtar is not installed"))
  func bsdtar() throws { try open("7z", with: "bsdtar -xf") }

  /// Makes an archive of `format`, and opens it with `command`.
  private func open(_ format: String, with command: String) throws {
    let result = try runScript(
      """
      set -e
      realm-cli backup create data -o x.\(format)
      mkdir x && cd x && \(command) ../x.\(format) > /dev/null
      sha256sum -c manifest.sha256
      realm-cli export data/people.realm --format core-xjson-plus -o ../export.json
      """, folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      FileManager.default.contents(atPath: folder.path("export.json"))
        == Data(try Golden.bytes("people.core-xjson-plus.json")))
  }

  @Test("a realm that cannot be backed up is reported, and the others continue")
  func failures() throws {
    try folder.copyGolden("people-encrypted.realm", as: "data/secret.realm")
    let held = HeldLock(folder.path("data/secret.realm.lock"), LOCK_SH)
    try withExtendedLifetime(held) {
      let result = try runTool(
        "backup", "create", folder.path("data"), "-o", folder.path("x.tar"))
      #expect(result.status == 75, "\(result.stderr)")
      #expect(result.stderr.contains("in use"))
    }
    #expect(try runTool("backup", "list", folder.path("x.tar"), "--json").text.contains("tasks"))
    #expect(!(try runTool("backup", "list", folder.path("x.tar")).text.contains("secret")))
    try folder.write(realmBytes(top: 8000), to: "data/bad.realm")
    let result = try runTool("backup", "create", folder.path("data"), "-o", folder.path("y.tar"))
    #expect(result.status == 65)
    let key = Golden.path("people-encrypted.key")
    let json = try runTool(
      "backup", "create", folder.path("data/secret.realm"), "-o", folder.path("z.zip"), "--json",
      "--key-file", key)
    #expect(json.text.contains(#""verified":true"#))
    #expect(json.text.contains(#""encrypted":true"#))
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("z.zip"))
    #expect(mode[.posixPermissions] as? Int == 0o600)
  }

  @Test("wrong usage ends with 64, and nothing is done")
  func usage() throws {
    let out = folder.path("out")
    #expect(try runTool("backup", "create", "-o", out).status == 64)
    #expect(try runTool("backup", "create", path, "-o", folder.path("x")).status == 64)
    #expect(try runTool("backup", "create", path, "-o", out, "--level", "99").status == 64)
    #expect(
      try runTool("backup", "create", path, "-o", out, "--format", "tar", "--level", "1").status
        == 64)
    #expect(try runTool("backup", "create", path, "-o", out, "--name", "a/b").status == 64)
    #expect(try runTool("backup", "create", out, "-o", out).status == 66)
    #expect(try runTool("backup", "create", path, "--app-dir", out, "-o", out).status == 66)
    #expect(try runTool("backup", "create", path, "-o", path).status == 64)
    #expect(try runTool("backup", "prune", out).status == 64)
    #expect(try runTool("backup", "prune", out, "--keep-last", "0").status == 64)
    #expect(try runTool("backup", "restore", "x", "-C", "a", "--to", "b").status == 64)
    #expect(try runTool("backup", "list", path).status == 65)
    #expect(try runTool("backup", "list", folder.path("none")).status == 66)
    #expect(try archives == [])
  }

  @Test("--exclude leaves out by name, --dry-run does nothing")
  func exclude() throws {
    let result = try runTool(
      "backup", "create", "data", "-o", "out", "--exclude", "task*", "--dry-run", "--json",
      folder: folder.url)
    #expect(result.text.contains(#""path":"data/people.realm""#))
    #expect(!result.text.contains("tasks"))
    let plan = try #require(
      JSONSerialization.jsonObject(with: Data(result.stdout)) as? [String: Any])
    // Between the size of the copy and the size of the file.
    let copied = try runTool("compact", path, "-o", folder.path("c.realm"), "--json").stdout
    let sizes = try #require(JSONSerialization.jsonObject(with: Data(copied)) as? [String: Any])
    let (small, large) = (sizes["used"] as? Int ?? 0, sizes["bytesBefore"] as? Int ?? 0)
    #expect((small...large).contains(plan["temporaryBytes"] as? Int ?? 0))
    #expect(plan["temporaryFolder"] as? String == "/tmp")
    #expect(try archives == [])
  }

  @Test("--app-dir takes the realms of all users and the one with the users")
  func appFolder() throws {
    try folder.copyGolden(
      "people.realm", as: "app/server-utility/metadata/sync_metadata.realm")
    try folder.copyGolden("tasks-synced.realm", as: "app/user/x.realm")
    let result = try runTool(
      "backup", "create", "--app-dir", "app", "-o", "x.tar.gz", folder: folder.url)
    #expect(result.text.hasPrefix("x.tar.gz: 2 realms, "))
  }

  @Test("--app-dir takes the folder of the object server too, and no other")
  func oldAppFolder() throws {
    try folder.copyGolden(
      "people.realm", as: "app/io.realm.object-server-utility/metadata/sync_metadata.realm")
    try folder.copyGolden("tasks-synced.realm", as: "app/user/realm%3A%2F%2Fhost%2F%7E%2Ftasks")
    let result = try runTool(
      "backup", "create", "--app-dir", "app", "-o", "x.tar", folder: folder.url)
    #expect(result.text.hasPrefix("x.tar: 2 realms, "))
    let other = try runTool(
      "backup", "create", "--app-dir", "data", "-o", "y.tar", folder: folder.url)
    #expect(other.status == 66)
    #expect(other.stderr.contains("data/server-utility/metadata/sync_metadata.realm"))
  }

  @Test("prune deletes backups that no rule keeps")
  func prune() throws {
    for name in ["a", "b"] {
      _ = try runTool("backup", "create", path, "-o", folder.path("out"), "--name", name)
    }
    let result = try runTool(
      "backup", "prune", folder.path("out"), "--keep-daily", "1", "--verify", "--json")
    #expect(result.status == 0)
    #expect(result.text.contains(#""action":"kept""#))
    #expect(try archives.count == 2)
  }

  /// Cron has few programs and no locale, and mails all output.
  @Test("the line for cron in the documentation works and prints nothing")
  func cron() throws {
    let page = try String(
      contentsOf: packageFolder.appending(path: "docs/backup.md"), encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("0 3 * * * ") })
    let command = line.dropFirst("0 3 * * * ".count)
      .replacing("/usr/local/bin", with: builtFolder.path)
      .replacing("/srv/app", with: folder.url.path)
      .replacing("/srv/backups", with: folder.path("out"))
    try folder.copyGolden("links.realm", as: "data/Grüße.realm")
    for _ in 0..<2 {
      let earlier = try archives
      // Names have whole seconds, and an existing archive is not replaced.
      while earlier.contains(where: { $0.contains(UTCTime.now.compactText) }) { usleep(20_000) }
      let result = try runScript(
        "env -i SHELL=/bin/sh PATH=/usr/bin:/bin HOME=/ /bin/sh -c '\(command)'")
      #expect(result.status == 0)
      #expect(result.text + result.stderr == "")
      #expect(try archives != earlier)
    }
    #expect(try archives.count == 1)
    let list = try runTool("backup", "list", folder.path("out/\(try archives[0])"))
    #expect(list.text.contains("data/Grüße.realm"))
  }

  @Test("after a kill at any moment, an archive or realm is missing or complete")
  func killed() throws {
    let runs = ProcessInfo.processInfo.environment["REALM_BACKUP_KILLS"].flatMap(Int.init) ?? 12
    let archive = folder.path("x.tar.zst")
    #expect(try runTool("backup", "create", path, "-o", folder.path("good.tar.zst")).status == 0)
    var random = SplitMix64(seed: 6)
    for run in 0..<runs {
      for arguments in [
        ["create", path, "-o", archive],
        ["restore", folder.path("good.tar.zst"), "-C", folder.path("killed")],
      ] {
        let process = Process()
        process.executableURL = toolURL
        process.arguments = ["backup"] + arguments + ["-q"]
        process.standardOutput = Pipe()
        try process.run()
        usleep(UInt32.random(in: 0..<150_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      if FileManager.default.fileExists(atPath: archive) {
        #expect(try runTool("backup", "verify", archive).status == 0, "run \(run)")
        try FileManager.default.removeItem(atPath: archive)
      }
      let realm = folder.path("killed/people.realm")
      if FileManager.default.fileExists(atPath: realm) {
        #expect(try runTool("verify", realm).status == 0, "run \(run)")
        try FileManager.default.removeItem(atPath: realm)
      }
    }
  }
}
