/// The 24 bytes at the start of a realm and, in streaming form, the 16 at its end (chapter 1,
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
public struct FileHeader: Equatable, Sendable {
  public static let byteCount = 24
  /// Bytes of the footer that a file in streaming form ends with: top ref and cookie.
  public static let footerByteCount = 16
  /// "T-DB".
  static let mnemonic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
  /// The last eight bytes of a file in streaming form.
  static let cookie: UInt64 = 0x3034_1252_37E5_26C8
  /// What slot 0 holds in streaming form.
  static let streamingMark = UInt64.max
  /// File formats that are read as they are.
  public static let readableFormats: Set<Int> = [10, 11, 20, 21, 22, 23, 24]

  /// The 24 bytes.
  public let bytes: [UInt8]
  /// Both top refs as stored; in streaming form slot 0 is the mark.
  let slots: [UInt64]
  /// 0 or 1: which slot is live.
  public let selected: Int

  /// Decodes a header whose mnemonic was checked.
  init(bytes: [UInt8]) {
    self.bytes = bytes
    slots = [littleEndian(bytes[0..<8]), littleEndian(bytes[8..<16])]
    selected = Int(bytes[23] & 1)
  }

  /// True where the top ref is in the footer (section 1.5).
  public var isStreaming: Bool { selected == 0 && slots[0] == FileHeader.streamingMark }

  /// File format of slot `slot`.
  public func format(ofSlot slot: Int) -> Int { Int(bytes[20 + slot]) }

  /// Format byte of the live slot; 0 is legal with top ref 0 only.
  public var format: Int { format(ofSlot: selected) }

  /// True where `bytes`, at least 24 of them, carry the mnemonic of a realm.
  static func hasMnemonic(_ bytes: [UInt8]) -> Bool {
    bytes.count >= byteCount && Array(bytes[16..<20]) == mnemonic
  }

  /// The ref of the top array of the live slot, 0 for a realm without any commit, with the checks of
  /// section 1.3, rows 4 to 10.
  ///
  /// - Throws: `notARealm`, `truncated` or `damagedHeader`.
  static func locateTop(
    in source: ByteSource
  ) throws(RealmFileError) -> (header: FileHeader, top: Ref) {
    let size = source.count
    guard size >= byteCount else {
      throw RealmFileError(.truncated(missingBytes: byteCount - size))
    }
    let header = FileHeader(bytes: try source.copy(at: 0, count: byteCount))
    guard hasMnemonic(header.bytes) else { throw RealmFileError(.notARealm, offset: 16) }
    guard size & 7 == 0 else {
      throw RealmFileError(.truncated(missingBytes: nil), offset: size)
    }
    guard header.isStreaming else {
      return (
        header, try checked(header.slots[header.selected], size: size, at: header.selected * 8)
      )
    }
    guard size >= byteCount + footerByteCount else {
      throw RealmFileError(.truncated(missingBytes: byteCount + footerByteCount - size))
    }
    let footer = try source.copy(at: size - footerByteCount, count: footerByteCount)
    guard littleEndian(footer[8...]) == cookie else {
      throw RealmFileError(.truncated(missingBytes: nil), offset: size - 8)
    }
    return (header, try checked(littleEndian(footer[..<8]), size: size, at: size - footerByteCount))
  }

  /// The ref of the top array of the slot that is not live.
  ///
  /// - Throws: `noPreviousVersion` where that slot names none.
  func locatePreviousTop(size: Int) throws(RealmFileError) -> Ref {
    let raw = slots[1 - selected]
    guard !isStreaming, raw != 0, raw != FileHeader.streamingMark, raw & 7 == 0,
      let ref = Int(exactly: raw), ref < size
    else { throw RealmFileError(.noPreviousVersion) }
    return ref
  }

  /// A top ref as an offset in the file.
  private static func checked(
    _ raw: UInt64, size: Int, at offset: Int
  ) throws(RealmFileError) -> Ref {
    guard raw & 7 == 0 else {
      throw RealmFileError(.damagedHeader("the top ref is not a multiple of 8"), offset: offset)
    }
    guard let ref = Int(exactly: raw) else {
      throw RealmFileError(.damagedHeader("the top ref is out of range"), offset: offset)
    }
    guard ref == 0 || ref >= byteCount else {
      throw RealmFileError(.damagedHeader("the top ref points into the header"), offset: offset)
    }
    guard ref < size else {
      // The top array itself has at least 8 bytes behind the ref; refs are below 2⁶³.
      throw RealmFileError(.truncated(missingBytes: ref - size + 8), offset: offset)
    }
    return ref
  }
}

/// Up to eight bytes as a little-endian number.
func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
