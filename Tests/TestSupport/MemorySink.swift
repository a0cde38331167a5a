package import RealmStorage

/// Collects an output in memory.
package final class MemorySink: OutputSink, @unchecked Sendable {
  package private(set) var bytes: [UInt8] = []
  package private(set) var isPublished = false

  package init() {}

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  @unsafe
  package func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  package func publish() { isPublished = true }
}
