/// Makes nodes of packed integers (chapter 2, sections 1.1 and 2.1).
package enum NodeEncoder {
  /// Flags of a node with refs.
  package static let hasRefs: UInt8 = 0x40
  /// Bits of the flags that say what a node is, without those of its elements' form.
  static let kindMask: UInt8 = 0xE0
  /// What the reference writes in the first four bytes of a node.
  static let filler: [UInt8] = Array("AAAA".utf8)

  /// A node of `values` at the smallest width that holds all of them.
  ///
  /// - Parameters:
  ///   - kind: inner, hasRefs and context bits.
  ///   - values: at most 0xFFFFFF.
  package static func integers(kind: UInt8 = 0, _ values: [Int64]) -> [UInt8] {
    var bytes: [UInt8] = []
    encode(kind: kind, values[...], into: &bytes)
    return bytes
  }

  /// Width code, 0 to 7, of the smallest width that holds `value`: up to 4 bits without sign.
  static func widthCode(of value: Int64) -> UInt8 {
    if value >= 0, value < 16 { return value < 2 ? UInt8(value) : value < 4 ? 2 : 3 }
    let magnitude = value < 0 ? ~value : value
    if magnitude < 1 << 7 { return 4 }
    if magnitude < 1 << 15 { return 5 }
    return magnitude < 1 << 31 ? 6 : 7
  }

  /// Bytes of a node of `count` elements of the width with `code`.
  static func byteCount(of count: Int, widthCode code: UInt8) -> Int {
    // Counts are below 2²⁴.
    NodeHeader.byteCount + ((count * ((1 << Int(code)) >> 1) + 7) / 8 + 7) & ~7
  }

  /// As ``integers(kind:_:)``, into a buffer whose content it replaces.
  static func encode(kind: UInt8, _ values: ArraySlice<Int64>, into bytes: inout [UInt8]) {
    var code: UInt8 = 0
    for value in values { code = max(code, widthCode(of: value)) }
    encode(kind: kind, values, widthCode: code, into: &bytes)
  }

  /// - Parameter code: of a width that holds all values.
  static func encode(
    kind: UInt8, _ values: ArraySlice<Int64>, widthCode code: UInt8, into bytes: inout [UInt8]
  ) {
    let count = values.count
    precondition(count <= 0xFF_FFFF, "a node has at most 2²⁴ − 1 elements")
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: filler)
    bytes.append(kind & kindMask | code)
    bytes.append(UInt8(truncatingIfNeeded: count >> 16))
    bytes.append(UInt8(truncatingIfNeeded: count >> 8))
    bytes.append(UInt8(truncatingIfNeeded: count))
    let size = byteCount(of: count, widthCode: code)
    bytes.append(contentsOf: repeatElement(0, count: size - NodeHeader.byteCount))
    unsafe bytes.withUnsafeMutableBytes { out in
      var place = NodeHeader.byteCount
      switch code {
      case 0: break
      case 1...3:
        let bits = (1 << Int(code)) >> 1
        for (i, value) in values.enumerated() {
          let bit = i &* bits
          unsafe out[place &+ bit >> 3] |= UInt8(truncatingIfNeeded: value) << UInt8(bit & 7)
        }
      case 4:
        for value in values {
          unsafe out[place] = UInt8(truncatingIfNeeded: value)
          place &+= 1
        }
      case 5:
        for value in values {
          unsafe out.storeBytes(
            of: Int16(truncatingIfNeeded: value).littleEndian, toByteOffset: place, as: Int16.self)
          place &+= 2
        }
      case 6:
        for value in values {
          unsafe out.storeBytes(
            of: Int32(truncatingIfNeeded: value).littleEndian, toByteOffset: place, as: Int32.self)
          place &+= 4
        }
      default:
        for value in values {
          unsafe out.storeBytes(of: value.littleEndian, toByteOffset: place, as: Int64.self)
          place &+= 8
        }
      }
    }
  }
}
