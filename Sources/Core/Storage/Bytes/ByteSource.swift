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
  private let pages: PageView?
  /// Which pages are decrypted, a bit each, as `pages` keeps it; nil where nothing is encrypted. It is
  /// asked for every node, and counting a reference to `pages` costs more than the answer.
  private let resident: UnsafePointer<UInt64>?
  /// Keeps what `base` points into open.
  private let owner: any AnyObject & Sendable

  init(mapping: MappedFile) {
    count = mapping.count
    unsafe base = mapping.base
    pages = nil
    unsafe resident = nil
    owner = mapping
  }

  init(pages: PageView) {
    count = pages.cache.count
    unsafe base = pages.cache.base
    self.pages = pages
    unsafe resident = UnsafePointer(pages.resident.start)
    owner = pages.cache
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
    try pages?.require(range)
  }

  /// True where bytes stay where they are for as long as the source lives, whatever is released: those
  /// of a plain file, and of an encrypted one that fits the cache as a whole.
  var keepsAllBytes: Bool { pages?.cache.keepsAll ?? true }

  /// A copy of `count` bytes from `offset`, for headers and footers. A page that was never written
  /// has zeros.
  ///
  /// - Throws: `truncated` behind the end, and for a page that is cut off; `damagedPage`.
  public func copy(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      throw RealmFileError(.truncated(missingBytes: nil), offset: offset)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let start = offset + bytes.count
      let page = start / EncryptedLayout.pageByteCount
      let end = min(offset + count, (page + 1) * EncryptedLayout.pageByteCount)
      if try pages?.isWritten(page) ?? true {
        unsafe bytes += UnsafeRawBufferPointer(start: base + start, count: end - start)
      } else {
        bytes += repeatElement(0, count: end - start)
      }
    }
    return bytes
  }

  /// What page `page` of an encrypted file says of itself; valid for a plain one.
  func condition(ofPage page: Int) throws(RealmFileError) -> PageCheck.Condition {
    try pages?.condition(ofPage: page) ?? .valid
  }

  /// Pages that must be let go of by ``release(to:)``, in the order in which they were asked for.
  var loggedPages: Int { pages?.loggedPages ?? 0 }

  /// Lets go of the pages that were asked for after the first `count` ones.
  func release(to count: Int) { pages?.release(to: count) }

  /// What keeps the bytes that were asked for readable, whatever becomes of this source. Those asked for
  /// after the first `count` pages are to be asked for again.
  func hold(since count: Int) -> [any AnyObject & Sendable] {
    [owner] + (pages?.hold(since: count) ?? [])
  }
}
