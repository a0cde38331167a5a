import RealmModel
import RealmStorage

/// The destination of written objects: the output of a part, or the prepared columns of a batch.
struct TextTarget: ~Copyable {
  var text: TextBuffer
  /// The end of each row; empty unless ends are recorded.
  private(set) var ends = RowEnds()
  private var recordsEnds: Bool
  /// Size in bytes above which a column is not prepared.
  let limit: Int
  /// Bytes of a long value that are written at a time.
  private let chunkByteCount: Int
  /// The values that the format cannot represent exactly.
  var losses = FormatLosses()
  /// Hands over output that has become long; nil if it cannot be handed over early.
  var relief: TextRelief?

  /// The output of a part.
  init(_ steps: TextSteps = TextSteps()) {
    (recordsEnds, limit, chunkByteCount) = (false, .max, steps.chunkByteCount)
    text = TextBuffer(capacity: 1 << 16)
  }

  /// A target for columns of at most `limit` bytes, which records the end of each row.
  init(recordingUpTo limit: Int) {
    // A longer value is not prepared, so a chunk has all of it.
    (recordsEnds, self.limit, chunkByteCount) = (true, limit, .max)
    text = TextBuffer(capacity: min(limit, 1 << 16))
  }

  /// Whether `value` fits: one byte becomes at most six.
  @inline(__always)
  func hasRoom(for value: ByteSlice) -> Bool { value.count <= (limit &- text.count) / 6 }

  @inline(__always)
  mutating func endRow() { if recordsEnds { ends.append(text.count) } }

  /// Marks that elements of a collection are being written. They are not rows, so their ends are not
  /// recorded.
  struct Elements {
    private let recordsEnds: Bool

    init(_ target: inout TextTarget) {
      recordsEnds = target.recordsEnds
      target.recordsEnds = false
    }

    func end(_ target: inout TextTarget) { target.recordsEnds = recordsEnds }
  }

  /// Appends one row of prepared columns.
  ///
  /// - Parameters:
  ///   - other: the columns, one after the other, each with one more end than rows.
  ///   - columns: position where the ends of each column start; -1 for a column that is not in `other`.
  ///   - first: the first column to append.
  /// - Returns: the next column that is not in `other`, or the number of columns.
  @inline(__always)
  mutating func append(
    _ row: Int, of other: borrowing TextTarget, columns: [Int], from first: Int
  ) -> Int {
    var i = first
    while i < columns.count, columns[i] >= 0 {
      // Ends are recorded as the output grows and are cut with it, so they ascend and lie inside it.
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

  /// Whether output may be handed over between two values.
  var canRelieve: Bool { relief != nil }

  /// Hands over the output if it has become long.
  @inline(__always)
  mutating func relieve() { relief?.relieve(&text) }

  /// Counts a value that the format cannot represent, and appends null in its place.
  mutating func appendNull(_ loss: FormatLosses.Kind) {
    losses.add(loss)
    text.append("null")
  }

  /// Appends `value` as a JSON string, piece by piece if it is long.
  ///
  /// - Parameter isStrict: whether to escape all control characters, or only those that realm-core escapes.
  @inline(__always)
  mutating func append(quoted value: ByteSlice, isStrict: Bool) {
    guard value.count > min(TextBuffer.plainByteCount, chunkByteCount) else {
      return text.append(quoted: value, isStrict: isStrict)
    }
    append(longQuoted: value, isStrict: isStrict)
  }

  @inline(never)
  private mutating func append(longQuoted value: ByteSlice, isStrict: Bool) {
    text.append(UInt8(ascii: "\""))
    value.forEachChunk(of: chunkByteCount, keepsCharacters: true) { chunk in
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
  /// - Parameter appendString: appends a string key.
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

  /// Appends `value` in base64, piece by piece if it is long.
  mutating func append(base64 value: ByteSlice) {
    // Base64 continues without padding after a multiple of 3 bytes.
    value.forEachChunk(of: max(3, chunkByteCount / 3 * 3), keepsCharacters: false) { chunk in
      text.append(base64: chunk)
      relieve()
    }
  }
}

/// Hands over the output of a part before the part is complete.
final class TextRelief {
  private let part: PartRelief<OutputPiece>
  /// An empty piece to replace the one handed over.
  private var spare: OutputPiece?
  /// Why output could not be handed over.
  private(set) var failure: RealmFileError?

  init(_ outlet: PartOutlet<OutputPiece, RealmFileError>, _ steps: TextSteps) {
    part = PartRelief(outlet, handOverByteCount: steps.handOverByteCount)
  }

  /// True if a part before this one failed, so that this output will not be used.
  var isStopped: Bool { part.isStopped }

  @inline(__always)
  func relieve(_ text: inout TextBuffer) {
    if text.count >= part.handOverByteCount { handOver(&text) }
  }

  @inline(never)
  private func handOver(_ text: inout TextBuffer) {
    guard part.isDue(text.count) else { return }
    guard !part.isStopped else { return text.removeAll(keepingCapacity: false) }
    let piece = spare ?? OutputPiece()
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

/// A piece of output that moves between workers; one worker uses it at a time.
final class OutputPiece: @unchecked Sendable {
  /// Usual largest size of a part's output. The memory of a longer piece is not kept.
  private static let usualByteCount = 2 << 20
  /// Smallest size that a piece counts as.
  private static let leastByteCount = 64 << 10

  var buffer = TextBuffer(capacity: leastByteCount)
  /// Number of objects that end in the piece.
  var objectCount = 0
  /// The values of these objects that the format cannot represent exactly.
  var losses = FormatLosses()

  /// Empties the piece for reuse.
  func reset() {
    buffer.removeAll(keepingCapacity: buffer.count <= OutputPiece.usualByteCount)
    objectCount = 0
    losses = FormatLosses()
  }

  /// The size for the limit of waiting output. Empty pieces also take memory.
  var byteCount: Int { max(buffer.count, OutputPiece.leastByteCount) }
}

extension ByteSlice {
  /// Calls `body` with the bytes in pieces; most values are one piece.
  ///
  /// - Parameters:
  ///   - byteCount: bytes of a piece.
  ///   - keepsCharacters: whether a piece must not end inside a UTF-8 sequence.
  @inline(__always)
  func forEachChunk(of byteCount: Int, keepsCharacters: Bool, _ body: (ByteSlice) -> Void) {
    guard count > byteCount else { return body(self) }
    var start = 0
    while start < count {
      var end = start + min(byteCount, count - start)
      if keepsCharacters {
        // A sequence has at most four bytes; a longer one is not UTF-8 and may be cut anywhere.
        var steps = 0
        while end < count, end > start + 1, steps < 4, self[end] & 0xC0 == 0x80 {
          end -= 1
          steps += 1
        }
      }
      body(part(start..<end))
      start = end
    }
  }
}
