import RealmStorage

/// Bytes as lines of an offset, sixteen pairs of digits, and the characters.
enum HexView {
  private static let width = 16

  /// The bytes in `range`, which must lie inside of `bytes`.
  static func text(_ bytes: ByteSlice, _ range: Range<Int>) -> String {
    stride(from: range.lowerBound, to: range.upperBound, by: width).map { start in
      let line = bytes.part(start..<min(start + width, range.upperBound)).bytes
      let offset = String(start, radix: 16)
      let digits = line.map { [$0].hexadecimal }.joined(separator: " ")
      let characters = line.map { 0x20..<0x7F ~= $0 ? String(UnicodeScalar($0)) : "·" }.joined()
      return String(repeating: "0", count: max(0, 8 - offset.count)) + offset + "  " + digits
        + String(repeating: " ", count: 3 * (width - line.count) + 2) + characters
    }.joined(separator: "\n")
  }
}

/// The kinds of pictures that every browser shows, by their first bytes.
enum PictureType: String {
  case jpeg, png, gif, webp

  /// Nil for bytes that are no such picture.
  init?(_ bytes: ByteSlice) {
    let start = bytes.part(0..<min(12, bytes.count)).bytes
    if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if start.starts(with: Array("RIFF".utf8)), start.count == 12,
      start[8...].elementsEqual("WEBP".utf8)
    {
      self = .webp
    } else {
      return nil
    }
  }

  var contentType: String { "image/\(rawValue)" }
}
