#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file operations that a result or the input depends on. Tests let each of them fail, to check
/// that nothing is lost.
package struct FileOperations: Sendable {
  /// The kind of an operation.
  package enum Step: Sendable, CaseIterable {
    case create, lock, write, setAttributes, sync, rename, syncFolder, truncate, unlink
  }

  /// Called before each operation. If it returns an `errno`, the operation is skipped and fails
  /// with it.
  private let fault: @Sendable (Step) -> Int32?

  package init(fault: @escaping @Sendable (Step) -> Int32?) { self.fault = fault }

  /// Performs every operation.
  package static let system = FileOperations { _ in nil }

  /// Performs `operation`, which returns a negative number and sets `errno` on failure. Repeats it
  /// if a signal interrupted it.
  ///
  /// - Returns: the result of `operation`, or the `errno`.
  func run<Number: SignedInteger>(
    _ step: Step, _ operation: () -> Number
  ) -> Result<Number, Errno> {
    if let number = fault(step) { return .failure(Errno(number: number)) }
    while true {
      let result = operation()
      if result >= 0 { return .success(result) }
      let number = errno
      if number != EINTR { return .failure(Errno(number: number)) }
    }
  }

  /// Like ``run(_:_:)``, for operations whose result is not needed.
  ///
  /// - Throws: the error that `problem` makes from the `errno`.
  func must(
    _ step: Step, _ problem: (Int32) -> RealmFileError.Kind, _ operation: () -> Int32
  ) throws(RealmFileError) {
    if case .failure(let error) = run(step, operation) {
      throw RealmFileError(problem(error.number))
    }
  }

  /// The error number of a failed system call.
  struct Errno: Error {
    let number: Int32
  }
}
