import Dispatch
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lets workers make the pieces of a text side by side and hand them over in order.
///
/// Pieces are taken in ascending order, so the lowest piece that is not finished always belongs to a
/// worker that is not waiting: nobody waits for ever.
@safe
final class OrderedOutput: @unchecked Sendable {
  /// Bytes that a piece may pile up while it waits for its turn, and finished pieces in all: enough
  /// that a worker goes on while the one before it is held up.
  private static let waitingLimit = 8 << 20
  private static let finishedLimit = 16 << 20
  /// Bytes worth handing over when it is the piece's turn.
  private static let flushSize = 256 << 10

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let turned = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let pieceCount: Int
  private let workerCount: Int
  private let sink: any OutputSink & Sendable
  /// The piece that no worker has taken yet.
  private var untaken = 0
  /// The piece whose turn it is.
  private var turn = 0
  private var failure: RealmFileError?
  /// Texts of finished pieces whose turn has not come, and the bytes in them.
  private var finished: [Int: PieceText] = [:]
  private var finishedByteCount = 0
  /// Emptied texts.
  private var spares: [PieceText] = []

  /// - Parameter sink: takes the text in order, from changing threads, one at a time.
  init(pieceCount: Int, jobs: Int, sink: any OutputSink & Sendable) {
    self.pieceCount = pieceCount
    workerCount = max(1, min(jobs, pieceCount))
    self.sink = sink
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(turned, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe pthread_cond_destroy(turned)
    unsafe lock.deallocate()
    unsafe turned.deallocate()
  }

  private func locked<R>(_ body: () throws(RealmFileError) -> R) throws(RealmFileError) -> R {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body()
  }

  /// The next piece to work on, or nil where none is left or a worker failed.
  func take() -> Int? {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    guard failure == nil, untaken < pieceCount else { return nil }
    defer { untaken += 1 }
    return untaken
  }

  /// Hands over what is in `text` of `piece`, which is not finished, if that is worth it.
  ///
  /// - Throws: what another worker failed with, or what the sink throws.
  func drain(_ text: inout TextBuffer, of piece: Int) throws(RealmFileError) {
    guard text.count >= OrderedOutput.flushSize else { return }
    let mayWait = text.count >= OrderedOutput.waitingLimit
    let isTurn = try locked { () throws(RealmFileError) in
      while mayWait, turn != piece, failure == nil { unsafe pthread_cond_wait(turned, lock) }
      if let failure { throw failure }
      return turn == piece
    }
    guard isTurn else { return }
    try text.flush(to: sink)
    text.removeAll()
  }

  /// Takes over the text of `piece`, which is finished. Where the turn is another piece's, the text
  /// is kept until then, so that its worker can go on.
  ///
  /// - Returns: an empty text for the next piece.
  /// - Throws: what another worker failed with, or what the sink throws.
  func finish(_ text: PieceText, of piece: Int) throws(RealmFileError) -> PieceText {
    let spare = try locked { () throws(RealmFileError) -> PieceText? in
      while turn != piece, finishedByteCount >= OrderedOutput.finishedLimit, failure == nil {
        unsafe pthread_cond_wait(turned, lock)
      }
      if let failure { throw failure }
      guard turn != piece else { return nil }
      finished[piece] = text
      finishedByteCount += text.byteCount
      return spares.popLast() ?? PieceText()
    }
    if let spare { return spare }

    var current = text
    while true {
      try current.buffer.flush(to: sink)
      current.buffer.removeAll(keepingCapacity: current.buffer.count <= PieceText.usualSize)
      let next = try locked { () throws(RealmFileError) -> PieceText? in
        turn += 1
        guard let next = finished.removeValue(forKey: turn) else { return nil }
        finishedByteCount -= next.byteCount
        spares.append(current)
        return next
      }
      unsafe pthread_cond_broadcast(turned)
      guard let next else { return current }
      current = next
    }
  }

  /// Ends the work of all: the first failure is the one that is told.
  func fail(_ error: RealmFileError) {
    unsafe pthread_mutex_lock(lock)
    if failure == nil { failure = error }
    unsafe pthread_mutex_unlock(lock)
    unsafe pthread_cond_broadcast(turned)
  }

  /// Runs `worker` on all threads until no piece is left.
  ///
  /// - Throws: the first failure of a worker.
  func run(
    worker: @Sendable () throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    DispatchQueue.concurrentPerform(iterations: workerCount) { _ in
      do throws(RealmFileError) {
        try worker()
      } catch {
        fail(error)
      }
    }
    if let failure { throw failure }
  }
}

/// The text of one piece, on its way from worker to worker; belongs to one at a time.
final class PieceText: @unchecked Sendable {
  /// Bytes of the text of ordinary objects.
  static let usualSize = 512 << 10
  /// Bytes that a text takes at least.
  private static let leastSize = 64 << 10

  var buffer = TextBuffer(capacity: leastSize)

  /// What it takes while it waits: many texts of no bytes at all are a lot, too.
  var byteCount: Int { max(buffer.count, PieceText.leastSize) }
}
