package import RealmStorage

/// A changeset as stored in a client history of schema version 12: with a wrapper, and compressed if that
/// makes it smaller (chapter 4, section 2.4).
///
/// ```
/// byte 0      high nibble: algorithm · low nibble: number w of size bytes, 1…8
/// bytes 1…w   uncompressed size, little-endian
/// rest        payload
/// ```
package struct StoredChangeset: Sendable {
  /// How the payload is compressed.
  enum Algorithm: Int, Sendable {
    case none = 0
    /// A zlib stream without its header.
    case deflate = 1
    /// Only on Apple's platforms.
    case lzfse = 2
  }

  /// Why a changeset cannot be unwrapped.
  package enum Failure: Error, Equatable, Sendable {
    /// The wrapper contradicts itself or the payload; the string says how.
    case damaged(String)
    /// The changeset may be valid, but there is no decoder for it, or it is too large; the string says which.
    case unsupported(String)
  }

  /// Maximum bytes of an unwrapped changeset. Servers accept less.
  package static let sizeLimit = 16 << 20

  /// The decoded bytes in front of the payload.
  struct Wrapper {
    /// Maximum bytes of a wrapper.
    static let byteLimit = earlyByteCount
    private static let earlyByteCount = 10

    let algorithm: Algorithm
    /// Uncompressed bytes of the changeset.
    let byteCount: Int
    /// See ``StoredChangeset/isEarly``.
    let isEarly: Bool
    /// Bytes in front of the payload.
    let headerByteCount: Int
    /// Bytes of the whole value.
    private let storedByteCount: Int

    /// - Parameters:
    ///   - start: the first ``byteLimit`` bytes of the value, or all of it if it is shorter.
    ///   - count: bytes of the whole value.
    /// - Throws: ``Failure/damaged(_:)`` if there is no valid wrapper.
    init(_ start: ByteSlice, count: Int) throws(Failure) {
      guard count > 0 else { throw .damaged("the wrapper is empty") }
      storedByteCount = count
      if let early = Wrapper.early(start, count: count) {
        (algorithm, byteCount) = early
        (isEarly, headerByteCount) = (true, Wrapper.earlyByteCount)
        return
      }
      let sizeBytes = Int(start[0] & 0x0F)
      guard let algorithm = Algorithm(rawValue: Int(start[0] >> 4)) else {
        throw .damaged("compression \(start[0] >> 4) is unknown")
      }
      guard (1...8).contains(sizeBytes), count > sizeBytes else {
        throw .damaged("the size takes \(sizeBytes) bytes, and the changeset has \(count)")
      }
      var size: UInt64 = 0
      for i in (1...sizeBytes).reversed() { size = size << 8 | UInt64(start[i]) }
      guard let byteCount = Int(exactly: size) else { throw .damaged("the size is too large") }
      (self.algorithm, self.byteCount, isEarly) = (algorithm, byteCount, false)
      headerByteCount = 1 + sizeBytes
    }

    /// The algorithm and the uncompressed bytes of a wrapper of an early build; nil for other wrappers.
    ///
    /// ```
    /// bytes 0…7   uncompressed size, little-endian
    /// bytes 8, 9  00 00 uncompressed · the header of a zlib stream · 09 00 LZFSE
    /// rest        payload
    /// ```
    private static func early(
      _ start: ByteSlice, count: Int
    ) -> (algorithm: Algorithm, byteCount: Int)? {
      guard count >= earlyByteCount else { return nil }
      let size = start.littleEndian(at: 0)
      let payload = count - earlyByteCount
      let mark = UInt16(start[8]) << 8 | UInt16(start[9])
      // A released build stores another size before an uncompressed changeset of this length.
      if mark == 0 { return size == UInt64(payload) ? (.none, payload) : nil }
      // Only a smaller result is stored. Bytes 3 to 7 are zero, as in no compressed changeset of a released build: its
      // size has no leading zeros, and neither a deflate nor an LZFSE stream has so many zeros at its start.
      guard size > payload, size < sizeLimit, !isReleased(start, count: count) else { return nil }
      switch mark {
      case 0x0900: return (.lzfse, Int(size))
      // The header of a zlib stream is a multiple of 31.
      case 0x7800...0x78FF where mark % 31 == 0: return (.deflate, Int(size))
      default: return nil
      }
    }

    /// Whether this is an uncompressed changeset in the wrapper of a released build, whose first bytes can be anything.
    private static func isReleased(_ start: ByteSlice, count: Int) -> Bool {
      switch start[0] {
      case 1: Int(start[1]) == count - 2
      case 2: Int(start[1]) | Int(start[2]) << 8 == count - 3
      default: false
      }
    }

    /// - Throws: ``Failure/unsupported(_:)`` for a changeset that is too large to unpack.
    func checkSize() throws(Failure) {
      // Compression adds a few bytes to a changeset that it cannot make smaller.
      try StoredChangeset.checkSize(
        max(byteCount, storedByteCount - StoredChangeset.sizeLimit / 256))
    }
  }

  /// - Throws: ``Failure/unsupported(_:)`` for a changeset that is too large to read.
  static func checkSize(_ byteCount: Int) throws(Failure) {
    guard byteCount <= sizeLimit else {
      throw .unsupported(
        "a changeset of \(byteCount) bytes is too large: a server takes at most \(sizeLimit)")
    }
  }

  private let wrapper: Wrapper
  private let payload: ByteSlice

  /// Whether the wrapper has the form of builds before the first release with schema version 12, which released builds
  /// cannot read.
  package var isEarly: Bool { wrapper.isEarly }

  /// - Parameter value: not empty; an empty changeset is stored without a wrapper.
  /// - Throws: ``Failure/damaged(_:)`` if there is no valid wrapper.
  package init(_ value: ByteSlice) throws(Failure) {
    wrapper = try Wrapper(value, count: value.count)
    payload = value.part(wrapper.headerByteCount..<value.count)
  }

  /// The unwrapped changeset. Allocates at most the bytes that a payload of this length can produce.
  package func unwrapped() throws(Failure) -> [UInt8] {
    try wrapper.checkSize()
    let byteCount = wrapper.byteCount
    switch wrapper.algorithm {
    case .none:
      guard payload.count == byteCount else {
        throw .damaged("\(payload.count) bytes are stored, expected \(byteCount)")
      }
      return payload.bytes
    case .deflate:
      guard let bytes = payload.inflated(byteCount: byteCount) else {
        throw .damaged(
          "the compressed bytes do not unpack to \(byteCount) bytes with the right checksum")
      }
      return bytes
    case .lzfse: throw .unsupported("a changeset compressed with LZFSE cannot be checked")
    }
  }
}

extension StoredChangeset {
  /// The stored form of a changeset, uncompressed so that clients on all systems can read it; nil for an empty
  /// changeset.
  static func wrap(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var size: [UInt8] = []
    var rest = bytes.count
    while rest > 0 {
      size.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    return [UInt8(size.count)] + size + bytes
  }
}
