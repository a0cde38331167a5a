import RealmStorage

extension LineLog {
  /// The lines of earlier shells, in the folder for what is kept.
  ///
  /// - Returns: nil if the environment names no folder for it.
  static func shellHistory(_ environment: Environment) -> LineLog? {
    environment.stateFolder.map {
      LineLog(path: $0 + "/history", limit: LineEditor.historyCount)
    }
  }
}
