package import RealmStorage

/// The alphabet of RFC 4648, section 4.
@inline(__always)
private var base64Alphabet: StaticString {
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}

extension TextBuffer {
  /// Appends `bytes` in base64 with padding and without line breaks (chapter 6, section 1.3
  /// "Base64").
  package mutating func append(base64 bytes: ByteSlice) {
    let length = (bytes.count + 2) / 3 * 4
    let alphabet = unsafe base64Alphabet.utf8Start
    var target = unsafe room(for: length)

    /// The letter for the six bits of `group` at a shift.
    @inline(__always)
    func letter(_ group: UInt32, _ shift: UInt32) -> UInt8 {
      unsafe alphabet[Int((group &>> shift) & 63)]
    }
    /// The byte at `offset`, which the loop below keeps in range.
    @inline(__always)
    func byte(_ offset: Int) -> UInt32 {
      unsafe UInt32(bytes.start.load(fromByteOffset: offset, as: UInt8.self))
    }

    var position = 0
    // Four bytes are written for each three bytes read, and for the remaining ones: `length` in
    // total.
    while bytes.count &- position >= 3 {
      let group = byte(position) << 16 | byte(position &+ 1) << 8 | byte(position &+ 2)
      let letters =
        UInt32(letter(group, 18)) | UInt32(letter(group, 12)) << 8
        | UInt32(letter(group, 6)) << 16 | UInt32(letter(group, 0)) << 24
      unsafe target.storeBytes(of: letters.littleEndian, as: UInt32.self)
      unsafe target += 4
      position &+= 3
    }
    let rest = bytes.count &- position
    if rest > 0 {
      let group = byte(position) << 16 | (rest == 2 ? byte(position &+ 1) << 8 : 0)
      unsafe target.storeBytes(of: letter(group, 18), as: UInt8.self)
      unsafe target.storeBytes(of: letter(group, 12), toByteOffset: 1, as: UInt8.self)
      unsafe target.storeBytes(
        of: rest == 2 ? letter(group, 6) : 0x3D, toByteOffset: 2, as: UInt8.self)
      unsafe target.storeBytes(of: 0x3D, toByteOffset: 3, as: UInt8.self)
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
