#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file operations on which the safety of inputs and outputs depends. Tests let each of them fail, and check
/// that nothing is lost.
package struct FileOperations: Sendable {
  /// The kind of an operation.
  package enum Step: Sendable, CaseIterable {
    case createNameless, create, lock, write, setAttributes, sync, link, rename, syncFolder
    case truncate, unlink
  }

  /// Called before each operation. If it returns an `errno`, the operation fails with it without being performed.
  private let fault: @Sendable (Step) -> Int32?

  package init(fault: @escaping @Sendable (Step) -> Int32?) { self.fault = fault }

  /// Performs every operation and lets none fail.
  package static let system = FileOperations { _ in nil }

  /// Performs `operation`, which returns a negative number and sets `errno` on failure. Repeats it if a signal
  /// interrupts it.
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

  /// Like ``run(_:_:)``, for an operation that must succeed.
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
