import RealmModel
import RealmStorage

/// Decides when to hand over the output of a part before the part is complete: when it is the part's turn, or
/// when so much waits that the worker must wait for its turn.
final class PartRelief<Output> {
  /// Largest number of bytes that a part may collect before its turn.
  private static var waitingLimit: Int { 8 << 20 }

  private let outlet: PartOutlet<Output, RealmFileError>
  /// Smallest size of an output that is handed over early, in bytes.
  let handOverByteCount: Int
  /// True if a part before this one failed, so that this output will not be used.
  private(set) var isStopped = false

  init(_ outlet: PartOutlet<Output, RealmFileError>, handOverByteCount: Int) {
    (self.outlet, self.handOverByteCount) = (outlet, handOverByteCount)
  }

  /// Whether an output of `byteCount` bytes must be handed over now, or dropped because of
  /// ``isStopped``.
  func isDue(_ byteCount: Int) -> Bool {
    guard byteCount >= handOverByteCount else { return false }
    guard !outlet.isTurn else { return true }
    guard byteCount >= PartRelief.waitingLimit else { return false }
    if !outlet.wait() { isStopped = true }
    return true
  }

  /// Hands over a piece of the part, unless ``isStopped``.
  func handOver(_ output: Output) throws(RealmFileError) {
    if !isStopped { try outlet.handOver(output) }
  }
}
