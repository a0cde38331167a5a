package import RealmStorage

/// A changeset as stored in a client history of schema version 12: wrapped, and compressed if that
/// makes it smaller (chapter 4, section 2.4).
///
/// ```
/// byte 0      high nibble: algorithm · low nibble: number w of size bytes, 1…8
/// bytes 1…w   uncompressed size, little-endian
/// rest        payload
/// ```
package struct StoredChangeset: Sendable {
  /// How the payload is compressed.
  package enum Algorithm: Int, Sendable {
    case none = 0
    /// A zlib stream without its header.
    case deflate = 1
    /// Written and read on Apple's platforms only.
    case lzfse = 2
  }

  /// Why a changeset cannot be unwrapped.
  package enum Failure: Error, Equatable, Sendable {
    /// The wrapper contradicts itself or the payload; the text says how.
    case damaged(String)
    /// There is no decoder for the changeset, or it is too large; it may be correct.
    case unsupported(String)
  }

  /// The most bytes of a changeset that are unpacked: a server takes less at once.
  package static let sizeLimit = 16 << 20

  /// The bytes in front of the payload, decoded.
  struct Wrapper {
    /// The most bytes that a wrapper has.
    static let byteLimit = earlyByteCount
    private static let earlyByteCount = 10

    let algorithm: Algorithm
    /// Size of the uncompressed changeset in bytes.
    let byteCount: Int
    let isEarly: Bool
    /// Bytes in front of the payload.
    let headerByteCount: Int
    /// Bytes of the whole value.
    private let storedByteCount: Int

    /// - Parameters:
    ///   - start: the first ``byteLimit`` bytes of the value, or all of a shorter one.
    ///   - count: number of bytes of the value.
    /// - Throws: ``Failure/damaged(_:)`` if there is no valid wrapper.
    init(_ start: ByteSlice, count: Int) throws(Failure) {
      guard count > 0 else { throw .damaged("the wrapper is empty") }
      // A wrapper of a released build that starts with these bytes cannot have the size that it
      // states.
      if count >= Wrapper.earlyByteCount,
        start.littleEndian(at: 0) == UInt64(count - Wrapper.earlyByteCount), start[8] == 0,
        start[9] == 0
      {
        (algorithm, isEarly) = (.none, true)
        headerByteCount = Wrapper.earlyByteCount
        storedByteCount = count
        byteCount = count - Wrapper.earlyByteCount
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
      storedByteCount = count
    }

    /// - Throws: ``Failure/unsupported(_:)`` for a changeset that is too large to unpack.
    func checkSize() throws(Failure) {
      // Compression adds a few bytes to what it cannot make smaller.
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

  package var algorithm: Algorithm { wrapper.algorithm }
  /// Size of the uncompressed changeset in bytes, from the wrapper.
  package var byteCount: Int { wrapper.byteCount }
  /// True for the wrapper of builds before the first release with schema version 12, which released
  /// builds cannot read: eight bytes of size, two zeros, then the changeset.
  package var isEarly: Bool { wrapper.isEarly }

  /// - Parameter value: not empty; an empty changeset is stored without a wrapper.
  /// - Throws: ``Failure/damaged(_:)`` if it has no valid wrapper.
  package init(_ value: ByteSlice) throws(Failure) {
    wrapper = try Wrapper(value, count: value.count)
    payload = value.part(wrapper.headerByteCount..<value.count)
  }

  /// The unwrapped changeset.
  ///
  /// - Throws: ``Failure``. Allocates at most what a payload of this length can hold.
  package func unwrapped() throws(Failure) -> [UInt8] {
    try wrapper.checkSize()
    switch algorithm {
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
