internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli rekey`.
struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Give an encrypted realm another key.",
    discussion: """
      Only the new key opens the result. An older copy of the file can still be read with the old \
      key. The result appears whole or not at all. With --in-place, no process may have the realm \
      open.

      EXAMPLE: realm-cli rekey people.realm --key-file old.key --new-key-file new.key --in-place

      Exit codes: 69 the realm is not encrypted, 73 the output exists, 75 the realm or the \
      output is in use, 77 a key is wrong or missing.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var newKey: NewKeyOption
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The realm to rekey.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let newKey = try newKey.key { output.warn($0) }
    try ChangeKeyRun(rewrite: rewrite, output: output)
      .run(realm, keys, .rekey(newKey), label: "encrypting", done: "given a new key")
  }
}
