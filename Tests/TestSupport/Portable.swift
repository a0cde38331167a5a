import Foundation

/// Whether the tested code takes the ways of systems that have less than Linux (`Sources/CSystem/include/platform.h`).
public let isPortable =
  ProcessInfo.processInfo.environment["REALM_PORTABLE"].map { !$0.isEmpty } ?? false

/// Whether the tested code has what only Linux has: files without a name, a table of locks, memory that moves.
public let isLinux: Bool = {
  #if os(Linux)
    !isPortable
  #else
    false
  #endif
}()
