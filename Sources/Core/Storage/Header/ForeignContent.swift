/// What a file that is not a realm may be instead, told by its first bytes: a person who mixed up
/// two files sees it at once.
enum ForeignContent {
  /// First bytes of files that are taken for realms by mistake.
  private static let signatures: [(start: [UInt8], name: String)] = [
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x1F, 0x8B], "gzip-compressed data"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd-compressed data"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz-compressed data"),
    (Array("7z\u{BC}".unicodeScalars.map { UInt8($0.value) }), "a 7z archive"),
    (Array("SQLite format 3".utf8), "an SQLite database"),
    (Array("bplist00".utf8), "a binary property list"),
    (Array("version https://git-lfs".utf8), "a pointer of Git LFS to a file that was not fetched"),
  ]

  /// A few words for what `start` begins, or nil where it tells nothing.
  ///
  /// - Parameters:
  ///   - start: the first bytes of the file, 24 or more where it has them.
  ///   - size: bytes of the whole file.
  static func name(start: [UInt8], size: Int) -> String? {
    if let known = signatures.first(where: { start.starts(with: $0.start) }) { return known.name }
    if start.allSatisfy({ $0 == 0 }) { return "it starts with nothing but zeros" }
    let isText = start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    if isText, String(validating: start, as: UTF8.self) != nil { return "text" }
    // A header has this much, and nothing shorter can be told apart.
    if size < FileHeader.byteCount { return "it has \(size) bytes; a realm has at least 24" }
    return nil
  }
}
