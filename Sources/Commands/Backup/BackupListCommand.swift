import ArgumentParser
import RealmBackup
import RealmJobs
import RealmStorage

/// `realm-cli backup list`.
struct BackupListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the realms in a backup.",
    discussion: """
      Reads only the manifest at the start of the archive; `backup verify` checks the rest. The column \
      content has the first digits of the digest that `hash` prints for the realm.

      EXAMPLE: realm-cli backup list people.tar.zst
      EXAMPLE: realm-cli backup list --json people.tar.zst | jq '.realms[].objects'
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "The archive; - is standard input.", completion: .file())
  var archive: String

  func run() throws {
    let manifest = try BackupListJob(path: archive).run()
    try output.write(manifest) { palette in
      var table = Table([.left, .right, .right, .right, .right, .left, .left])
      table.append(["realm", "size", "format", "schema", "objects", "content", ""])
      for realm in manifest.realms {
        table.append([
          realm.path, Text.size(realm.size), realm.fileFormat.map(String.init) ?? "?",
          realm.schemaVersion.map(String.init) ?? "-",
          realm.objects.map { String($0.values.reduce(0, +)) } ?? "?",
          realm.contentHash.map { String($0.prefix(8)) } ?? "-",
          BackupListCommand.notes(on: realm),
        ])
      }
      let head =
        "\(manifest.name), \(manifest.createdAt), "
        + Text.count(manifest.realms.count, "realm") + ", "
        + Text.size(manifest.byteCount)
      return head.printable + "\n" + table.text(indent: "  ")
    }
  }

  private static func notes(on realm: BackupManifest.Realm) -> String {
    var notes: [String] = []
    if realm.encrypted { notes.append("encrypted") }
    if realm.synced == true { notes.append("synced") }
    if realm.raw { notes.append("raw") }
    if realm.verified != .done { notes.append("not verified") }
    return notes.joined(separator: ", ")
  }
}
