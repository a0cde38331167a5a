import RealmBrowse
import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

// Statements and commands of a shell that change objects.

extension ShellStatement.Kind {
  var usage: String {
    switch self {
    case .update: "update CLASS [where QUERY] set PROPERTY = VALUE, …"
    case .delete: "delete CLASS where QUERY"
    case .insert: "insert CLASS {…}"
    }
  }

  var meaning: String {
    switch self {
    case .update: "set properties: update Person where age < 0 set age = null"
    case .delete: "delete objects: delete Person where age < 0"
    case .insert: "add an object of Realm JSON: insert Person {\"name\": \"Ann\"}"
    }
  }
}

extension ShellSession {
  /// The most changed objects of a class that are listed.
  private static let changeLimit = 100

  private func editing(_ word: String) throws -> ShellDraft {
    guard let draft else {
      throw ErrorReport(
        usage: "\(word) is only possible with --edit",
        hint: "start `realm-cli shell --edit` to change the realm")
    }
    return draft
  }

  // MARK: - Statements

  func run(_ statement: ShellStatement) throws -> ExitStatus {
    let draft = try editing(statement.kind.rawValue)
    return try interruptible { cancellation in
      try Cancellation.$current.withValue(cancellation) {
        if statement.kind == .insert {
          try insert(statement, on: draft)
        } else {
          try changeFound(statement, on: draft)
        }
      }
    }
  }

  private func changeFound(_ statement: ShellStatement, on draft: ShellDraft) throws {
    let name = statement.query.className
    var request = EditRequest(className: name)
    (request.query, request.jobs) = (statement.query.text, realm.jobs)
    do {
      if statement.kind == .update {
        let count = try draft.update(statement.assignments.map(\.text), request)
        try tell(
          ["class": name, "found": count.found, "changed": count.changed],
          "\(Text.count(count.changed, "object")) of \(name.printable) changed", draft)
      } else {
        let count = try draft.delete(request)
        try tell(
          ["class": name, "deleted": count],
          "\(Text.count(count, "object")) of \(name.printable) deleted", draft)
      }
    } catch let error as QueryTextError {
      throw statement.placed(error)
    }
  }

  private func insert(_ statement: ShellStatement, on draft: ShellDraft) throws {
    let schema = realm.readable.schema
    let name = statement.query.className
    let position = schema.appClasses.first { schema.classes[$0].name.text == name }
    guard let position else { throw RequestError(.noSuchClass(name), path: realm.path) }
    do {
      try draft.insert(statement.query.text, ofClassAt: position)
    } catch let error as ImportError {
      throw statement.placed(error.description, at: error.offset ?? 0)
    }
    try tell(["class": name, "added": 1], "1 object of \(name.printable) added", draft)
  }

  private func tell(_ report: JSONObject, _ text: String, _ draft: ShellDraft) throws {
    guard !output.json else {
      return try output.write(report + ["draft": draft.count]) { _ in "" }
    }
    output.remark("\(text); not saved: \(Text.count(draft.count, "changed object"))")
  }

  // MARK: - Commands

  func runOnDraft(_ word: ShellWord, _ argument: String) throws -> ExitStatus {
    let draft = try editing(".\(word)")
    switch word {
    case .undo:
      guard try draft.undo() else {
        throw ErrorReport(usage: "there is no change to take back", hint: nil)
      }
      try tell([:], "taken back", draft)
    case .redo:
      guard try draft.redo() else {
        throw ErrorReport(usage: "there is no change to make again", hint: nil)
      }
      try tell([:], "made again", draft)
    case .discard:
      try draft.discard()
      try tell([:], "dropped, `.undo` brings the changes back", draft)
    case .save: return try save(argument, draft)
    default: return try interruptible { _ in try writeDraft(draft) }
    }
    return .done
  }

  /// Prints the draft as `diff` does.
  private func writeDraft(_ draft: ShellDraft) throws {
    var request = RealmDiff.Request()
    request.jobs = realm.jobs
    if !mode.isJSON {
      (request.changeLimit, request.includesObjects) = (ShellSession.changeLimit, false)
    }
    let diff = RealmDiff(
      from: try realm.forQueries(), to: try draft.shown().realm, request,
      areVersionsOfOneFile: false)
    let stream = StandardStream.output
    if mode.isJSON {
      var lines = try ChangeLines(to: stream, of: diff)
      _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
      try lines.finish()
    } else if draft.isEmpty {
      try output.write(result: "no changes\n")
    } else {
      var text = DiffText(diff, width: stream.terminalWidth, palette: output.palette(for: stream))
      let report = try diff.run { (event) in text.add(event) }
      try output.write(result: text.end(report))
    }
  }

  private func save(_ argument: String, _ draft: ShellDraft) throws -> ExitStatus {
    let (path, resolution) = try ShellSession.saving(argument)
    guard path != nil || !draft.isEmpty else {
      output.remark("no changes")
      return .done
    }
    let report = try draft.save(as: path, resolution)
    do {
      try output.write(report, .fail, resultIsOnStandardOutput: false)
    } catch let status as ExitStatus {
      output.remark(
        "`.save --on-conflict patch` takes the values of the draft, `.save --on-conflict realm` keeps those of the realm"
      )
      return status
    }
    return .done
  }

  /// The file and the choice in the argument of `.save`.
  private static func saving(_ argument: String) throws -> (path: String?, PatchResolution) {
    var (path, resolution): (String?, PatchResolution) = (nil, .fail)
    var words = ShellLine.words(argument) ?? [""]
    while let word = words.first {
      words.removeFirst()
      if word == "--on-conflict",
        let choice = words.first.flatMap({ PatchResolution(rawValue: $0) })
      {
        words.removeFirst()
        resolution = choice
      } else if path == nil, !word.isEmpty, !word.hasPrefix("-") {
        path = word
      } else {
        throw ErrorReport(
          usage: ".save takes a file and --on-conflict patch or realm", hint: nil)
      }
    }
    return (path, resolution)
  }

  // MARK: - The end

  /// What is said about changes that end with the shell; nil if there are none.
  var loss: String? {
    guard let draft, !draft.isEmpty else { return nil }
    return "\(Text.count(draft.count, "changed object")) not saved"
  }
}
