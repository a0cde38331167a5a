import Foundation
package import RealmStorage
import Synchronization

/// Makes one file operation fail with `ENOSPC`, given by its number from 0.
public final class Faults: Sendable {
  private let failing: Int
  /// Whether the system has files without a name. If not, creating one fails without being counted.
  private let hasNameless: Bool
  private let done = Mutex<[FileOperations.Step]>([])

  public init(failing: Int, hasNameless: Bool = true) {
    (self.failing, self.hasNameless) = (failing, hasNameless)
  }

  /// Whether the operation has failed.
  public var hasFailed: Bool { done.withLock(\.count) > failing }

  /// The operations so far, with the failed one.
  package var steps: [FileOperations.Step] { done.withLock(\.self) }

  /// The operations for a job.
  package var operations: FileOperations {
    FileOperations { [self] step in
      if step == .createNameless, !hasNameless { return EOPNOTSUPP }
      return done.withLock { steps in
        steps.append(step)
        return steps.count - 1 == failing ? ENOSPC : nil
      }
    }
  }

  /// Operations on a file system that has no files without a name.
  package static let withoutNameless = FileOperations {
    $0 == .createNameless ? EOPNOTSUPP : nil
  }
}
