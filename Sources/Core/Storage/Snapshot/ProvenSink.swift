/// A sink that passes bytes on only after proving that everything read from a snapshot so far belongs to its
/// version. The values in the bytes were read before.
///
/// May be used by several threads, one at a time.
package final class ProvenSink: OutputSink, @unchecked Sendable {
  /// The destination of the bytes.
  package let sink: any OutputSink
  private let snapshot: Snapshot
  /// Whether any bytes were passed on.
  package private(set) var hasWritten = false

  package init(_ sink: any OutputSink, for snapshot: Snapshot) {
    self.sink = sink
    self.snapshot = snapshot
  }

  /// - Throws: `changedWhileReading` or `shrankWhileReading`; the errors of the sink.
  @unsafe
  package func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard bytes.count > 0 else { return }
    try snapshot.prove()
    hasWritten = true
    try unsafe sink.write(bytes)
  }

  package func publish() throws(RealmFileError) { try sink.publish() }
}
