/// Passes text on only after the snapshot has proven that everything read so far belongs to its
/// version. All values in a text were read before the text is written.
///
/// May be used by several threads, one at a time.
package final class ProvenSink: OutputSink, @unchecked Sendable {
  /// The destination of the bytes.
  package let sink: any OutputSink
  private let snapshot: Snapshot
  /// True once any bytes were passed on.
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
