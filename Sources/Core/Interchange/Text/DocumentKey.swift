/// Dictionary keys in MongoDB documents.
///
/// A `$` at the start and a `.` have a special meaning there. They become `%24` and `%2E`, as the Realm SDKs
/// ask apps to do. A `%` before the same digits becomes `%25`, so that no two keys become the same.
enum DocumentKey {
  private static let (percent, dollar, point) = (
    UInt8(ascii: "%"), UInt8(ascii: "$"), UInt8(ascii: ".")
  )

  /// The character of the two digits after a `%`; nil if they are no escape.
  private static func byte(_ digits: (UInt8, UInt8)) -> UInt8? {
    guard digits.0 == UInt8(ascii: "2") else { return nil }
    return switch digits.1 {
    case UInt8(ascii: "4"): dollar
    case UInt8(ascii: "5"): percent
    case UInt8(ascii: "E"): point
    default: nil
    }
  }

  /// The key with its escapes; nil if it needs none.
  static func escaped(_ key: [UInt8]) -> [UInt8]? {
    var (escaped, isChanged): ([UInt8], Bool) = ([], false)
    for (i, byte) in key.enumerated() {
      let escape: String? =
        switch byte {
        case dollar where i == 0: "%24"
        case point: "%2E"
        case percent where i + 2 < key.count && DocumentKey.byte((key[i + 1], key[i + 2])) != nil:
          "%25"
        default: nil
        }
      if let escape {
        escaped += escape.utf8
        isChanged = true
      } else {
        escaped.append(byte)
      }
    }
    return isChanged ? escaped : nil
  }

  /// Replaces the escapes in `key` with their characters.
  ///
  /// - Returns: the new number of bytes; the key keeps its start.
  static func unescape(_ key: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard unsafe key.contains(percent) else { return key.count }
    var (position, count) = (0, 0)
    while position < key.count {
      let next = unsafe key[position]
      var length = 1
      var replacement = next
      if next == percent, position + 2 < key.count,
        let byte = unsafe DocumentKey.byte((key[position + 1], key[position + 2]))
      {
        (replacement, length) = (byte, 3)
      }
      // The key becomes shorter, so the write position is never ahead of the read position.
      unsafe key[count] = replacement
      (position, count) = (position + length, count + 1)
    }
    return count
  }
}
