package import RealmStorage
import Synchronization

/// Lets one operation on files fail: the one with a number, counted from 0, with `ENOSPC`.
public final class Faults: Sendable {
  private let count = Atomic(0)
  private let failing: Int

  public init(failing: Int) { self.failing = failing }

  /// True once the operation came up.
  public var hasFailed: Bool { count.load(ordering: .relaxed) > failing }

  /// Operations to hand to a job.
  package var operations: FileOperations {
    FileOperations { [self] _ in
      count.add(1, ordering: .relaxed).oldValue == failing ? 28 : nil
    }
  }
}
