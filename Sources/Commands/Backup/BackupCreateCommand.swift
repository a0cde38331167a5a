public import ArgumentParser
public import RealmBackup
import RealmJobs
import RealmStorage

/// `realm-cli backup create`.
struct BackupCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Back up consistent, verified copies of realms in an archive.",
    discussion: """
      Each realm is copied at one version without its free space, even while an app has it open, and \
      verified as by `verify`. If a realm cannot be copied, the others still are. Encrypted realms stay \
      encrypted; without its key, an encrypted realm is copied unchanged if no process has it open. \
      Folders are searched for realms. Temporary copies are stored in TMPDIR.

      EXAMPLE: realm-cli backup create people.realm -o people.tar.zst
      EXAMPLE: realm-cli backup create /srv/app/data -o /srv/backups --exclude 'cache*'
      EXAMPLE: realm-cli backup create people.realm -o - | ssh host 'cat > people.tar.zst'

      Exit codes: 73 the archive exists; otherwise the code of the most serious failure, such as 65 \
      damaged, 75 in use or 77 wrong key: the archive then has the other realms.
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The archive, named <name>-<UTC time>.<format> if this is a folder; - is standard output.",
      valueName: "archive"),
    completion: .file())
  var archive: String

  @Option(
    help: ArgumentHelp(
      "One of \(ArchiveFormat.names) (default: by the name, else tar.zst)."))
  var format: ArchiveFormat?

  @Option(help: ArgumentHelp("Compression level, from 1.", valueName: "n"))
  var level: Int?

  @Option(
    help: "Name that `prune` groups backups by (default: the name of the one realm or folder).")
  var name: String?

  @Flag(help: "Copy the files as they are, with their free space.")
  var raw = false

  @Flag(help: "Do not verify the copies.")
  var noVerify = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Leave out realms whose names match, such as 'cache*'; can be given several times.",
      valueName: "pattern"))
  var exclude: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Folder of a synced app: backs up the realms of its users, and the one with the list of users.",
      valueName: "dir"),
    completion: .directory)
  var appDir: [String] = []

  @Flag(help: "Replace the archive if it exists.")
  var force = false

  @Flag(help: "Show what would be done, and do nothing.")
  var dryRun = false

  func validate() throws {
    try checkOutputName(archive)
    guard !realms.realms.isEmpty || realms.filesFrom != nil || !appDir.isEmpty else {
      throw ValidationError(
        "name realms or folders to back up, or a list of them with --files-from")
    }
    let format = try chosenFormat()
    if let level {
      guard let levels = format.levels else {
        throw ValidationError("\(format.rawValue) does not compress, so it takes no --level")
      }
      guard levels.contains(level) else {
        throw ValidationError(
          "--level takes \(levels.lowerBound) to \(levels.upperBound) for \(format.rawValue), "
            + "not \(level)")
      }
    }
    if let problem = BackupName.problem(of: chosenName) { throw ValidationError(problem) }
    guard archive != "-" || dryRun || !StandardStream.output.isTerminal else {
      throw ValidationError("an archive cannot go to a terminal; name a file with -o")
    }
  }

  private var isFolder: Bool { OutputFile.isFolder(archive) }

  private var named: [String] { realms.realms + appDir }

  private func chosenFormat() throws -> ArchiveFormat {
    if let format { return format }
    if archive == "-" || isFolder { return .tarZstandard }
    guard !archive.hasSuffix("/") else {
      throw ValidationError("there is no folder \(archive)")
    }
    guard let format = ArchiveFormat(ofName: archive) else {
      throw ValidationError(
        "the name \(archive) does not show the format; give --format with one of \(ArchiveFormat.names)"
      )
    }
    return format
  }

  private var chosenName: String {
    if let name { return name }
    if archive == "-" || isFolder { return BackupName.usual(forPaths: named) }
    return BackupName.name(ofArchive: archive)
  }

  func run() throws {
    let sources = try BackupSources(
      paths: realms.realms, listed: try realms.listed(keyOptions), share: realms.shard,
      appFolders: appDir, excluding: exclude)
    let keys = try keyOptions.keys(forRealms: sources.sources.count, output)
    let (format, time) = (try chosenFormat(), UTCTime.now)
    let path =
      isFolder ? "\(archive)/\(BackupName.stem(chosenName, at: time)).\(format.rawValue)" : archive
    for source in sources.sources where OutputFile.isSameFile(source.path, path) {
      throw ValidationError("the archive is one of the realms to back up: \(path)")
    }
    var statuses = try sources.problems.map { try report($0, of: $0.path) }
    guard !sources.sources.isEmpty else {
      if statuses.isEmpty {
        throw ArchiveError(.noRealms, path: named.first ?? realms.filesFrom ?? "")
      }
      return try ExitStatus.end(with: statuses)
    }
    let job = BackupCreateJob(
      BackupCreateJob.Request(
        sources: sources.sources, name: chosenName, format: format, level: level, isRaw: raw,
        verifies: !noVerify, jobs: jobs.count, toolVersion: RealmCLI.version))
    if dryRun {
      try show(sources, path, job.temporarySpace(keys: keys))
    } else {
      statuses += try create(job, keys, path, time)
    }
    try ExitStatus.end(with: statuses)
  }

  private func create(
    _ job: BackupCreateJob, _ keys: RealmKeys, _ path: String, _ time: UTCTime
  ) throws -> [ExitStatus] {
    if path != "-", !force, OutputFile.exists(path), !OutputFile.isStream(path) {
      throw RealmFileError(.outputExists, path: path)
    }
    var failures: [(BackupSources.Source, any Error)] = []
    let prepared = try output.withProgress("copying") { bar in
      try job.prepare(keys: keys) {
        bar.update($0, of: $1)
      } failed: {
        failures.append(($0, $1))
      }
    }
    let statuses = try failures.map { try report($0.1, of: $0.0.path) }
    guard !prepared.isEmpty else { return statuses }
    let sink: any OutputSink =
      path == "-"
      ? StandardStream.output
      : try OutputFile(path: path, replacing: force, isPrivate: prepared.isPrivate)
    let backup = try output.withProgress("archiving") { bar in
      try job.write(prepared, at: time, into: sink) { bar.update($0, of: $1) }
    }
    try sink.publish()
    for realm in backup.manifest.realms where realm.verified == .notPossible {
      output.warn("\(realm.path): encrypted, and not verified because there is no key")
    }
    let json: JSONObject = [
      "archive": path, "bytes": backup.byteCount, "failed": failures.count,
      "manifest": backup.manifest,
    ]
    try output.write(json, resultIsOnStandardOutput: path == "-") { _ in
      let count = Text.count(backup.manifest.realms.count, "realm")
      let left = failures.isEmpty ? "" : ", \(failures.count) left out"
      return "\(path): \(count), \(Text.size(backup.manifest.byteCount)) -> "
        + "\(Text.size(backup.byteCount))\(left)\n"
    }
    return statuses
  }

  private func show(
    _ sources: BackupSources, _ path: String, _ space: (byteCount: Int, folder: String)
  ) throws {
    let json: JSONObject = [
      "archive": path, "dryRun": true,
      "realms": sources.sources.map { ["source": $0.path, "path": $0.name] },
      "temporaryBytes": space.byteCount, "temporaryFolder": space.folder,
    ]
    try output.write(json) { _ in
      "\(path): would contain\n"
        + sources.sources.map { "  \($0.path.printable) as \($0.name.printable)\n" }.joined()
        + "temporary copies would take up to \(Text.size(space.byteCount)) in "
        + "\(space.folder.printable)\n"
    }
  }

  /// Prints the error of a realm that is left out: on standard error if the archive goes to
  /// standard output.
  private func report(_ error: any Error, of path: String) throws -> ExitStatus {
    guard archive == "-" else { return try output.write(failure: error, of: path) }
    let report = ErrorReport(error)
    report.write(asJSON: output.json)
    return report.status
  }
}

extension ArchiveFormat: ExpressibleByArgument {
  /// For the help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
