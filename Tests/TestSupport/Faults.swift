package import RealmStorage
import Synchronization

/// Makes one file operation fail with `ENOSPC`, given by its number from 0.
public final class Faults: Sendable {
  private let count = Atomic(0)
  private let failing: Int

  public init(failing: Int) { self.failing = failing }

  /// Whether the operation has failed.
  public var hasFailed: Bool { count.load(ordering: .relaxed) > failing }

  /// The operations for a job.
  package var operations: FileOperations {
    FileOperations { [self] _ in
      count.add(1, ordering: .relaxed).oldValue == failing ? 28 : nil
    }
  }
}
