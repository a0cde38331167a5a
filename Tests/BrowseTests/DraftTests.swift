import Foundation
import RealmBrowse
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Drafts without pages: what they refuse, undo, keep and save.
@Suite("Drafts")
struct DraftTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A copy of a golden realm.
  private func copy(_ name: String) throws -> String {
    let path = folder.url.appending(path: "\(name).realm").path
    try FileManager.default.copyItem(atPath: Golden.path("\(name).realm"), toPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  private func view(_ path: String) throws -> RealmView {
    try RealmView(try Snapshot(path: path, key: nil), jobs: 1)
  }

  private func target(_ path: String) -> Draft.Target {
    Draft.Target(path: path, key: nil, jobs: 1, memoryByteCount: 64 << 20)
  }

  /// The objects of `names-v0`, as the tool exports them.
  private func export(_ path: String) throws -> [String] {
    let text = try runTool(
      ["export", path, "-q", "--format", "ndjson", "-o", "-"], folder: folder.url
    )
    .text
    return text.split(separator: "\n").map(String.init)
  }

  private func ages(_ path: String) throws -> [Int: Int] {
    var ages: [Int: Int] = [:]
    for line in try export(path).dropFirst().dropLast() {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let values = try #require(object["object"] as? [String: Any])
      ages[try #require(values["_key"] as? Int)] = values["age"] as? Int
    }
    return ages
  }

  private func line(_ key: Int, from old: Int?, to new: Int) throws -> [UInt8] {
    let old = old.map { "\($0)" } ?? "null"
    return Array(
      #"{"class":"Person","old":{"_key":\#(key),"age":\#(old)},"new":{"_key":\#(key),"age":\#(new)}}"#
        .utf8)
  }

  @Test("an edit is undone and made again, and one that is taken back by hand leaves nothing")
  func undo() throws {
    let path = try copy("names-v0")
    let (view, draft) = (try view(path), Draft(file: nil))
    let age = try #require(try ages(path)[0])
    #expect(try draft.add(lines: try line(0, from: age, to: 99), over: view).count == 1)
    #expect(
      try draft.add(lines: try line(1, from: try ages(path)[1], to: 98), over: view).count == 2)
    #expect(try draft.undo(over: view))
    #expect(try draft.status(over: view).state.count == 1)
    #expect(try draft.redo(over: view))
    #expect(try draft.status(over: view).state.count == 2)
    // The stored value again is no change.
    #expect(try draft.add(lines: try line(0, from: 99, to: age), over: view).count == 1)
    #expect(try draft.undo(over: view) && draft.undo(over: view) && draft.undo(over: view))
    #expect(try !draft.undo(over: view))
    #expect(try draft.status(over: view).state.isEmpty)
  }

  @Test(
    "an edit of a value that is not as its line says changes nothing, nor do the lines beside it")
  func changedMeanwhile() throws {
    let path = try copy("names-v0")
    let (view, draft) = (try view(path), Draft(file: nil))
    let ages = try ages(path)
    let both = try line(0, from: ages[0], to: 99) + [10] + line(1, from: 1234, to: 5)
    let error = #expect(throws: DraftError.self) { try draft.add(lines: both, over: view) }
    #expect(error?.kind == .changed(now: try #require(ages[1].map { "\($0)" })))
    #expect(error?.identity == "1")
    #expect(try draft.status(over: view).state.isEmpty)
  }

  @Test("a saved draft is what `apply` makes of its patch, and leaves an empty draft")
  func save() throws {
    let path = try copy("names-v0")
    let (view, draft) = (try view(path), Draft(file: nil))
    try draft.add(lines: try line(0, from: try ages(path)[0], to: 99), over: view)
    try draft.add(
      lines: Array(#"{"class":"Person","old":{"_key":1}}"#.utf8), over: view)
    let patch = folder.url.appending(path: "draft.patch").path
    try Data(try draft.patch(over: view)).write(to: URL(filePath: patch))
    let applied = folder.url.appending(path: "applied.realm").path
    #expect(
      try runTool(["apply", patch, path, "-o", applied, "-q"], folder: folder.url).status == 0)
    let report = try draft.save(to: .realm(keepsOriginal: true), target(path), over: view)
    #expect(
      report.rewrite?.backup == folder.url.appending(path: "names-v0.before-browse.realm").path)
    #expect(try export(path) == export(applied))
    #expect(try ages(path)[0] == 99)
    #expect(try draft.status(over: try self.view(path)).state.isEmpty)
  }

  @Test(
    "a value that others changed too is a conflict, and either value can be chosen",
    arguments: [true, false])
  func conflict(takesDraft: Bool) throws {
    let path = try copy("names-v0")
    let (view, draft) = (try view(path), Draft(file: nil))
    let before = try ages(path)
    try draft.add(lines: try line(0, from: before[0], to: 99), over: view)
    try draft.add(lines: try line(1, from: before[1], to: 98), over: view)
    let others = try runTool(
      ["update", path, "Person", "--set", "age = 7", "--in-place", "-q"], folder: folder.url)
    #expect(others.status == 0, "\(others.stderr)")
    let refused = try draft.save(to: .realm(keepsOriginal: false), target(path), over: view)
    #expect(refused.isRefused)
    #expect(refused.conflicts.map(\.realm) == ["7", "7"])
    #expect(refused.conflicts.map(\.new).sorted { $0 ?? "" < $1 ?? "" } == ["98", "99"])
    #expect(try ages(path).values.allSatisfy { $0 == 7 })
    let newest = try self.view(path)
    try draft.resolve(
      [
        DraftChoice(className: "Person", identity: "0", property: "age", takesDraft: takesDraft),
        DraftChoice(className: "Person", identity: "1", property: "age", takesDraft: true),
      ], over: newest)
    #expect(
      !(try draft.save(to: .realm(keepsOriginal: false), target(path), over: newest).isRefused))
    let after = try ages(path)
    #expect(after[0] == (takesDraft ? 99 : 7))
    #expect(after[1] == 98)
  }

  @Test(
    "a draft that is not saved is kept in a private file, and is there again in the next process")
  func kept() throws {
    let path = try copy("names-v0")
    let state = folder.url.appending(path: "state").path
    let file = try DraftFile(stateFolder: state, realm: path)
    let first = Draft(file: file)
    let view = try view(path)
    try first.add(lines: try line(0, from: try ages(path)[0], to: 99), over: view)
    let names = try FileManager.default.contentsOfDirectory(atPath: state + "/drafts")
    #expect(names.count == 1)
    let attributes = try FileManager.default.attributesOfItem(atPath: state + "/drafts/" + names[0])
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let second = Draft(file: try DraftFile(stateFolder: state, realm: path))
    let status = try second.status(over: view)
    #expect(status.isRestored && status.state.count == 1)
    #expect(try second.patch(over: view) == first.patch(over: view))
    _ = try second.save(to: .realm(keepsOriginal: false), target(path), over: view)
    #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/drafts") == [])
  }

  @Test("a kept draft that does not fit the realm any more is set aside, and told")
  func unfit() throws {
    let path = try copy("names-v0")
    let state = folder.url.appending(path: "state").path
    try Draft(file: try DraftFile(stateFolder: state, realm: path)).add(
      lines: try line(0, from: try ages(path)[0], to: 99), over: try view(path))
    let renamed =
      "realm-migration: 1\nversions:\n  - to: 1\n    steps:\n"
      + "      - rename-property: {class: Person, from: age, to: years}\n"
    try folder.write(Array(renamed.utf8), to: "plan.yml")
    let migrated = try runTool(
      ["migrate", path, "--plan", "plan.yml", "--in-place", "-q"], folder: folder.url)
    #expect(migrated.status == 0, "\(migrated.stderr)")
    let draft = Draft(file: try DraftFile(stateFolder: state, realm: path))
    let status = try draft.status(over: try view(path))
    #expect(status.state.isEmpty && !status.isRestored)
    let aside = try #require(status.unfit)
    #expect(
      try String(contentsOfFile: aside, encoding: .utf8).contains(#""new":{"_key":0,"age":99}"#))
  }

  @Test("a copy is saved beside the realm, and the draft stays")
  func saveCopy() throws {
    let path = try copy("names-v0")
    let (view, draft) = (try view(path), Draft(file: nil))
    let before = try ages(path)
    try draft.add(lines: try line(0, from: before[0], to: 99), over: view)
    let copied = folder.url.appending(path: "copy.realm").path
    _ = try draft.save(to: .copy(path: copied), target(path), over: view)
    #expect(try ages(path) == before)
    #expect(try ages(copied)[0] == 99)
    #expect(try draft.status(over: view).state.count == 1)
    #expect(throws: RealmFileError.self) {
      try draft.save(to: .copy(path: copied), target(path), over: view)
    }
  }
}
