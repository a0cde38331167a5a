#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A failed system call: its error number and the attempted action.
public struct SystemError: Error, Equatable, Sendable {
  /// `errno` after the call.
  public var number: Int32
  /// The attempted action, such as "open the file".
  public var action: String

  public init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }
}

extension SystemError: CustomStringConvertible {
  /// `cannot open the file: No such file or directory`.
  public var description: String { "cannot \(action): \(text)" }

  /// The system's description of the error number.
  public var text: String {
    unsafe String(cString: strerror(number))
  }
}
