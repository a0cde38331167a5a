/// Encodes nodes of packed integers (chapter 2, sections 1.1 and 2.1).
package enum NodeEncoder {
  /// Flags of a node with refs.
  package static let hasRefs: UInt8 = 0x40
  /// The context flag; its meaning depends on the kind of node (chapter 2, section 1.1).
  package static let hasContext: UInt8 = 0x20
  /// Flag of an inner node of a tree.
  package static let isInner: UInt8 = 0x80
  /// The bits of the flags that say what kind of node it is: all but width type and width code.
  static let kindMask: UInt8 = 0xE0
  /// The first four bytes of a node as the reference writes them: `AAAA`.
  static let filler: UInt32 = 0x4141_4141

  /// The bytes of a node with the elements `values`.
  ///
  /// - Parameters:
  ///   - kind: the flags inner, hasRefs and context.
  ///   - values: at most 0xFFFFFF.
  ///   - code: the code of a width that holds all values; nil for the smallest one.
  package static func integers(
    kind: UInt8 = 0, _ values: [Int64], widthCode code: UInt8? = nil
  ) -> [UInt8] {
    unsafe values.withUnsafeBufferPointer { values in
      let code = unsafe code ?? widthCode(of: values)
      let size = byteCount(of: values.count, widthCode: code)
      return unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, initialized in
        guard let start = bytes.baseAddress else { return }
        unsafe encode(kind: kind, values, widthCode: code, into: UnsafeMutableRawPointer(start))
        initialized = size
      }
    }
  }

  /// Like ``widthCode(of:)-(UnsafeBufferPointer<Int64>)``.
  package static func widthCode(of values: [Int64]) -> UInt8 {
    unsafe values.withUnsafeBufferPointer { unsafe widthCode(of: $0) }
  }

  /// The code, 0 to 7, of the smallest width that holds all `values`. Widths up to 4 bits are unsigned.
  static func widthCode(of values: UnsafeBufferPointer<Int64>) -> UInt8 {
    // The bitwise or of all values needs as many bits as the largest one.
    var (bits, signs): (Int64, Int64) = (0, 0)
    for i in 0..<values.count {
      let value = unsafe values[i]
      bits |= value ^ (value >> 63)
      signs |= value
    }
    if signs >= 0, bits < 16 { return bits < 2 ? UInt8(bits) : bits < 4 ? 2 : 3 }
    if bits < 1 << 7 { return 4 }
    if bits < 1 << 15 { return 5 }
    return bits < 1 << 31 ? 6 : 7
  }

  /// Bytes of a node with `count` elements and width code `code`.
  static func byteCount(of count: Int, widthCode code: UInt8) -> Int {
    // Counts are below 2²⁴, so nothing overflows.
    NodeHeader.byteCount + ((count * ((1 << Int(code)) >> 1) + 7) / 8 + 7) & ~7
  }

  /// Writes a node with the elements `values` to `place`, which must have room for
  /// ``byteCount(of:widthCode:)`` bytes.
  ///
  /// - Parameter code: the code of a width that holds all values.
  @unsafe
  static func encode(
    kind: UInt8, _ values: UnsafeBufferPointer<Int64>, widthCode code: UInt8,
    into place: UnsafeMutableRawPointer
  ) {
    let count = values.count
    precondition(count <= 0xFF_FFFF, "a node has at most 2²⁴ − 1 elements")
    let word =
      UInt64(filler) | UInt64(kind & kindMask | code) << 32
      | UInt64(UInt32(count).byteSwapped >> 8) << 40
    let size = byteCount(of: count, widthCode: code)
    // Cleared because the values may not fill the last word. In a node without payload it is the header.
    unsafe place.storeBytes(of: 0, toByteOffset: size &- 8, as: UInt64.self)
    unsafe place.storeBytes(of: word.littleEndian, as: UInt64.self)
    let out = unsafe place + NodeHeader.byteCount
    switch code {
    // Zeros have no payload.
    case 0: break
    case 1...3:
      let bits = (1 << Int(code)) >> 1
      unsafe out.initializeMemory(as: UInt8.self, repeating: 0, count: size &- NodeHeader.byteCount)
      for i in 0..<count {
        let bit = i &* bits
        let byte = unsafe out.load(fromByteOffset: bit &>> 3, as: UInt8.self)
        let value = unsafe UInt8(truncatingIfNeeded: values[i]) << UInt8(bit & 7)
        unsafe out.storeBytes(of: byte | value, toByteOffset: bit &>> 3, as: UInt8.self)
      }
    case 4:
      for i in 0..<count {
        unsafe out.storeBytes(
          of: UInt8(truncatingIfNeeded: values[i]), toByteOffset: i, as: UInt8.self)
      }
    case 5:
      for i in 0..<count {
        unsafe out.storeBytes(
          of: Int16(truncatingIfNeeded: values[i]).littleEndian, toByteOffset: i &* 2,
          as: Int16.self)
      }
    case 6:
      for i in 0..<count {
        unsafe out.storeBytes(
          of: Int32(truncatingIfNeeded: values[i]).littleEndian, toByteOffset: i &* 4,
          as: Int32.self)
      }
    default:
      for i in 0..<count {
        unsafe out.storeBytes(of: values[i].littleEndian, toByteOffset: i &* 8, as: Int64.self)
      }
    }
  }
}
