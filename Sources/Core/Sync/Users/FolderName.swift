/// The escaping that the libraries use for the names of folders and files of users, apps and realms: every byte
/// except letters, digits, `-`, `_` and `.` becomes `%` and two hexadecimal digits (chapter 4, section 7.1).
package enum FolderName {
  private static let plain = Set("-_.".utf8)

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: plain.contains(byte)
    }
  }

  /// The file name for `string`; nil for `.` and `..`, which the libraries refuse.
  package static func escaped(_ string: String) -> String? {
    guard string != ".", string != ".." else { return nil }
    var name = ""
    for byte in string.utf8 {
      if isPlain(byte) {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        // The libraries pad with a space, not with a zero.
        name += "%" + (digits.utf8.count < 2 ? " " : "") + digits
      }
    }
    return name
  }

  /// The string that ``escaped(_:)`` turns into `name`; nil if there is none.
  package static func unescaped(_ name: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        guard isPlain(byte) else { return nil }
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2 else { return nil }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self).drop { $0 == " " }
      // Checked, because the initializer accepts signs.
      guard digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
