internal import CSystem

/// Signal handling: an interrupted command leaves no unfinished file behind.
package enum Signals {
  /// Called once, before any work. SIGINT and SIGTERM remove the unfinished outputs and end the process
  /// with 130 and 143; SIGPIPE becomes an error of the write.
  package static func install() { csystem_install_signals() }

  /// Removes unfinished outputs; for an end of the process that does not release their owners.
  package static func removeUnfinishedOutputs() { csystem_remove_unfinished() }
}
