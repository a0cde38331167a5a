internal import CSystem

/// What signals do to the process: an interrupted command leaves nothing half-done behind.
package enum Signals {
  /// Called once, before any work: SIGINT ends with 130 and SIGTERM with 143, after the unfinished
  /// outputs were removed; SIGPIPE becomes an error of the write.
  package static func install() { csystem_install_signals() }

  /// Removes what is unfinished; for an end of the process that does not unwind to its owners.
  package static func removeUnfinishedOutputs() { csystem_remove_unfinished() }
}
