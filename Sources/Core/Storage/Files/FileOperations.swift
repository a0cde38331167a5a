#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The operations on files that a result or the input depends on, as far as they can fail: what tests
/// let fail, one after the other, to see that nothing is lost.
package struct FileOperations: Sendable {
  /// What is about to be done.
  package enum Step: Sendable, CaseIterable {
    case create, lock, write, setAttributes, sync, rename, syncFolder, truncate, unlink
  }

  /// Asked before each operation: an `errno` lets it fail without being done.
  private let fault: @Sendable (Step) -> Int32?

  package init(fault: @escaping @Sendable (Step) -> Int32?) { self.fault = fault }

  /// Every operation is done.
  package static let system = FileOperations { _ in nil }

  /// Does `operation`, which returns a negative number and sets `errno` where it fails; again where a
  /// signal interrupted it.
  ///
  /// - Returns: what `operation` returned, or the `errno`.
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

  /// As ``run(_:_:)`` where nothing but success matters.
  ///
  /// - Throws: the error that `problem` makes of the `errno`.
  func must(
    _ step: Step, _ problem: (Int32) -> RealmFileError.Kind, _ operation: () -> Int32
  ) throws(RealmFileError) {
    if case .failure(let error) = run(step, operation) {
      throw RealmFileError(problem(error.number))
    }
  }

  /// The number of a failed system call.
  struct Errno: Error {
    let number: Int32
  }
}
