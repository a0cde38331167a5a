/// The eight bytes at the start of every node (chapter 2, section 1.1).
///
/// ```
/// byte 0–3  filler, never interpreted
/// byte 4    bit 7 inner · bit 6 hasRefs · bit 5 context · bits 4–3 width type · bits 2–0 width code
/// byte 5–7  element count, big-endian
/// ```
@usableFromInline
package struct NodeHeader: Equatable, Sendable {
  /// Size of the header itself in bytes.
  @usableFromInline
  package static let byteCount = 8

  /// How the size of the payload depends on width and count (chapter 2, section 1.2).
  @usableFromInline
  package enum WidthType: UInt8, Sendable {
    /// `width` bits per element: integers and refs.
    case bits = 0
    /// `width` bytes per element: floats, short strings, identifiers.
    case multiply = 1
    /// One byte per element, independent of the width: blobs.
    case ignore = 2
  }

  /// Byte 4 as stored.
  @usableFromInline
  package let flags: UInt8
  /// 0, 1, 2, 4, 8, 16, 32 or 64 bits or bytes, depending on the width type. Always 0 for blobs, because an
  /// element of the stored width could lie past the payload.
  @usableFromInline
  package let width: Int
  /// The most elements of a node.
  package static let elementLimit = 0xFF_FFFF
  /// Number of elements, at most ``elementLimit``.
  @usableFromInline
  package let count: Int

  @usableFromInline
  package var isInner: Bool { flags & 0x80 != 0 }
  @usableFromInline
  package var hasRefs: Bool { flags & 0x40 != 0 }
  @usableFromInline
  package var hasContext: Bool { flags & 0x20 != 0 }
  @usableFromInline
  package var widthType: WidthType { WidthType(rawValue: flags >> 3 & 3) ?? .bits }

  /// Decodes a header from its eight bytes, given as a little-endian number.
  ///
  /// - Returns: nil for width type 3, which no format up to 24 uses, and for contradicting flags:
  ///   an inner node without refs, or refs whose width is not in bits (chapter 2, rule N2).
  @inline(__always)
  package init?(word: UInt64) {
    let flags = UInt8(truncatingIfNeeded: word >> 32)
    let type = flags & 0x18
    guard type != 0x18, flags & 0xC0 != 0x80, flags & 0x40 == 0 || type == 0 else { return nil }
    self.flags = flags
    width = type == 0x10 ? 0 : (1 << Int(flags & 7)) >> 1
    count = Int(UInt32(truncatingIfNeeded: word >> 32).byteSwapped & 0xFF_FFFF)
  }

  /// Bytes of the payload, without padding: at most 0xFFFFFF · 64, so nothing here overflows.
  @usableFromInline
  package var payloadByteCount: Int {
    switch widthType {
    case .bits: (count &* width &+ 7) >> 3
    case .multiply: count &* width
    case .ignore: count
    }
  }

  /// Bytes of the node in the file: header and payload, padded to a multiple of 8.
  @inlinable
  package var nodeByteCount: Int {
    NodeHeader.byteCount + (payloadByteCount + 7) & ~7
  }
}

extension NodeHeader {
  /// The number and kind of the elements, for messages: "12 integers of 8 bits".
  package var form: String {
    func counted(_ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
    if isInner { return "\(counted("ref")) of an inner node" }
    if hasRefs { return counted("ref") }
    return switch widthType {
    case .bits: "\(counted("integer")) of \(width) bits"
    case .multiply: "\(counted("value")) of \(width) bytes"
    case .ignore: counted("byte")
    }
  }
}
