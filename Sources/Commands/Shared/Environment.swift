#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The environment variables that commands read; tests can give others.
package struct Environment: Sendable {
  private let variables: [String: String]

  package init(_ variables: [String: String]) { self.variables = variables }

  /// The variables of the process.
  package static var process: Environment { Environment(ProcessInfo.processInfo.environment) }

  /// The value of `name`; nil where it is unset or empty, which means the same.
  package subscript(name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }
}
