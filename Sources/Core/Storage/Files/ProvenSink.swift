/// Passes on what was read from a snapshot only once it is proven to belong to it: everything that
/// is in a text was read before the text is written.
///
/// Threads may use it one at a time.
public final class ProvenSink: OutputSink, @unchecked Sendable {
  /// Where the bytes go.
  public let sink: any OutputSink
  private let snapshot: Snapshot
  /// True once any bytes were passed on.
  public private(set) var hasWritten = false

  public init(_ sink: any OutputSink, for snapshot: Snapshot) {
    self.sink = sink
    self.snapshot = snapshot
  }

  /// - Throws: `changedWhileReading` or `shrankWhileReading`, and what the sink throws.
  @unsafe
  public func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard bytes.count > 0 else { return }
    try snapshot.prove()
    hasWritten = true
    try unsafe sink.write(bytes)
  }

  public func publish() throws(RealmFileError) { try sink.publish() }
}
