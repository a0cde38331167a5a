import Dispatch

/// Encrypts the buffers of a ``RealmOutput`` and writes them, one at a time, on background threads.
///
/// Invariant: from ``write(_:at:skipsFirst:)`` until ``settle()``, mutable state belongs to the
/// queue, otherwise to the caller. After an error, nothing more is written.
@safe
final class BufferWriter: @unchecked Sendable {
  /// A buffer that is being written.
  @safe
  private struct Piece: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    let offset: Int
    let skipsFirst: Bool
  }

  private let destination: RealmOutput.Destination
  private let queue = DispatchQueue(label: "realm-cli.output")
  /// One for each block of a buffer, so that blocks are encrypted in parallel; empty without a key.
  private let blocks: [EncryptedPages]
  private var piece: Piece?
  private var failure: RealmFileError?
  /// Bytes written, including metadata.
  private(set) var byteCount = 0

  /// - Parameter blocks: number of blocks in a buffer, if the file is encrypted.
  /// - Throws: `unsupported` where the system lacks the algorithms.
  init(
    _ destination: RealmOutput.Destination, key: RealmKey?, blocks: Int
  ) throws(RealmFileError) {
    self.destination = destination
    var made: [EncryptedPages] = []
    if let key {
      for _ in 0..<blocks { made.append(try EncryptedPages(key: key)) }
    }
    self.blocks = made
  }

  /// Starts to write `bytes`, which must not change until the next call of any method.
  ///
  /// - Parameters:
  ///   - offset: the data offset of `bytes`; in an encrypted file, the start of a block.
  ///   - skipsFirst: whether to omit the first page of an encrypted file, as if it had never been written.
  /// - Throws: the error of an earlier write.
  @unsafe
  func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, skipsFirst: Bool
  ) throws(RealmFileError) {
    try wait()
    piece = unsafe Piece(bytes: bytes, offset: offset, skipsFirst: skipsFirst)
    queue.async { self.run() }
  }

  /// Waits until nothing is being written.
  func settle() { queue.sync {} }

  /// Like ``settle()``.
  ///
  /// - Throws: the error of the write.
  func wait() throws(RealmFileError) {
    settle()
    if let failure { throw failure }
  }

  private func run() {
    guard failure == nil, let piece else { return }
    do throws(RealmFileError) {
      if blocks.isEmpty { try unsafe put(piece.bytes) } else { try unsafe encrypt(piece) }
    } catch {
      failure = error
    }
  }

  @unsafe
  private func encrypt(_ piece: Piece) throws(RealmFileError) {
    let size = EncryptedPages.blockDataByteCount
    let count = unsafe (piece.bytes.count + size - 1) / size
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let start = index * size
      let end = unsafe min(start + size, piece.bytes.count)
      unsafe blocks[index].encrypt(
        UnsafeRawBufferPointer(rebasing: piece.bytes[start..<end]), at: piece.offset + start,
        skipsFirst: piece.skipsFirst && index == 0)
    }
    for block in blocks[..<count] { try unsafe put(try block.result()) }
  }

  /// Encrypts the data of the first page, and writes the page and its metadata entry in place.
  func putFirstPage(_ data: [UInt8]) throws(RealmFileError) {
    guard let pages = blocks.first else { return }
    unsafe data.withUnsafeBytes { data in unsafe pages.encrypt(data, at: 0, skipsFirst: false) }
    let block = try unsafe pages.result()
    let page = unsafe UnsafeRawBufferPointer(rebasing: block[EncryptedLayout.pageByteCount...])
    let entry = unsafe UnsafeRawBufferPointer(rebasing: block[..<EncryptedLayout.entryByteCount])
    try unsafe put(page, at: EncryptedLayout.ciphertextOffset(ofPage: 0))
    try unsafe put(entry, at: EncryptedLayout.entryOffset(ofPage: 0))
  }

  @unsafe
  private func put(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    byteCount += bytes.count
    try unsafe destination.sink?.write(bytes)
  }

  /// Appends `bytes` without encryption.
  func put(_ bytes: [UInt8]) throws(RealmFileError) {
    byteCount += bytes.count
    try destination.sink?.write(bytes)
  }

  @unsafe
  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmFileError) {
    if case .file(let file) = destination { try unsafe file.write(bytes, at: offset) }
  }

  /// Writes `bytes` at `offset` of a file, without encryption.
  func put(_ bytes: [UInt8], at offset: Int) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(RealmFileError) in
      try unsafe put(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }
}
