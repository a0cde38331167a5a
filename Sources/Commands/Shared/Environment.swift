#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment variables that commands read. Tests can replace them.
package struct Environment: Sendable {
  private let variables: [String: String]

  package init(_ variables: [String: String]) { self.variables = variables }

  /// The variables of the process.
  package static var process: Environment { Environment(ProcessInfo.processInfo.environment) }

  /// The value of `name`; nil if it is unset. An empty value counts as unset.
  package subscript(name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// The folder for what realm-cli keeps between its runs, `$XDG_STATE_HOME/realm-cli`, which need not exist.
  ///
  /// Nil if the environment names no folder for it.
  package var stateFolder: String? {
    // The specification of these folders says that relative paths are ignored.
    let folder =
      self["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? self["HOME"].map { $0 + "/.local/state" }
    return folder.map { $0 + "/realm-cli" }
  }
}
