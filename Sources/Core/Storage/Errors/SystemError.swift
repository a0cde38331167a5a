#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A failed system call: its number and what was being done.
public struct SystemError: Error, Equatable, Sendable {
  /// `errno` after the call.
  public var number: Int32
  /// What the call was to do, as "open the file".
  public var action: String

  public init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }
}

extension SystemError: CustomStringConvertible {
  /// `cannot open the file: No such file or directory`.
  public var description: String { "cannot \(action): \(text)" }

  /// The system's own words for the error number.
  public var text: String {
    unsafe String(cString: strerror(number))
  }
}
