/// The decrypted bytes of a realm file at their offsets: a mapping of a plain file, or the pages of
/// an encrypted one, decrypted when they are first asked for.
///
/// A plain source may be used from several threads; an encrypted one belongs to one thread, which
/// gets its own from ``Snapshot/makeReader()``.
@safe
public final class ByteSource {
  /// Bytes of the decrypted file.
  public let count: Int
  private let base: UnsafeRawPointer
  private let pages: DecryptedPages?
  /// Which pages are decrypted, a bit each, as `pages` keeps it; nil where nothing is encrypted. It is
  /// asked for every node, and counting a reference to `pages` costs more than the answer.
  private let resident: UnsafePointer<UInt64>?
  /// Keeps what `base` points into open.
  private let owner: AnyObject

  init(mapping: MappedFile) {
    count = mapping.count
    unsafe base = mapping.base
    pages = nil
    unsafe resident = nil
    owner = mapping
  }

  init(pages: DecryptedPages) {
    count = pages.count
    unsafe base = pages.base
    self.pages = pages
    unsafe resident = UnsafePointer(pages.resident)
    owner = pages
  }

  /// `count` bytes from `offset`, decrypted.
  ///
  /// - Parameters:
  ///   - offset: not negative.
  ///   - count: not negative; `offset + count` must not pass ``count``, which is checked.
  ///   - isWritten: the bytes are those of something that a commit wrote; else a page that was never
  ///     written is read as zeros.
  /// - Throws: `damagedPage` where a page does not verify, `truncated` behind the end.
  @unsafe
  @inline(__always)
  func bytes(
    at offset: Int, count: Int, isWritten: Bool = true
  ) throws(RealmFileError) -> UnsafeRawPointer {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      throw RealmFileError(.truncated(missingBytes: nil), offset: offset)
    }
    if let pages { try pages.decrypt(offset..<(offset + count), isWritten: isWritten) }
    return unsafe base + offset
  }

  /// The bytes of a node at `offset`, at least one, which the caller knows to lie inside.
  ///
  /// - Throws: `damagedPage` where a page does not verify.
  @unsafe
  @inline(__always)
  func nodeBytes(at offset: Int, count: Int) throws(RealmFileError) -> UnsafeRawPointer {
    // Invariant of the caller: 0 <= offset, 0 < count, offset + count <= self.count.
    if let resident = unsafe resident {
      let last = (offset &+ count &- 1) / EncryptedLayout.pageByteCount
      var page = offset / EncryptedLayout.pageByteCount
      while page <= last {
        guard unsafe resident[page &>> 6] &>> UInt64(page & 63) & 1 != 0 else {
          try decrypt(offset..<(offset &+ count))
          break
        }
        page &+= 1
      }
    }
    return unsafe base + offset
  }

  @inline(never)
  private func decrypt(_ range: Range<Int>) throws(RealmFileError) {
    try pages?.decrypt(range, isWritten: true)
  }

  /// True where bytes stay where they are for as long as the source lives, whatever is released.
  var isMapped: Bool { pages == nil }

  /// A copy of `count` bytes from `offset`; for headers and footers.
  public func copy(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
    let start = unsafe try bytes(at: offset, count: count, isWritten: false)
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// What page `page` of an encrypted file says of itself; valid for a plain one.
  func condition(ofPage page: Int) throws(RealmFileError) -> PageCheck.Condition {
    try pages?.condition(ofPage: page) ?? .valid
  }

  /// Pages decrypted so far and still in memory, in the order of decryption.
  var loggedPages: Int { pages?.loggedPages ?? 0 }

  /// Lets pages go that were decrypted after the first `count` ones.
  func release(to count: Int) { pages?.release(to: count) }
}
