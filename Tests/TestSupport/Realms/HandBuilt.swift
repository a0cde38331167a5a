/// A node by hand, from the byte layout of the format and not by our encoder: filler, flags, count and
/// payload, padded with zeros to a multiple of 8.
///
/// - Parameters:
///   - flags: byte 4; its three lowest bits are the width code.
///   - count: number of elements, independent of the payload.
public func node(flags: UInt8, count: Int, _ payload: [UInt8] = []) -> [UInt8] {
  let size = [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
  return Array("AAAA".utf8) + [flags] + size + payload
    + Array(repeating: 0, count: -payload.count & 7)
}

/// The bytes of a realm in normal form: a header and a body.
///
/// - Parameters:
///   - top: the top ref of the live slot.
///   - other: the top ref of the other slot.
///   - formats: the format bytes of slots 0 and 1.
///   - selected: the live slot, 0 or 1.
public func realmBytes(
  top: Int, other: Int = 0, formats: (UInt8, UInt8) = (24, 24), selected: UInt8 = 0,
  body: [UInt8] = []
) -> [UInt8] {
  let slots = selected == 0 ? [top, other] : [other, top]
  return slots.flatMap { littleEndianBytes($0, count: 8) } + Array("T-DB".utf8)
    + [formats.0, formats.1, 0, selected] + body
}

/// `value` as `count` bytes, the lowest first.
public func littleEndianBytes(_ value: Int, count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// The bytes of a string of hexadecimal digits; other characters are skipped.
public func hexadecimalBytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}
