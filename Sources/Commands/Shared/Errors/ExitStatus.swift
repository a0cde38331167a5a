/// The exit statuses of the process, for scripts: the codes of BSD's `sysexits.h`, and the codes of
/// a shell for signals.
///
/// A command that has printed its errors itself, for example for one of many files, throws its
/// status. `ErrorTable.swift` maps errors to statuses.
package enum ExitStatus: Int32, Error, CaseIterable, Sendable {
  /// Done; a check found no errors. Also if a reader closed standard output.
  case done = 0
  /// The answer is "no".
  case negative = 1
  case wrongUsage = 64
  /// The realm or the input data is damaged or invalid.
  case invalidData = 65
  /// The input is missing or unreadable.
  case missingInput = 66
  /// Not supported for this file.
  case unsupported = 69
  /// A bug in realm-cli.
  case internalError = 70
  /// The output exists or cannot be created.
  case cannotCreate = 73
  case inputOutput = 74
  /// The realm is in use; trying again can help.
  case inUse = 75
  /// Wrong key, key missing, or a key for a realm that is not encrypted.
  case key = 77
  /// A plan or configuration file is invalid.
  case invalidPlan = 78
  case interrupted = 130
  case terminated = 143

  /// The statuses for one of many files, most serious first.
  private static let bySeriousness: [ExitStatus] = [
    .internalError, .inputOutput, .invalidData, .key, .unsupported, .missingInput, .cannotCreate,
    .inUse, .negative, .done,
  ]

  /// The status of a command whose files ended with `statuses`; done if there are none.
  ///
  /// A status that is not in the list, such as wrong usage, concerns the whole command and takes
  /// precedence.
  package static func mostSerious(of statuses: some Sequence<ExitStatus>) -> ExitStatus {
    let rank = { (status: ExitStatus) in bySeriousness.firstIndex(of: status) ?? -1 }
    return statuses.min { rank($0) < rank($1) } ?? .done
  }

  /// Ends a command whose files ended with `statuses`.
  ///
  /// - Throws: the most serious status, unless that is done.
  static func end(with statuses: [ExitStatus]) throws(ExitStatus) {
    let status = mostSerious(of: statuses)
    if status != .done { throw status }
  }
}
