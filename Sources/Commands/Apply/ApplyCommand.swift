public import ArgumentParser
public import RealmJobs

/// `realm-cli apply`.
struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply the changes of a patch to a realm.",
    discussion: """
      Makes the changes that `diff --format patch` found in another realm with the same classes. All \
      old values are checked first: where the realm has neither the old nor the new value, that is a \
      conflict. All conflicts are listed, and nothing is written, unless --on-conflict chooses. What was \
      changed already is no conflict. The realm changes as a whole or not at all. docs/patch.md describes \
      patches.

      The client of a synced realm uploads the changes when an app next opens it. The file format stays: \
      a realm of format 2 to 11 or 21 changes in place only with --upgrade. Nothing is written in place if \
      nothing changes.

      EXAMPLE: realm-cli diff before.realm after.realm --format patch -o changes.patch
      EXAMPLE: realm-cli apply changes.patch people.realm --in-place --backup
      EXAMPLE: realm-cli diff base.realm theirs.realm --format patch | realm-cli apply - ours.realm -o merged.realm

      Exit codes: 1 there are conflicts, 65 the patch is wrong or incomplete, 69 the realm cannot be \
      changed, 73 the output exists, 75 the realm or the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var upgrade: UpgradeOption
  @OptionGroup var output: OutputOptions

  @Option(
    help: """
      What to do about conflicts: fail writes nothing, patch takes the values of the patch, realm keeps \
      those of the realm.
      """)
  var onConflict: PatchResolution = .fail

  @Argument(help: "The patch; - is standard input.", completion: .file())
  var patch: String

  @Argument(help: "The realm to change.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try rewrite.destination(for: realm)
    // Standard input can be read only once, but the realm may be opened again with a key.
    let patch = try Patch(path: patch)
    var request = ApplyJob.Request()
    (request.resolution, request.jobs) = (onConflict, jobs.count)
    request.memoryByteCount = memory.byteCount
    let report = try keys.run("applying", on: realm, output) { [request] key, progress in
      try ApplyJob(
        patch, to: realm, version: rewrite.target.source.version, key: key,
        destination: destination, request: request, formats: upgrade.choice,
        isDryRun: rewrite.target.dryRun
      ).run(progress: progress)
    }
    try output.write(report, onConflict, resultIsOnStandardOutput: rewrite.target.isStandardOutput)
  }
}

extension PatchResolution: ExpressibleByArgument {}
