import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

// The commands of a shell, which start with a dot.

/// A command of the shell.
enum ShellWord: String, CaseIterable {
  case classes, schema, count, explain, mode, timer, previous, refresh, stats, verify, export
  case draft, undo, redo, save, discard
  case help, quit

  /// The commands that need `--edit`.
  static let ofDrafts: Set<ShellWord> = [.draft, .undo, .redo, .save, .discard]

  /// What is shown in the help.
  fileprivate var usage: (arguments: String, meaning: String) {
    switch self {
    case .classes: ("", "list the classes with their objects")
    case .schema: ("[CLASS]", "show the properties of a class, or of all")
    case .count: ("QUERY", "count objects, without showing them")
    case .explain: ("QUERY", "show how a query finds its objects")
    case .mode: ("[MODE]", "the format of results: " + ShellSession.modes)
    case .timer: ("[on|off]", "show how long each line takes")
    case .previous: ("", "show the commit before the newest one")
    case .refresh: ("", "show the newest version")
    case .stats: ("[OPTIONS]", "run realm-cli stats")
    case .verify: ("[OPTIONS]", "run realm-cli verify")
    case .export: ("[OPTIONS]", "run realm-cli export")
    case .draft: ("", "show the changes that are not saved")
    case .undo: ("", "take back the last change")
    case .redo: ("", "make the change again that was taken back")
    case .save:
      (
        "[--on-conflict patch|realm] [FILE]",
        "save the changes in the realm, or in a new file"
      )
    case .discard: ("", "drop all changes")
    case .help: ("", "show this list")
    case .quit: ("", "end the shell, as Ctrl-D does")
    }
  }
}

extension ShellSession {
  fileprivate static let modes = QueryFormat.allCases.map(\.rawValue).joined(separator: ", ")

  /// Runs a command.
  ///
  /// - Parameter name: with its dot.
  func run(_ name: String, _ argument: String) throws -> ExitStatus {
    guard let word = ShellWord(rawValue: String(name.dropFirst())) else {
      throw ErrorReport(
        usage: "there is no command \(name)", hint: "`.help` lists the commands")
    }
    if word.usage.arguments.isEmpty, !argument.isEmpty {
      throw ErrorReport(usage: ".\(word) takes no arguments", hint: "`.help` lists the commands")
    }
    switch word {
    case .classes: try writeClasses()
    case .schema: try writeSchema(of: argument)
    case .count: return try run(query(argument, word), .count)
    case .explain: return try run(query(argument, word), .explain)
    case .mode: try setMode(argument)
    case .timer: try setTimer(argument)
    case .previous: try show(.previous)
    case .refresh: try show(.latest)
    case .stats, .verify, .export: return try runCommand(word, argument)
    case .draft, .undo, .redo, .save, .discard: return try runOnDraft(word, argument)
    case .help: try output.write(result: help)
    case .quit: isEnded = true
    }
    return .done
  }

  private var help: String {
    var table = Table([.left, .left])
    table.append(["CLASS [where] QUERY", "find objects: Person where age > 30 sort(name asc)"])
    if draft != nil {
      for kind in ShellStatement.Kind.allCases { table.append([kind.usage, kind.meaning]) }
    }
    for word in ShellWord.allCases where draft != nil || !ShellWord.ofDrafts.contains(word) {
      let (arguments, meaning) = word.usage
      table.append([".\(word)" + (arguments.isEmpty ? "" : " \(arguments)"), meaning])
    }
    return table.text()
  }

  private func query(_ text: String, _ word: ShellWord) throws -> ShellQuery {
    guard !text.isEmpty else {
      throw ErrorReport(
        usage: ".\(word) needs a query", hint: "such as `.\(word) Person where age > 30`")
    }
    return ShellQuery(text)
  }

  // MARK: - Classes

  private func writeClasses() throws {
    let schema = realm.readable.schema
    let classes = schema.appClasses.map { position in
      (schema.classes[position], realm.readable.objectCount(position))
    }
    if mode.isJSON {
      for (objectClass, count) in classes {
        let line: JSONObject = [
          "name": objectClass.name.text, "kind": objectClass.kind.name, "objects": count,
        ]
        try output.write(result: try JSONText.line(line))
      }
      return
    }
    var table = Table([.left, .left, .right])
    for (objectClass, count) in classes {
      table.append([objectClass.name.text, objectClass.kind.name, count.map { "\($0)" } ?? ""])
    }
    try output.write(result: table.text())
  }

  private func writeSchema(of name: String) throws {
    let schema = realm.readable.schema
    var classes: [Int]?
    if !name.isEmpty {
      guard let position = schema.appClasses.first(where: { schema.classes[$0].name.text == name })
      else { throw RequestError(.noSuchClass(name), path: realm.path) }
      classes = [position]
    }
    let format: SchemaTextFormat = mode.isJSON ? .json : .text
    let text = try format.text(schema, classes: classes) { realm.readable.origins(ofLinksTo: $0) }
    try output.write(result: String(decoding: text, as: UTF8.self))
  }

  // MARK: - Settings

  private func setMode(_ text: String) throws {
    guard !text.isEmpty else { return try output.write(result: mode.rawValue + "\n") }
    guard let chosen = QueryFormat(rawValue: text) else {
      throw ErrorReport(
        usage: "there is no mode \(text)", hint: "the modes are " + ShellSession.modes)
    }
    mode = chosen
  }

  private func setTimer(_ text: String) throws {
    switch text {
    case "": showsTime.toggle()
    case "on": showsTime = true
    case "off": showsTime = false
    default: throw ErrorReport(usage: ".timer takes on or off, not \(text)", hint: nil)
    }
  }

  private func show(_ version: Snapshot.Version) throws {
    try realm.show(version)
    if isInteractive { output.remark("version \(realm.number)") }
  }

  // MARK: - Other commands

  /// Runs a command of this program on the realm, in a process of its own, which the key for interrupts ends.
  private func runCommand(_ word: ShellWord, _ argument: String) throws -> ExitStatus {
    guard let words = ShellLine.words(argument) else {
      throw ErrorReport(usage: "a quote in the arguments is not closed", hint: nil)
    }
    if let draft, !draft.isEmpty {
      output.warn(
        ".\(word) reads the file, without the \(Text.count(draft.count, "changed object")) of the draft"
      )
    }
    if realm.version == .latest, realm.hasOtherVersion() {
      output.warn("the realm has changed: .\(word) reads its newest version; `.refresh` shows it")
    }
    var arguments = [word.rawValue] + passedOn + words
    if realm.version == .previous { arguments.append("--previous") }
    let path = realm.path.hasPrefix("-") ? "./" + realm.path : realm.path
    guard let status = OwnProgram.run(arguments + [path], hasInput: isInteractive) else {
      throw RealmFileError(.unsupported("the program cannot start another one"))
    }
    return ExitStatus(rawValue: status) ?? .internalError
  }
}

extension QueryFormat {
  var isJSON: Bool { self == .json || self == .ndjson }
}
