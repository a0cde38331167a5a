internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli decrypt`.
struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Write an encrypted realm without encryption.",
    discussion: """
      Everyone who can read the file can then read the data, so only the owner may read a new file. \
      The result appears whole or not at all. With --in-place, no process may have the realm open.

      EXAMPLE: realm-cli decrypt people.realm --key-file people.key -o plain.realm

      Exit codes: 69 the realm is not encrypted, 73 the output exists, 75 the realm or the output \
      is in use, 77 the key is wrong or missing.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The realm to decrypt.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    try ChangeKeyRun(rewrite: rewrite, output: output)
      .run(realm, keys, .decrypt, label: "decrypting", done: "decrypted")
  }
}
