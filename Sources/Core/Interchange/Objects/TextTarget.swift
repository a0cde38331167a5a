import RealmModel
import RealmStorage

/// The destination of the text of objects: the output of a part, or the prepared texts of the
/// columns of a batch.
struct TextTarget: ~Copyable {
  var text: TextBuffer
  /// The end of the text of each row; empty unless ends are recorded.
  private(set) var ends = RowEnds()
  private var recordsEnds: Bool
  /// Size in bytes above which a column is not prepared.
  let limit: Int
  /// The values that the format could not represent exactly.
  var losses = FormatLosses()
  /// Hands over text that has become long; nil if text cannot be handed over early.
  var relief: TextRelief?

  /// The output of a part.
  init() {
    (recordsEnds, limit) = (false, .max)
    text = TextBuffer(capacity: 1 << 16)
  }

  /// A target for texts of at most `limit` bytes, which records the end of each row.
  init(recordingUpTo limit: Int) {
    (recordsEnds, self.limit) = (true, limit)
    text = TextBuffer(capacity: min(limit, 1 << 16))
  }

  /// Whether the text of `value` fits: one byte becomes at most six.
  @inline(__always)
  func hasRoom(for value: ByteSlice) -> Bool { value.count <= (limit &- text.count) / 6 }

  @inline(__always)
  mutating func endRow() { if recordsEnds { ends.append(text.count) } }

  /// Marks that elements of a collection are being written. They are not rows, so their ends are
  /// not recorded.
  struct Elements {
    private let recordsEnds: Bool

    init(_ target: inout TextTarget) {
      recordsEnds = target.recordsEnds
      target.recordsEnds = false
    }

    func end(_ target: inout TextTarget) { target.recordsEnds = recordsEnds }
  }

  /// Appends the texts of one row of columns.
  ///
  /// - Parameters:
  ///   - other: has the texts of the columns, one after the other, each with one end more than
  ///     rows.
  ///   - columns: position where the ends of each column start; -1 for a column that `other` does
  ///     not have.
  ///   - first: the first column to append.
  /// - Returns: the first column from there on that `other` does not have, or the number of
  ///   columns.
  @inline(__always)
  mutating func append(
    _ row: Int, of other: borrowing TextTarget, columns: [Int], from first: Int
  ) -> Int {
    var i = first
    while i < columns.count, columns[i] >= 0 {
      // Ends are recorded as the text grows and are cut with it, so they ascend and lie inside the
      // text.
      let (start, end) = other.ends.pair(at: columns[i] &+ row)
      unsafe text.append(uncheckedFrom: start, to: end, of: other.text)
      i &+= 1
    }
    return i
  }

  mutating func removeAll() {
    losses = FormatLosses()
    text.removeAll()
    ends.cut(to: 0)
  }

  /// Removes all but the first `textCount` bytes and `endCount` ends.
  mutating func cut(to textCount: Int, endCount: Int) {
    text.cut(to: textCount)
    ends.cut(to: endCount)
  }

  /// Whether text may be handed over between two values.
  var canRelieve: Bool { relief != nil }

  /// Hands the text over if it has become long.
  @inline(__always)
  mutating func relieve() { relief?.relieve(&text) }

  /// Counts a value that the format cannot hold, and appends null in its place.
  mutating func appendNull(_ loss: FormatLosses.Kind) {
    losses.add(loss)
    text.append("null")
  }

  /// Appends `value` as a JSON string, piece by piece if it is long.
  ///
  /// - Parameter isStrict: whether all control characters are escaped, or only those that realm-core
  ///   escapes.
  @inline(__always)
  mutating func append(quoted value: ByteSlice, isStrict: Bool) {
    guard value.count > TextBuffer.plainByteCount else {
      return text.append(quoted: value, isStrict: isStrict)
    }
    append(longQuoted: value, isStrict: isStrict)
  }

  @inline(never)
  private mutating func append(longQuoted value: ByteSlice, isStrict: Bool) {
    text.append(UInt8(ascii: "\""))
    value.forEachChunk(keepsCharacters: true) { chunk in
      if isStrict { text.append(jsonEscaped: chunk) } else { text.append(coreEscaped: chunk) }
      relieve()
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends `value` as a JSON string; bytes that are not UTF-8 become U+FFFD and are counted.
  mutating func appendRepaired(_ value: ByteSlice) {
    guard value.isValidUTF8 else {
      losses.add(.invalidText)
      text.append(UInt8(ascii: "\""))
      text.append(jsonEscaped: value.text)
      return text.append(UInt8(ascii: "\""))
    }
    append(quoted: value, isStrict: true)
  }

  /// Appends the key of a dictionary as a JSON string.
  ///
  /// - Parameter appendString: appends a key that is a string.
  mutating func appendKey(_ key: BatchValue, _ appendString: (inout TextTarget, ByteSlice) -> Void)
  {
    switch key {
    case .string(let bytes): appendString(&self, bytes)
    case .int(let number):
      // No SDK writes such keys.
      text.append(UInt8(ascii: "\""))
      text.append(decimal: number)
      text.append(UInt8(ascii: "\""))
    default: text.append("\"\"")
    }
  }

  /// Appends `value` in base 64, piece by piece if it is long.
  mutating func append(base64 value: ByteSlice) {
    value.forEachChunk(keepsCharacters: false) { chunk in
      text.append(base64: chunk)
      relieve()
    }
  }
}

/// Hands over the text of a part before the part is complete.
final class TextRelief {
  private let part: PartRelief<PieceText>
  /// An emptied text, which replaces the one handed over.
  private var spare: PieceText?
  /// Why a text could not be handed over.
  private(set) var failure: RealmFileError?

  init(_ outlet: PartOutlet<PieceText, RealmFileError>) { part = PartRelief(outlet) }

  /// True if a part before this one failed, so that this text will not be used.
  var isStopped: Bool { part.isStopped }

  @inline(__always)
  func relieve(_ text: inout TextBuffer) {
    if text.count >= PartRelief<PieceText>.handOverByteCount { handOver(&text) }
  }

  @inline(never)
  private func handOver(_ text: inout TextBuffer) {
    guard part.isDue(text.count) else { return }
    guard !part.isStopped else { return text.removeAll(keepingCapacity: false) }
    let piece = spare ?? PieceText()
    spare = nil
    swap(&piece.buffer, &text)
    do throws(RealmFileError) {
      if failure == nil { try part.handOver(piece) }
    } catch {
      failure = error
    }
    piece.buffer.removeAll()
    spare = piece
  }
}

/// A piece of text that moves between workers; one worker uses it at a time.
final class PieceText: @unchecked Sendable {
  /// The most that the text of one part usually has. The block of a longer text is not kept.
  private static let usualByteCount = 2 << 20
  /// The smallest size that counts for a text.
  private static let leastByteCount = 64 << 10

  var buffer = TextBuffer(capacity: leastByteCount)
  /// Number of objects that end in the text.
  var objectCount = 0
  /// The values of these objects that the format could not represent exactly.
  var losses = FormatLosses()

  /// Empties the text for reuse.
  func reset() {
    buffer.removeAll(keepingCapacity: buffer.count <= PieceText.usualByteCount)
    objectCount = 0
    losses = FormatLosses()
  }

  /// The size that counts for the limit of waiting text. Many empty texts take memory, too.
  var byteCount: Int { max(buffer.count, PieceText.leastByteCount) }
}
