internal import ArgumentParser
import RealmJobs
internal import RealmStorage

/// `realm-cli encrypt`.
struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypt a realm.",
    discussion: """
      Only the new key opens the result, so keep it safe. The result appears whole or not at all. With \
      --in-place, no process may have the realm open.

      EXAMPLE: realm-cli keygen -o people.key
      EXAMPLE: realm-cli encrypt people.realm --new-key-file people.key --in-place

      Exit codes: 69 the realm is already encrypted, 73 the output exists, 75 the realm or the \
      output is in use, 77 a key is wrong or missing.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var newKey: NewKeyOption
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The realm to encrypt.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let newKey = try newKey.key { output.warn($0) }
    try ChangeKeyRun(rewrite: rewrite, output: output)
      .run(realm, keys, .encrypt(newKey), label: "encrypting", done: "encrypted")
  }
}
