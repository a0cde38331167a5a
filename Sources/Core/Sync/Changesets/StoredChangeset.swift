public import RealmStorage

/// A changeset as stored in a client history of schema version 12: wrapped, and compressed if that
/// makes it smaller (chapter 4, section 2.4).
///
/// ```
/// byte 0      high nibble: algorithm · low nibble: number w of size bytes, 1…8
/// bytes 1…w   uncompressed size, little-endian
/// rest        payload
/// ```
public struct StoredChangeset: Sendable {
  /// How the payload is compressed.
  public enum Algorithm: Int, Sendable {
    case none = 0
    /// A zlib stream without its header.
    case deflate = 1
    /// Written and read on Apple's platforms only.
    case lzfse = 2
  }

  /// Why a changeset cannot be unwrapped.
  public enum Failure: Error, Equatable, Sendable {
    /// The wrapper contradicts itself or the payload; the text says how.
    case damaged(String)
    /// There is no decoder for the changeset, or it is too large; it may be correct.
    case unsupported(String)
  }

  /// Maximum size of an unwrapped changeset: servers accept 16 MiB at once.
  public static let sizeLimit = 256 << 20

  public let algorithm: Algorithm
  /// Size of the uncompressed changeset in bytes, from the wrapper.
  public let byteCount: Int
  /// True for the wrapper of builds before the first release with schema version 12, which released
  /// builds cannot read: eight bytes of size, two zeros, then the changeset.
  public let isEarly: Bool
  private let payload: ByteSlice

  private static let earlyHeaderByteCount = 10

  /// - Parameter value: not empty; an empty changeset is stored without a wrapper.
  /// - Throws: ``Failure/damaged(_:)`` if it has no valid wrapper.
  public init(_ value: ByteSlice) throws(Failure) {
    guard !value.isEmpty else { throw .damaged("the wrapper is empty") }
    // A wrapper of a released build that starts with these bytes cannot have the size that it
    // states.
    if value.count >= StoredChangeset.earlyHeaderByteCount,
      value.littleEndian(at: 0) == UInt64(value.count - StoredChangeset.earlyHeaderByteCount),
      value[8] == 0, value[9] == 0
    {
      (algorithm, isEarly) = (.none, true)
      payload = value.part(StoredChangeset.earlyHeaderByteCount..<value.count)
      byteCount = payload.count
      return
    }
    let sizeBytes = Int(value[0] & 0x0F)
    guard let algorithm = Algorithm(rawValue: Int(value[0] >> 4)) else {
      throw .damaged("compression \(value[0] >> 4) is unknown")
    }
    guard (1...8).contains(sizeBytes), value.count > sizeBytes else {
      throw .damaged("the size takes \(sizeBytes) bytes, and the changeset has \(value.count)")
    }
    var size: UInt64 = 0
    for i in (1...sizeBytes).reversed() { size = size << 8 | UInt64(value[i]) }
    guard let byteCount = Int(exactly: size) else { throw .damaged("the size is too large") }
    self.algorithm = algorithm
    self.byteCount = byteCount
    isEarly = false
    payload = value.part(1 + sizeBytes..<value.count)
  }

  /// The unwrapped changeset.
  ///
  /// - Throws: ``Failure``. Allocates at most what a payload of this length can hold.
  public func unwrapped() throws(Failure) -> [UInt8] {
    switch algorithm {
    case .none:
      guard payload.count == byteCount else {
        throw .damaged("\(payload.count) bytes are stored, expected \(byteCount)")
      }
      return payload.bytes
    case .deflate:
      guard byteCount <= StoredChangeset.sizeLimit else {
        throw .unsupported("a changeset of \(byteCount) bytes is too large to check")
      }
      guard let bytes = payload.inflated(byteCount: byteCount) else {
        throw .damaged(
          "the compressed bytes do not unpack to \(byteCount) bytes with the right checksum")
      }
      return bytes
    case .lzfse: throw .unsupported("a changeset compressed with LZFSE cannot be checked")
    }
  }
}
