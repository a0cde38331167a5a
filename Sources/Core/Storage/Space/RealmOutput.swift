#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data of a new realm on its way to the disk: appended from offset 0 on, buffered, and encrypted
/// where there is a key. Belongs to one thread.
///
/// Invariant 1: `position` bytes were appended; of these the last `filled` are in the buffer, which
/// starts at a multiple of its size.
/// Invariant 2: the first page of an encrypted file is written last: its bytes are kept, as those of
/// the header may be told at the end, and a page is never encrypted twice.
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

  /// Data offset of what is appended next.
  package private(set) var position = 0
  package let isEncrypted: Bool
  private let destination: Destination
  private let pages: EncryptedPages?
  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 4096)
  private var filled = 0
  /// The data of the first page of an encrypted file, once the buffer has moved on.
  private var firstPage: [UInt8] = []
  /// Bytes written, metadata included.
  private var written = 0

  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  package init(_ destination: Destination, key: RealmKey?) throws(RealmFileError) {
    self.destination = destination
    isEncrypted = key != nil
    if let key { pages = try EncryptedPages(key: key) } else { pages = nil }
  }

  deinit { unsafe buffer.deallocate() }

  /// True where the header can be told at the end.
  package var hasHeaderAtEnd: Bool {
    if case .stream = destination { return false }
    return true
  }

  /// Appends `count` bytes from `start`.
  ///
  /// - Throws: the errors of the destination.
  @unsafe
  @inline(__always)
  func append(_ start: UnsafeRawPointer, count: Int) throws(RealmFileError) {
    if count <= RealmOutput.capacity &- filled {
      unsafe (buffer + filled).copyMemory(from: start, byteCount: count)
      filled &+= count
      position &+= count
    } else {
      try unsafe appendPieces(start, count: count)
    }
  }

  @unsafe
  @inline(never)
  private func appendPieces(_ start: UnsafeRawPointer, count: Int) throws(RealmFileError) {
    var done = 0
    while done < count {
      if filled == RealmOutput.capacity { try flush() }
      let piece = min(count - done, RealmOutput.capacity - filled)
      unsafe (buffer + filled).copyMemory(from: start + done, byteCount: piece)
      filled += piece
      position += piece
      done += piece
    }
  }

  /// Appends `bytes`.
  package func append(_ bytes: [UInt8]) throws(RealmFileError) {
    let result: Result<Void, RealmFileError> = unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return .success(()) }
      do throws(RealmFileError) {
        return .success(try unsafe append(start, count: bytes.count))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
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
    if pages != nil, position % EncryptedPages.blockDataByteCount == 0, position > 0 {
      // The metadata page of the next block is there before its first page is (section 5.2).
      try put([UInt8](repeating: 0, count: EncryptedLayout.pageByteCount))
    }
    if pages != nil, hasHeaderAtEnd {
      if let header { firstPage.replaceSubrange(0..<header.count, with: header) }
      try putFirstPage()
    } else if let header {
      try put(header, at: 0)
    }
    return written
  }

  /// Hands the buffer over.
  private func flush() throws(RealmFileError) {
    guard filled > 0 else { return }
    let start = position - filled
    defer { filled = 0 }
    guard let pages else {
      return try unsafe put(UnsafeRawBufferPointer(start: buffer, count: filled))
    }
    let skipsFirst = start == 0 && hasHeaderAtEnd
    if skipsFirst {
      firstPage = unsafe Array(
        UnsafeRawBufferPointer(start: buffer, count: EncryptedLayout.pageByteCount))
    }
    for offset in stride(from: 0, to: filled, by: EncryptedPages.blockDataByteCount) {
      let count = min(EncryptedPages.blockDataByteCount, filled - offset)
      let data = unsafe UnsafeRawBufferPointer(start: buffer + offset, count: count)
      try unsafe put(
        try pages.block(of: data, at: start + offset, skipsFirst: skipsFirst && offset == 0))
    }
  }

  /// Encrypts the first page and writes it and its metadata entry in their places.
  private func putFirstPage() throws(RealmFileError) {
    guard let pages else { return }
    let result: Result<Void, RealmFileError> = unsafe firstPage.withUnsafeBytes { data in
      guard let start = data.baseAddress else { return .success(()) }
      do throws(RealmFileError) {
        let (page, entry) = try unsafe pages.page(start, at: 0)
        try unsafe put(page, at: EncryptedLayout.ciphertextOffset(ofPage: 0))
        return .success(try unsafe put(entry, at: EncryptedLayout.entryOffset(ofPage: 0)))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  @unsafe
  private func put(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    written += bytes.count
    switch destination {
    case .file(let file): try unsafe file.write(bytes)
    case .stream(let sink): try unsafe sink.write(bytes)
    case .nowhere: break
    }
  }

  private func put(_ bytes: [UInt8]) throws(RealmFileError) {
    written += bytes.count
    switch destination {
    case .file(let file): try file.write(bytes)
    case .stream(let sink): try sink.write(bytes)
    case .nowhere: break
    }
  }

  @unsafe
  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmFileError) {
    if case .file(let file) = destination { try unsafe file.write(bytes, at: offset) }
  }

  private func put(_ bytes: [UInt8], at offset: Int) throws(RealmFileError) {
    let result: Result<Void, RealmFileError> = unsafe bytes.withUnsafeBytes { bytes in
      do throws(RealmFileError) {
        return .success(try unsafe put(bytes, at: offset))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
