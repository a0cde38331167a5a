import RealmStorage

extension LineLog {
  /// The lines of earlier shells, in `$XDG_STATE_HOME/realm-cli/history`.
  ///
  /// - Returns: nil if the environment names no folder for it.
  static func shellHistory(_ environment: Environment) -> LineLog? {
    // The specification of these folders says that relative paths are ignored.
    let folder =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { $0 + "/.local/state" }
    return folder.map { LineLog(path: $0 + "/realm-cli/history", limit: LineEditor.historyCount) }
  }
}
