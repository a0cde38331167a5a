import ArgumentParser
import RealmJobs

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
    let keys = try keyOptions.keys(output)
    let change = ChangeKeyJob.Change.encrypt(try newKey.key(output))
    try rewrite.change(change, of: realm, keys, output, label: "encrypting", done: "encrypted")
  }
}

/// `realm-cli decrypt`.
struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Decrypt a realm.",
    discussion: """
      Anyone who can read the result can read the data, so only the owner may read a new file. The \
      result appears whole or not at all. With --in-place, no process may have the realm open.

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
    let keys = try keyOptions.keys(output)
    try rewrite.change(.decrypt, of: realm, keys, output, label: "decrypting", done: "decrypted")
  }
}

/// `realm-cli rekey`.
struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Change the key of an encrypted realm.",
    discussion: """
      Only the new key opens the result. Older copies of the file can still be read with the old key. \
      The result appears whole or not at all. With --in-place, no process may have the realm open.

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

  func validate() throws {
    guard keyOptions.keyFile != "-" || newKey.newKeyFile != "-" else {
      throw ValidationError("--key-file and --new-key-file cannot both be standard input")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let change = ChangeKeyJob.Change.rekey(try newKey.key(output))
    try rewrite.change(
      change, of: realm, keys, output, label: "encrypting", done: "rekeyed")
  }
}

extension RealmRewriteOptions {
  /// Changes the key of the realm at `path`, and prints the report.
  ///
  /// - Parameters:
  ///   - label: the label of the progress bar.
  ///   - done: the verb in the report.
  fileprivate func change(
    _ change: ChangeKeyJob.Change, of path: String, _ keys: RealmKeys, _ output: OutputOptions,
    label: String, done: String
  ) throws {
    let destination = try destination(for: path)
    let report = try keys.run(label, on: path, output) { key, progress in
      try ChangeKeyJob(
        path: path, version: target.source.version, key: key, change: change,
        destination: destination, isDryRun: target.dryRun
      ).run(progress: progress)
    }
    try output.write(report.json, resultIsOnStandardOutput: target.isStandardOutput) { _ in
      report.text(done: done)
    }
  }
}
