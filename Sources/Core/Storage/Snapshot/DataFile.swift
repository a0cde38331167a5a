/// Reads a few bytes of a realm file as it is now, through its descriptor instead of a mapping, and decrypts them if
/// there is a key. Caches nothing. Belongs to one thread.
struct DataFile {
  private let descriptor: FileDescriptor
  private let cipher: PageCipher?
  private let buffer = PageBuffer()

  /// - Throws: `unsupported` where the system lacks the algorithms.
  init(_ descriptor: FileDescriptor, key: RealmKey?) throws(RealmFileError) {
    self.descriptor = descriptor
    if let key { cipher = try PageCipher(key: key) } else { cipher = nil }
  }

  /// The current number of bytes of data.
  func byteCount() throws(RealmFileError) -> Int {
    let size = try descriptor.size()
    return cipher == nil ? size : EncryptedLayout.dataByteCount(fileByteCount: size)
  }

  /// The `count` bytes at `offset`; fewer if a plain file ends earlier.
  ///
  /// - Throws: `damagedPage`; `truncated` if an encrypted file ends earlier; `inputOutput`.
  func read(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
    guard let cipher else { return try descriptor.read(at: offset, count: count) }
    guard count > 0 else { return [] }
    let first = offset / EncryptedLayout.pageByteCount
    let last = (offset + count - 1) / EncryptedLayout.pageByteCount
    var bytes: [UInt8] = []
    for page in first...last { bytes += try read(page: page, cipher: cipher) }
    let start = offset - first * EncryptedLayout.pageByteCount
    return Array(bytes[start..<(start + count)])
  }

  /// Whether data page `page` of an encrypted file was written and matches its HMAC; false if the file ends before it.
  ///
  /// - Parameter mayChange: whether to try again, a few times, if it does not match.
  /// - Throws: `inputOutput`.
  func isValid(page: Int, mayChange: Bool = false) throws(RealmFileError) -> Bool {
    guard let cipher else { return false }
    do throws(RealmFileError) {
      if case .valid = try load(page: page, cipher: cipher, mayChange: mayChange) { return true }
    } catch {
      guard case .truncated = error.kind else { throw error }
    }
    return false
  }

  /// Copies data page `page` into the buffer and returns its state.
  private func load(
    page: Int, cipher: PageCipher, mayChange: Bool
  ) throws(RealmFileError) -> PageState {
    unsafe try buffer.load(cipher: cipher, mayChange: mayChange) {
      (place) throws(RealmFileError) in
      unsafe try fill(
        place, EncryptedLayout.pageByteCount, EncryptedLayout.ciphertextOffset(ofPage: page))
    } copyEntry: { (place) throws(RealmFileError) in
      unsafe try fill(
        place, EncryptedLayout.entryByteCount, EncryptedLayout.entryOffset(ofPage: page))
    }
  }

  /// The 4096 bytes of data page `page`.
  private func read(page: Int, cipher: PageCipher) throws(RealmFileError) -> [UInt8] {
    let offset = page * EncryptedLayout.pageByteCount
    var plaintext = [UInt8](repeating: 0, count: EncryptedLayout.pageByteCount)
    switch try load(page: page, cipher: cipher, mayChange: true) {
    case .neverWritten, .zeros: return plaintext
    case .valid(let counter, _):
      let isDone = unsafe plaintext.withUnsafeMutableBytes { output in
        guard let start = output.baseAddress else { return false }
        return unsafe cipher.convert(buffer.page, counter: counter, dataOffset: offset, into: start)
      }
      if isDone { return plaintext }
    case .invalid: break
    }
    throw RealmFileError(.damagedPage(page), offset: offset)
  }

  /// Reads `count` bytes at file offset `offset` into `place`.
  @unsafe
  private func fill(
    _ place: UnsafeMutableRawPointer, _ count: Int, _ offset: Int
  ) throws(RealmFileError) {
    let got = unsafe try descriptor.read(
      at: offset, into: UnsafeMutableRawBufferPointer(start: place, count: count))
    guard got == count else {
      throw RealmFileError(.truncated(missingBytes: count - got), offset: offset)
    }
  }
}
