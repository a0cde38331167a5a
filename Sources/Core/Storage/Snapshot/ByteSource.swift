/// The decrypted bytes of a realm file by offset: the mapping of a plain file, or the pages of an encrypted
/// file, each decrypted on first use.
///
/// Several threads may use a plain source. An encrypted one belongs to one thread; each thread gets its own
/// from ``Snapshot/makeReader()``.
@safe
package final class ByteSource {
  /// Bytes of the decrypted file.
  package let count: Int
  private let base: UnsafeRawPointer
  private let pages: PageView?
  /// One bit per page: whether it is decrypted. Maintained by `pages`; nil for a plain file. It is kept here
  /// because it is tested for every node, and retaining `pages` would cost more than the test.
  private let resident: UnsafePointer<UInt64>?
  /// Keeps the memory that `base` points into mapped.
  private let owner: any AnyObject & Sendable

  package init(mapping: MappedFile) {
    count = mapping.count
    unsafe base = mapping.base
    pages = nil
    unsafe resident = nil
    owner = mapping
  }

  package init(pages: PageView) {
    count = pages.cache.count
    unsafe base = pages.cache.base
    self.pages = pages
    unsafe resident = UnsafePointer(pages.resident.start)
    owner = pages.cache
  }

  /// The `count` bytes at `offset`, at least one. The caller has checked that they lie inside.
  ///
  /// - Throws: `damagedPage` if a page fails its checksum.
  @unsafe
  @inline(__always)
  package func nodeBytes(at offset: Int, count: Int) throws(RealmFileError) -> UnsafeRawPointer {
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

  /// Whether bytes stay readable at their address as long as the source lives, even after a release: true for a
  /// plain file, and for an encrypted one that fits the cache completely.
  var keepsAllBytes: Bool { pages?.cache.keepsAll ?? true }

  /// A copy of the `count` bytes at `offset`, for headers and footers. A page that was never written consists of
  /// zeros.
  ///
  /// - Throws: `truncated` for bytes past the end or in a page that is cut off; `damagedPage`.
  package func copy(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
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

  /// Whether the bytes come from an encrypted file.
  package var isEncrypted: Bool { pages != nil }

  /// The condition of page `page` of an encrypted file; valid for a plain one.
  package func condition(ofPage page: Int) throws(RealmFileError) -> PageCondition {
    try pages?.condition(ofPage: page) ?? .valid
  }

  /// The number of pages in the log, which lists pages in the order of their first use.
  var loggedPages: Int { pages?.loggedPages ?? 0 }

  /// Releases all logged pages but the first `count`.
  func release(to count: Int) { pages?.release(to: count) }

  /// Objects that keep all logged pages readable, independently of this source. The source itself releases all
  /// of them but the first `count`; later reads request them again.
  func hold(since count: Int) -> [any AnyObject & Sendable] {
    [owner] + (pages?.hold(since: count) ?? [])
  }
}
