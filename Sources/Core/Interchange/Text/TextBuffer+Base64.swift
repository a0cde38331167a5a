package import RealmStorage

/// The letters of RFC 4648, section 4, for each twelve bits: the first letter in the lower byte.
private let base64Pairs: [UInt16] = {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  return (0..<4096).map { UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8 }
}()

extension TextBuffer {
  /// Appends `bytes` in base64 with padding and without line breaks (chapter 6, section 1.3
  /// "Base64").
  package mutating func append(base64 bytes: ByteSlice) {
    let length = (bytes.count + 2) / 3 * 4
    let target = unsafe room(for: length)
    unsafe base64Pairs.withUnsafeBufferPointer { pairs in
      /// The letters of 24 bits, the first in the lowest byte.
      @inline(__always)
      func letters(_ group: UInt32) -> UInt32 {
        // Twelve bits are below the number of pairs.
        let first = unsafe pairs[Int(group &>> 12 & 0xFFF)]
        return unsafe UInt32(first) | UInt32(pairs[Int(group & 0xFFF)]) << 16
      }
      /// The byte at `offset`, which the loops below keep in range.
      @inline(__always)
      func byte(_ offset: Int) -> UInt32 {
        unsafe UInt32(bytes.start.load(fromByteOffset: offset, as: UInt8.self))
      }

      // Four bytes are written for each three bytes read, and for the remaining ones: `length` in
      // total.
      var (position, written) = (0, 0)
      while bytes.count &- position >= 3 {
        let group = byte(position) << 16 | byte(position &+ 1) << 8 | byte(position &+ 2)
        unsafe target.storeBytes(
          of: letters(group).littleEndian, toByteOffset: written, as: UInt32.self)
        position &+= 3
        written &+= 4
      }
      let rest = bytes.count &- position
      guard rest > 0 else { return }
      let group = byte(position) << 16 | (rest == 2 ? byte(position &+ 1) << 8 : 0)
      // An equals sign for each missing byte.
      let padding: UInt32 = rest == 2 ? 0x3D00_0000 : 0x3D3D_0000
      let known: UInt32 = rest == 2 ? 0x00FF_FFFF : 0x0000_FFFF
      unsafe target.storeBytes(
        of: (letters(group) & known | padding).littleEndian, toByteOffset: written, as: UInt32.self)
    }
    unsafe didWrite(length)
  }

  /// Appends `bytes` in base64.
  package mutating func append(base64 bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      let slice = unsafe ByteSlice(start: start, count: buffer.count)
      append(base64: slice)
    }
  }
}
