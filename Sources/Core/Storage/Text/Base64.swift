/// Decodes base64 (RFC 4648, section 4) with padding and without line breaks.
package enum Base64 {
  /// The six bits of each letter; 255 for other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (i, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(i) }
    return values
  }()

  /// The bytes that `letters` encode; nil if they are not base64.
  package static func bytes(_ letters: [UInt8]) -> [UInt8]? {
    var bytes = letters
    let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe decode($0) }
    return count.map { Array(bytes.prefix($0)) }
  }

  /// Decodes base64 in place.
  ///
  /// - Returns: the number of bytes; nil if it is not base64.
  @unsafe
  package static func decode(_ place: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard place.count % 4 == 0 else { return nil }
    guard place.count > 0 else { return 0 }
    let padding =
      unsafe place[place.count - 1] != UInt8(ascii: "=")
      ? 0 : place[place.count - 2] != UInt8(ascii: "=") ? 1 : 2
    var (group, target): (UInt32, Int) = (0, 0)
    for k in 0..<(place.count - padding) {
      let value = values[Int(unsafe place[k])]
      guard value < 64 else { return nil }
      group = group << 6 | UInt32(value)
      // In place: the three bytes end before the next letter to read.
      guard k & 3 == 3 else { continue }
      unsafe place[target] = UInt8(truncatingIfNeeded: group >> 16)
      unsafe place[target + 1] = UInt8(truncatingIfNeeded: group >> 8)
      unsafe place[target + 2] = UInt8(truncatingIfNeeded: group)
      (group, target) = (0, target + 3)
    }
    switch padding {
    case 1:
      guard group & 3 == 0 else { return nil }
      unsafe place[target] = UInt8(truncatingIfNeeded: group >> 10)
      unsafe place[target + 1] = UInt8(truncatingIfNeeded: group >> 2)
      return target + 2
    case 2:
      guard group & 15 == 0 else { return nil }
      unsafe place[target] = UInt8(truncatingIfNeeded: group >> 4)
      return target + 1
    default: return target
    }
  }
}
