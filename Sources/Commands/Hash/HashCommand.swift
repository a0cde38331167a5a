import ArgumentParser
import RealmCompare
import RealmJobs
import RealmModel
import RealmStorage

/// `realm-cli hash`.
struct HashCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print SHA-256 digests of what realms contain.",
    discussion: """
      Digests of the classes and values, not of the bytes of the file: one for the schema, one for each class, and one \
      for all. A realm and its compacted, encrypted, upgraded, restored, or exported and imported copies have equal \
      digests; one different value makes them differ. The object keys of classes with primary keys do not matter. \
      docs/hash.md defines the digests. An export in Realm JSON can take the place of a realm. \
      Changes nothing. Folders are searched for realms.

      EXAMPLE: realm-cli hash people.realm people-copy.realm
      EXAMPLE: realm-cli hash --json people.realm | jq -r .hash
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp(
      "Read only this class; can be given several times. There is then no digest for all.",
      valueName: "name"))
  var classes: [String] = []

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    try run.run("reading", jobs: jobs.count) { realm in
      var request = HashJob.Request(path: realm.path)
      (request.key, request.version) = (realm.key, version.version)
      request.classes = classes.isEmpty ? nil : classes
      (request.jobs, request.memoryByteCount) = (realm.jobs, memory.byteCount)
      return try HashJob(request).run(progress: realm.progress)
    } line: { _, report in
      RealmRun.Line(json: report.json) { report.text($0) }
    }
  }
}

extension HashJob.Report {
  fileprivate var json: JSONObject {
    [
      "path": path, "hash": hash.all, "schema": hash.schema,
      "classes": hash.classes.map {
        ["name": $0.name.text, "objects": $0.objects, "hash": $0.digest] as JSONObject
      },
    ]
  }

  fileprivate func text(_ palette: Palette) -> String {
    var text = hash.all.map { "\($0)  \(palette.bold(path.printable))\n" } ?? ""
    text += "\(hash.schema)    schema\n"
    for objectClass in hash.classes {
      let count = Text.count(objectClass.objects, "object")
      text += "\(objectClass.digest)    \(objectClass.name.text.printable), \(count)\n"
    }
    return text
  }
}
