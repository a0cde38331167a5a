package import RealmStorage

/// Whether realm-core's query serialiser prints the single byte `byte` between quotes: letters,
/// digits, space and all other ASCII characters except the two quotes and the backslash.
@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x27 && byte != 0x5C
}

/// Number of bytes of the sequence that starts with `lead`, by its highest bits alone. The
/// sequences of five and six bytes of original UTF-8 count too; a continuation byte counts as a
/// sequence of one byte.
@inline(__always)
private func sequenceLength(lead: UInt8) -> Int {
  switch lead {
  case 0xC0...0xDF: 2
  case 0xE0...0xEF: 3
  case 0xF0...0xF7: 4
  case 0xF8...0xFB: 5
  case 0xFC...0xFD: 6
  default: 1
  }
}

extension TextBuffer {
  /// Appends a dictionary key in the JSON format of realm-core (chapter 6, section 1.4 "Dictionary
  /// keys"): `"key"`, or `B64"…"` if a character is not printable by its rules.
  ///
  /// The rules do not require valid UTF-8: in a longer sequence, only the highest bit of each byte
  /// after the first counts. An empty key is `""`.
  package mutating func append(coreKey key: ByteSlice) {
    if TextBuffer.isPrintableByCore(key) {
      append(0x22)
      append(key)
    } else {
      append("B64\"")
      append(base64: key)
    }
    append(0x22)
  }

  /// Whether ``append(coreKey:)`` prints `key` unchanged.
  private static func isPrintableByCore(_ key: ByteSlice) -> Bool {
    var position = 0
    while position < key.count {
      let lead = key[position]
      let length = sequenceLength(lead: lead)
      if length == 1 {
        guard isPlain(lead) else { return false }
      } else {
        guard length <= key.count - position else { return false }
        for offset in 1..<length where key[position + offset] < 0x80 { return false }
      }
      position += length
    }
    return true
  }
}
