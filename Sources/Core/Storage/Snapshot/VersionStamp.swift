/// Identifies the live version of a file by its header and the bytes of the top array that the header
/// selects (chapter 1, section 6.7).
///
/// If two stamps of a file are equal, no block of the version was reused in between, because the
/// blocks of the selected version are never overwritten while it stays selected. A header may
/// return to the same bytes, but not with the same top array, which contains the version number. The
/// previous version is not protected: the next commit may reuse its blocks before the header changes.
struct VersionStamp: Equatable {
  /// Maximum bytes of a top array: its header and twelve slots of 64 bits.
  private static let topByteCount = NodeHeader.byteCount + 12 * 8
  /// Maximum attempts to read the same header twice in a row.
  private static let attempts = 100

  /// The 24 bytes of the file header.
  let header: [UInt8]
  /// The bytes of the top array; empty for a realm without any commit, or if they cannot be read.
  let top: [UInt8]

  /// The current stamp of the file. A damaged top array contributes the bytes that can be read, because the
  /// caller may want the previous version.
  ///
  /// - Throws: `notARealm`, `truncated`, `damagedPage` if there is no header; `changedWhileReading`
  ///   if the header keeps changing; `inputOutput`.
  init(_ file: DataFile) throws(RealmFileError) {
    var bytes = try file.read(at: 0, count: FileHeader.byteCount)
    var isStable = false
    for _ in 0..<VersionStamp.attempts where !isStable {
      let again = try file.read(at: 0, count: FileHeader.byteCount)
      isStable = again == bytes
      bytes = again
    }
    guard isStable else { throw RealmFileError(.changedWhileReading) }
    guard FileHeader.hasMnemonic(bytes) else { throw RealmFileError(.notARealm) }
    header = bytes
    do throws(RealmFileError) {
      top = try VersionStamp.top(of: FileHeader(bytes: bytes), in: file)
    } catch {
      if case .inputOutput = error.kind { throw error }
      top = []
    }
  }

  /// The bytes of the top array that `header` selects.
  private static func top(
    of header: FileHeader, in file: DataFile
  ) throws(RealmFileError) -> [UInt8] {
    let size = try file.byteCount()
    var footer: [UInt8] = []
    if header.isStreaming, size >= FileHeader.byteCount + FileHeader.footerByteCount {
      footer = try file.read(
        at: size - FileHeader.footerByteCount, count: FileHeader.footerByteCount)
    }
    let ref = try header.locateTop(footer: footer, size: size)
    guard ref != 0 else { return [] }
    let start = try file.read(at: ref, count: min(topByteCount, size - ref))
    guard start.count >= NodeHeader.byteCount,
      let node = NodeHeader(word: littleEndian(start[0..<8]))
    else { return start }
    return Array(start.prefix(node.nodeByteCount))
  }
}

/// Reads a few bytes of a realm file as it is now, through its descriptor instead of a mapping, and decrypts them if
/// there is a key. Caches nothing. Belongs to one thread.
struct DataFile {
  private let descriptor: FileDescriptor
  private let cipher: PageCipher?
  private let buffer = PageBuffer()

  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
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

  /// The 4096 bytes of data page `page`.
  private func read(page: Int, cipher: PageCipher) throws(RealmFileError) -> [UInt8] {
    let offset = page * EncryptedLayout.pageByteCount
    let state = unsafe try buffer.load(cipher: cipher, mayChange: true) {
      (place) throws(RealmFileError) in
      unsafe try fill(
        place, EncryptedLayout.pageByteCount, EncryptedLayout.ciphertextOffset(ofPage: page))
    } copyEntry: { (place) throws(RealmFileError) in
      unsafe try fill(
        place, EncryptedLayout.entryByteCount, EncryptedLayout.entryOffset(ofPage: page))
    }
    var plaintext = [UInt8](repeating: 0, count: EncryptedLayout.pageByteCount)
    switch state {
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
