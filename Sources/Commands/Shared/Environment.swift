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
}
