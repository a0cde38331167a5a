/// Collects the data of a new realm, appended from offset 0 on, and writes it, encrypted if there is a key. Full
/// buffers are encrypted and written on background threads while the next buffer is filled. Belongs to one thread.
///
/// Invariant 1: `position` bytes were appended. The last `filled` of them are in `buffer`, whose
/// first byte has data offset `bufferStart`, a multiple of the buffer size.
/// Invariant 2: the first page of an encrypted file stays in memory and is written last, because the
/// header may be set at the end and no page is encrypted twice.
/// Invariant 3: `spare` belongs to the writer from the call that passes it until the next call.
@safe
package final class RealmOutput {
  /// The destination of the bytes.
  package enum Destination {
    /// A file, whose header can be written at the end.
    case file(OutputFile)
    /// A stream, which cannot be changed after writing.
    case stream(any OutputSink)
    /// Nothing is written; only the size is computed.
    case nowhere

    /// The file or stream; nil if nothing is written.
    var sink: (any OutputSink)? {
      switch self {
      case .file(let file): file
      case .stream(let sink): sink
      case .nowhere: nil
      }
    }
  }

  /// Usual bytes of a buffer: four blocks of an encrypted file.
  package static let usualBufferByteCount = 4 * EncryptedPages.blockDataByteCount

  package let isEncrypted: Bool
  private let destination: Destination
  private let writer: BufferWriter
  /// Bytes of a buffer.
  private let capacity: Int
  private var buffer: UnsafeMutableRawPointer
  private var spare: UnsafeMutableRawPointer
  private var bufferStart = 0
  private var filled = 0
  /// The first page of an encrypted file, once it has left the buffer.
  private var firstPage: [UInt8] = []

  /// - Parameter bufferByteCount: bytes that are written at a time; with a key, whole blocks.
  /// - Throws: `unsupported` where the system lacks the algorithms.
  package init(
    _ destination: Destination, key: RealmKey?, bufferByteCount: Int = usualBufferByteCount
  ) throws(RealmFileError) {
    let (blocks, rest) = bufferByteCount.quotientAndRemainder(
      dividingBy: EncryptedPages.blockDataByteCount)
    precondition(key == nil || rest == 0, "a buffer has whole blocks")
    self.destination = destination
    isEncrypted = key != nil
    capacity = bufferByteCount
    writer = try BufferWriter(destination, key: key, blocks: blocks)
    unsafe buffer = .allocate(byteCount: capacity, alignment: 4096)
    unsafe spare = .allocate(byteCount: capacity, alignment: 4096)
  }

  deinit {
    // An abandoned file must not be closed and removed while something is being written to it.
    writer.settle()
    unsafe buffer.deallocate()
    unsafe spare.deallocate()
  }

  /// The data offset of the next appended byte.
  package var position: Int { bufferStart &+ filled }

  /// Whether the header can be written at the end.
  var hasHeaderAtEnd: Bool {
    if case .stream = destination { return false }
    return true
  }

  /// Room for `count` bytes, which are then appended with ``advance(by:)``; nil if the buffer has less room.
  @unsafe
  @inline(__always)
  func room(for count: Int) -> UnsafeMutableRawPointer? {
    count <= capacity &- filled ? unsafe buffer + filled : nil
  }

  /// Appends the `count` bytes that were written to the result of ``room(for:)``.
  @inline(__always)
  func advance(by count: Int) { filled &+= count }

  /// Appends `bytes`.
  ///
  /// - Throws: the errors of the destination.
  @unsafe
  package func append(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard let start = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      if filled == capacity { try flush() }
      let piece = min(bytes.count - done, capacity - filled)
      unsafe (buffer + filled).copyMemory(from: start + done, byteCount: piece)
      filled += piece
      done += piece
    }
  }

  /// Like ``append(_:)-(UnsafeRawBufferPointer)``.
  package func append(_ bytes: [UInt8]) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(RealmFileError) in
      try unsafe append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Appends `count` zeros.
  package func appendZeros(_ count: Int) throws(RealmFileError) {
    try append([UInt8](repeating: 0, count: count))
  }

  /// Writes the remaining bytes, and replaces the first ones by the header.
  ///
  /// - Parameter header: nil if it was already appended.
  /// - Returns: the size of the file in bytes.
  /// - Throws: the errors of the destination.
  /// - Precondition: an encrypted file consists of whole pages; ``hasHeaderAtEnd`` is true if
  ///   `header` is not nil.
  package func finish(header: [UInt8]?) throws(RealmFileError) -> Int {
    try flush()
    try writer.wait()
    if isEncrypted, position % EncryptedPages.blockDataByteCount == 0, position > 0 {
      // The metadata page of the next block comes into being before its first data page (chapter 1, section 5.2).
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

  /// Passes the buffer to the writer.
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
