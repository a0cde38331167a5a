/// The data of a new realm on its way to the disk: appended from offset 0 on, buffered, and encrypted
/// where there is a key. Belongs to one thread; full buffers are encrypted and written on others, while
/// the next one is filled.
///
/// Invariant 1: `position` bytes were appended; of these the last `filled` are in `buffer`, whose
/// first byte has data offset `bufferStart`, a multiple of its size.
/// Invariant 2: the first page of an encrypted file is written last: its bytes are kept, as those of
/// the header may be told at the end, and a page is never encrypted twice.
/// Invariant 3: `spare` belongs to the writer from the call that hands it over to the next one.
@safe
package final class RealmOutput {
  /// Where the bytes go.
  package enum Destination {
    /// A file: the header can be written at the end.
    case file(OutputFile)
    /// A stream: what was written stays.
    case stream(any OutputSink)
    /// Nowhere: only the size is wanted.
    case nowhere
  }

  /// Four blocks of an encrypted file, so that a full buffer is a number of whole ones.
  private static let capacity = 4 * EncryptedPages.blockDataByteCount

  package let isEncrypted: Bool
  private let destination: Destination
  private let writer: BufferWriter
  private var buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 4096)
  private var spare = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 4096)
  private var bufferStart = 0
  private var filled = 0
  /// The data of the first page of an encrypted file, once the buffer has moved on.
  private var firstPage: [UInt8] = []

  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  package init(_ destination: Destination, key: RealmKey?) throws(RealmFileError) {
    self.destination = destination
    isEncrypted = key != nil
    writer = try BufferWriter(
      destination, key: key, blocks: RealmOutput.capacity / EncryptedPages.blockDataByteCount)
  }

  deinit {
    // A file whose writing is given up is closed and removed only when nobody writes to it.
    writer.settle()
    unsafe buffer.deallocate()
    unsafe spare.deallocate()
  }

  /// Data offset of what is appended next.
  package var position: Int { bufferStart &+ filled }

  /// True where the header can be told at the end.
  package var hasHeaderAtEnd: Bool {
    if case .stream = destination { return false }
    return true
  }

  /// Where `count` bytes can be made that are then appended by ``advance(by:)``; nil where less of the
  /// buffer is free.
  @unsafe
  @inline(__always)
  func room(for count: Int) -> UnsafeMutableRawPointer? {
    count <= RealmOutput.capacity &- filled ? unsafe buffer + filled : nil
  }

  /// Appends what was made in the ``room(for:)`` `count` bytes.
  @inline(__always)
  func advance(by count: Int) { filled &+= count }

  /// Appends `bytes`.
  ///
  /// - Throws: the errors of the destination.
  @unsafe
  func append(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard let start = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      if filled == RealmOutput.capacity { try flush() }
      let piece = min(bytes.count - done, RealmOutput.capacity - filled)
      unsafe (buffer + filled).copyMemory(from: start + done, byteCount: piece)
      filled += piece
      done += piece
    }
  }

  /// As ``append(_:)-(UnsafeRawBufferPointer)``.
  package func append(_ bytes: [UInt8]) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(RealmFileError) in
      try unsafe append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Appends `count` zeros.
  package func appendZeros(_ count: Int) throws(RealmFileError) {
    try append([UInt8](repeating: 0, count: count))
  }

  /// Writes what is left, and the header over the first bytes.
  ///
  /// - Parameter header: nil where it was appended already.
  /// - Returns: bytes of the file.
  /// - Throws: the errors of the destination.
  /// - Precondition: an encrypted file has whole pages; ``hasHeaderAtEnd`` for a header.
  package func finish(header: [UInt8]?) throws(RealmFileError) -> Int {
    try flush()
    try writer.wait()
    if isEncrypted, position % EncryptedPages.blockDataByteCount == 0, position > 0 {
      // The metadata page of the next block is there before its first page is (section 5.2).
      try writer.put([UInt8](repeating: 0, count: EncryptedLayout.pageByteCount))
    }
    if isEncrypted, hasHeaderAtEnd {
      if let header { firstPage.replaceSubrange(0..<header.count, with: header) }
      try writer.putFirstPage(firstPage)
    } else if let header {
      try writer.put(header, at: 0)
    }
    return writer.byteCount
  }

  /// Hands the buffer over.
  private func flush() throws(RealmFileError) {
    guard filled > 0 else { return }
    let skipsFirst = isEncrypted && bufferStart == 0 && hasHeaderAtEnd
    if skipsFirst {
      firstPage = unsafe Array(
        UnsafeRawBufferPointer(start: buffer, count: EncryptedLayout.pageByteCount))
    }
    try unsafe writer.write(
      UnsafeRawBufferPointer(start: buffer, count: filled), at: bufferStart, skipsFirst: skipsFirst)
    unsafe swap(&buffer, &spare)
    bufferStart += filled
    filled = 0
  }
}
