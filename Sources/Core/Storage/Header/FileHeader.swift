/// The header of a realm, its first 24 bytes; and in streaming form the footer, its last 16 (chapter 1,
/// section 1).
///
/// ```
/// offset  size  field
///   0       8   top ref, slot 0; all ones in streaming form
///   8       8   top ref, slot 1
///  16       4   mnemonic "T-DB"
///  20       2   file format of slot 0, of slot 1
///  22       1   reserved
///  23       1   flags; bit 0 selects the live slot
/// ```
@usableFromInline
package struct FileHeader: Equatable, Sendable {
  @inlinable package static var byteCount: Int { 24 }
  /// Bytes of the footer of a file in streaming form: top ref and cookie.
  package static let footerByteCount = 16
  /// "T-DB", behind both top refs.
  static let mnemonic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
  /// Offset of the mnemonic.
  static let mnemonicOffset = 16
  /// The last eight bytes of a file in streaming form.
  package static let cookie: UInt64 = 0x3034_1252_37E5_26C8
  /// The value of slot 0 in streaming form.
  package static let streamingMark = UInt64.max

  /// The 24 bytes.
  package let bytes: [UInt8]
  /// Both top refs as stored; in streaming form, slot 0 holds ``streamingMark``.
  package let slots: [UInt64]
  /// The index of the live slot: 0 or 1.
  package let selected: Int

  /// Decodes the 24 bytes of a header whose mnemonic has been checked.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
    slots = [littleEndian(bytes[0..<8]), littleEndian(bytes[8..<16])]
    selected = Int(bytes[23] & 1)
  }

  /// Whether the file is in streaming form: the top ref is in the footer (section 1.5).
  package var isStreaming: Bool { selected == 0 && slots[0] == FileHeader.streamingMark }

  /// The format byte of slot `slot`.
  package func format(ofSlot slot: Int) -> Int { Int(bytes[20 + slot]) }

  /// The format byte of the live slot; 0 is valid only with top ref 0.
  package var format: Int { format(ofSlot: selected) }

  /// Whether `bytes` are at least 24 and have the mnemonic of a realm.
  package static func hasMnemonic(_ bytes: [UInt8]) -> Bool {
    bytes.count >= byteCount && Array(bytes[16..<20]) == mnemonic
  }

  /// Reads the header of a realm and checks rows 4 and 6 of section 1.3.
  ///
  /// - Throws: `notARealm`, `truncated`.
  init(in source: ByteSource) throws(RealmFileError) {
    let start = try source.copy(at: 0, count: min(source.count, FileHeader.byteCount))
    try self.init(start: start, size: source.count)
  }

  /// Like ``init(in:)``.
  ///
  /// - Parameters:
  ///   - start: the first 24 bytes of the data, or all of it if there are fewer.
  ///   - size: bytes of data.
  init(start: [UInt8], size: Int) throws(RealmFileError) {
    guard start.count >= 20, Array(start[16..<20]) == FileHeader.mnemonic else {
      throw RealmFileError(.notARealm, found: ForeignContent.name(start: start, size: size))
    }
    guard start.count >= FileHeader.byteCount else {
      throw RealmFileError(.truncated(missingBytes: FileHeader.byteCount - start.count))
    }
    self.init(bytes: start)
  }

  /// The ref of the top array of the live slot; 0 for a realm without any commit. Checks rows 7 to
  /// 10 of section 1.3.
  ///
  /// - Throws: `truncated` or `damagedHeader`.
  func locateTop(in source: ByteSource) throws(RealmFileError) -> Ref {
    let footerStart = source.count - FileHeader.footerByteCount
    let footer =
      isStreaming && footerStart >= FileHeader.byteCount
      ? try source.copy(at: footerStart, count: FileHeader.footerByteCount) : []
    return try locateTop(footer: footer, size: source.count)
  }

  /// Like ``locateTop(in:)``.
  ///
  /// - Parameters:
  ///   - footer: the last 16 bytes of a file in streaming form; empty if the file is too short.
  ///   - size: bytes of data.
  func locateTop(footer: [UInt8], size: Int) throws(RealmFileError) -> Ref {
    guard isStreaming else {
      return try FileHeader.checked(slots[selected], size: size, at: selected * 8)
    }
    guard footer.count == FileHeader.footerByteCount else {
      let least = FileHeader.byteCount + FileHeader.footerByteCount
      throw RealmFileError(.truncated(missingBytes: max(1, least - size)), offset: size)
    }
    guard littleEndian(footer[8...]) == FileHeader.cookie else {
      throw RealmFileError(.truncated(missingBytes: nil), offset: size - 8)
    }
    return try FileHeader.checked(
      littleEndian(footer[..<8]), size: size, at: size - FileHeader.footerByteCount)
  }

  /// The file format of slot `slot`, if it can be read (section 1.3, row 15). Checked before the top array is
  /// read, because unknown formats may have another one.
  ///
  /// - Throws: `oldFormat`, `newerFormat`, or `damagedHeader` for a format that never existed.
  package func readableFormat(ofSlot slot: Int) throws(RealmFileError) -> FileFormat {
    let format = format(ofSlot: slot)
    if let known = FileFormat(format) { return known }
    let offset = 20 + slot
    switch format {
    case ..<FileFormat.legacyNumbers.lowerBound:
      throw RealmFileError(.oldFormat(format), offset: offset)
    case (FileFormat.current.number + 1)...:
      throw RealmFileError(.newerFormat(format), offset: offset)
    default:
      throw RealmFileError(.damagedHeader("file format \(format) never existed"), offset: offset)
    }
  }

  /// The ref of the top array of the slot that is not live.
  ///
  /// - Throws: `noPreviousVersion` if that slot has no top ref.
  package func locatePreviousTop(size: Int) throws(RealmFileError) -> Ref {
    let raw = slots[1 - selected]
    guard !isStreaming, raw != 0, raw != FileHeader.streamingMark, raw & 7 == 0,
      let ref = Int(exactly: raw), ref >= FileHeader.byteCount, ref < size
    else { throw RealmFileError(.noPreviousVersion) }
    return ref
  }

  /// A top ref as an offset in the file, checked.
  private static func checked(
    _ raw: UInt64, size: Int, at offset: Int
  ) throws(RealmFileError) -> Ref {
    guard raw & 7 == 0 else {
      throw RealmFileError(
        .damagedHeader("the top ref is \(raw), expected a multiple of 8"), offset: offset)
    }
    guard let ref = Int(exactly: raw) else {
      throw RealmFileError(
        .damagedHeader("the top ref is \(raw), expected less than 2⁶³"), offset: offset)
    }
    guard ref == 0 || ref >= byteCount else {
      throw RealmFileError(
        .damagedHeader("the top ref is \(ref), expected at least \(byteCount)"), offset: offset)
    }
    guard ref < size else {
      // The top array takes at least 8 bytes from the ref on. Refs are below 2⁶³, so nothing overflows.
      throw RealmFileError(.truncated(missingBytes: ref - size + 8), offset: offset)
    }
    return ref
  }
}

extension FileHeader {
  /// The 24 bytes of a new header: slot 0 has the top ref `top` and is live (chapter 1, section 1.1).
  package static func encode(top: UInt64, format: Int) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: 0) + mnemonic + [UInt8(format), 0, 0, 0]
  }

  /// The 16 bytes of the footer of a new file in streaming form (section 1.5).
  static func encodeFooter(top: UInt64) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: cookie)
  }
}
