/// What a program that took a realm for text did to its bytes: a version control system, FTP in text mode, an editor.
public enum TextChange: Equatable, Sendable {
  /// It put a carriage return before each of this many line feeds. ``TextUndo`` takes them out.
  case carriageReturns(Int)
  /// It read the bytes as UTF-8, and wrote the replacement character U+FFFD, this many times, for those that are not. What was
  /// there before is lost.
  case replacementCharacters(Int)

  /// What happened, in one sentence.
  public var sentence: String {
    switch self {
    case .carriageReturns(let count):
      "a program that took the realm for text put a carriage return before "
        + (count == 1 ? "its line feed" : "\(count) line feeds")
    case .replacementCharacters(let count):
      "a program that took the realm for UTF-8 text replaced bytes above 127 with U+FFFD (EF BF BD), "
        + (count == 1 ? "once" : "\(count) times")
        + "; nothing can undo that, because the original bytes are "
        + "no longer in the file"
    }
  }

  /// Looks for such a change in a file that cannot be opened as a realm, or has errors.
  ///
  /// Most files are read up to their first line feed only.
  ///
  /// - Throws: `inputOutput`; `cannotCreate` for the temporary file in which the change is undone.
  package init?(in file: FileDescriptor) throws(RealmFileError) {
    guard case let size = try file.size(), size > FileHeader.byteCount else { return nil }
    let mapping = try MappedFile(descriptor: file.number, count: size)
    guard TextChange.mnemonicOffset(in: mapping) != nil else { return nil }
    if let undo = try TextUndo(of: mapping) {
      self = .carriageReturns(undo.removed)
    } else if let count = TextChange.replacementCount(in: mapping) {
      self = .replacementCharacters(count)
    } else {
      return nil
    }
  }

  /// The place of the mnemonic, which stands behind two refs that the change may have made longer; nil if there is none.
  static func mnemonicOffset(in mapping: MappedFile) -> Int? {
    // A byte became three bytes at most.
    let usual = FileHeader.mnemonicOffset
    let start = unsafe ByteSlice(
      start: mapping.base, count: min(mapping.count, 3 * usual + FileHeader.mnemonic.count))
    return (usual..<max(usual, start.count - 3)).first { offset in
      FileHeader.mnemonic.indices.allSatisfy { start[offset + $0] == FileHeader.mnemonic[$0] }
    }
  }

  /// The number of replacement characters in a file in which all bytes above 127 are part of UTF-8; nil in any other file, and if
  /// there are none.
  private static func replacementCount(in mapping: MappedFile) -> Int? {
    let bytes = unsafe ByteSlice(start: mapping.base, count: mapping.count)
    guard bytes.isValidUTF8 else { return nil }
    var count = 0
    for i in 0..<max(0, bytes.count - 2)
    where bytes[i] == 0xEF && bytes[i + 1] == 0xBF && bytes[i + 2] == 0xBD {
      count += 1
    }
    return count > 0 ? count : nil
  }
}

extension RealmFileError {
  /// This error, or the one that says that the bytes of the file were changed as text, if that is its cause.
  func explained(by path: String) -> RealmFileError {
    switch kind {
    case .notARealm, .truncated, .damagedHeader, .damaged: break
    default: return self
    }
    guard let file = try? FileDescriptor.openForReading(path, isInput: false),
      let change = try? TextChange(in: file)
    else { return self }
    return RealmFileError(.changedAsText(change), path: path)
  }
}
