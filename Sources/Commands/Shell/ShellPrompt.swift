import RealmStorage

/// Reads the lines of a shell from a terminal.
struct ShellPrompt {
  private let session: ShellSession
  private let editor: LineEditor
  private let output: OutputOptions
  /// Nil if lines are not kept.
  private let history: LineLog?

  init(
    _ session: ShellSession, history: LineLog?, _ output: OutputOptions
  ) throws(RealmFileError) {
    (self.session, self.history, self.output) = (session, history, output)
    editor = try LineEditor { session.completion(of: $0) }
  }

  /// Runs lines until the user ends the shell.
  func run() throws {
    Interrupts.catchAll()
    do {
      for line in try history?.lines() ?? [] { editor.remember(line) }
    } catch {
      output.warn("earlier lines are not available: \(ErrorReport(error).message)")
    }
    output.remark(session.greeting)
    var (keepsHistory, last) = (history != nil, "")
    while !session.isEnded {
      switch editor.read(prompt: session.prompt) {
      case .end:
        // The prompt ends its line.
        output.remark("")
        session.isEnded = true
      case .interrupted: continue
      case .line(let line):
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        editor.remember(line)
        if keepsHistory, line != last {
          do {
            try history?.append(line)
          } catch {
            keepsHistory = false
            output.warn("this and further lines are not kept: \(ErrorReport(error).message)")
          }
        }
        last = line
        _ = session.run(line)
      }
      if session.isEnded, let loss = session.loss { session.isEnded = mayEnd(losing: loss) }
    }
  }

  /// Asks what becomes of changes that are not saved.
  ///
  /// - Parameter loss: the changes.
  /// - Returns: whether the shell ends.
  private func mayEnd(losing loss: String) -> Bool {
    while true {
      switch editor.read(prompt: "\(loss). Save? (yes, no, cancel) ") {
      case .interrupted: return false
      case .end:
        // The terminal may be gone.
        output.remark("")
        output.warn(loss)
        return true
      case .line(let line):
        switch line.lowercased() {
        case "y", "yes": return session.run(".save") == .done
        case "n", "no": return true
        case "c", "cancel": return false
        default: continue
        }
      }
    }
  }
}
