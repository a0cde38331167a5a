import Dispatch
import Foundation
import RealmStorage
import Synchronization
import Testing

@testable import RealmInterchange

@Suite("Ordered output")
struct OrderedOutputTests {
  /// Takes nothing until it is told to.
  private final class BlockedSink: OutputSink, Sendable {
    let gate = DispatchSemaphore(value: 0)
    let text = Mutex<[UInt8]>([])
    private let isOpen = Mutex(false)

    @unsafe
    func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
      if !isOpen.withLock({ $0 }) {
        gate.wait()
        isOpen.withLock { $0 = true }
      }
      let bytes = unsafe Array(bytes)
      text.withLock { $0 += bytes }
    }

    func publish() {}
  }

  @Test("pieces of hardly any text do not pile up without end while the first one is held up")
  func smallPieces() throws {
    let sink = BlockedSink()
    let pieceCount = 20_000
    let output = OrderedOutput(pieceCount: pieceCount, jobs: 2, sink: sink)
    let taken = Mutex(0)
    let piled = Mutex(0)
    DispatchQueue.global().async {
      // Until the other worker has come to a halt.
      var before = -1
      while taken.withLock({ $0 }) != before {
        before = taken.withLock { $0 }
        Thread.sleep(forTimeInterval: 0.3)
      }
      piled.withLock { $0 = before }
      sink.gate.signal()
    }
    try output.run { () throws(RealmFileError) in
      var text = PieceText()
      while let piece = output.take() {
        taken.withLock { $0 += 1 }
        text.buffer.append(decimal: piece % 10)
        text = try output.finish(text, of: piece)
      }
    }
    #expect(piled.withLock { $0 } <= 1000)
    let expected = (0..<pieceCount).map { UInt8($0 % 10 + 0x30) }
    #expect(sink.text.withLock { $0 } == expected)
  }
}
