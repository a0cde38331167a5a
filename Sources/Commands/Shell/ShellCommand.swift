import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli shell`.
struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Query and edit a realm at an interactive prompt.",
    discussion: """
      Shows one version of the realm, and without --edit never changes it. A line is the name of a class and a query, such as \
      Person where age > 30 sort(name asc) limit(10), or a command such as .classes; .help lists them. \
      Ctrl-C ends a query, Ctrl-D the shell; Tab completes words. docs/shell.md has the details.

      With --edit, update Person where age < 0 set age = null, delete Person where … and insert Person {…} change objects. \
      Nothing is written before .save; .draft shows the changes, .undo takes the last one back. The first .save keeps the \
      original beside the realm.

      Standard input that is not a terminal is a script: its results go to standard output, and it ends at the \
      first error with the exit code of that error.

      EXAMPLE: realm-cli shell people.realm
      EXAMPLE: realm-cli shell people.realm --edit
      EXAMPLE: echo 'Person where age > 30' | realm-cli shell people.realm
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(
    help:
      "The format of results: table, json, ndjson, csv, tsv or ids (default: table on a terminal, else ndjson)."
  )
  var mode: QueryFormat?

  @Flag(help: "Allow changes of the realm.")
  var edit = false

  @Flag(help: "Keep no original of the realm when it is saved.")
  var noBackup = false

  @Flag(help: "Go on after an error of a script; the exit code is the most serious one.")
  var keepGoing = false

  @Flag(
    inversion: .prefixedNo,
    help: "Keep the lines for later shells (default: unless the realm is encrypted).")
  var history: Bool?

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard edit || !noBackup else { throw ValidationError("--no-backup needs --edit") }
    guard !edit || !version.previous else {
      throw ValidationError("--edit cannot change the previous version: leave out --previous")
    }
    guard keyOptions.keyFile != InputFile.standardInput else {
      throw ValidationError("standard input cannot be both the lines of the shell and the key")
    }
  }

  func run() throws {
    let realm = try ShellRealm(
      path: realm, keys: try keyOptions.keys(output), version: version.version,
      cacheByteCount: memory.byteCount, jobs: jobs.count)
    let isInteractive = StandardStream.isInputTerminal && StandardStream.output.isTerminal
    let session = ShellSession(
      realm, isInteractive: isInteractive,
      mode: mode ?? (StandardStream.output.isTerminal && !output.json ? .table : .ndjson),
      draft: edit ? draft(of: realm) : nil, passedOn: passedOn, output)
    if isInteractive {
      try ShellPrompt(session, history: log(isEncrypted: realm.isEncrypted), output).run()
    } else {
      try runScript(session)
    }
  }

  /// Runs the lines of standard input.
  ///
  /// - Throws: the status of the first error, or of the most serious one with `--keep-going`.
  private func runScript(_ session: ShellSession) throws {
    var statuses: [ExitStatus] = []
    while let line = readLine() {
      let status = session.run(line)
      if status != .done { statuses.append(status) }
      if session.isEnded || (status != .done && !keepGoing) { break }
    }
    if let loss = session.loss {
      output.warn("\(loss): end the script with .save")
      statuses.append(.negative)
    }
    try ExitStatus.end(with: statuses)
  }

  /// - Parameter realm: the realm that is changed. If it cannot be saved, a warning says so before the first change.
  private func draft(of realm: ShellRealm) -> ShellDraft {
    do {
      try ApplyJob.check(realm.readable.snapshot)
    } catch {
      output.warn("\(ErrorReport(error).message); `.save FILE` writes a copy")
    }
    return ShellDraft(realm, keepsOriginal: !noBackup, memoryByteCount: memory.byteCount)
  }

  /// The file for the lines; nil if they are not kept.
  private func log(isEncrypted: Bool) -> LineLog? {
    (history ?? !isEncrypted) ? .shellHistory(.process) : nil
  }

  /// The options for commands that the shell runs.
  private var passedOn: [String] {
    var options = ["--memory", "\(memory.memory)", "--color", output.color.rawValue]
    if let file = keyOptions.keyFile { options += ["--key-file", file] }
    if let command = keyOptions.keyCommand { options += ["--key-command", command] }
    if output.json { options.append("--json") }
    if output.quiet { options.append("--quiet") }
    return options
  }
}
