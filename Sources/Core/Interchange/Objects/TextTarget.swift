import RealmModel
import RealmStorage

/// Where the text of objects goes: the output of a part, or the prepared texts of the columns of a batch.
struct TextTarget: ~Copyable {
  var text: TextBuffer
  /// Where the text of each row ends; empty unless it is recorded.
  private(set) var ends = RowEnds()
  private var recordsEnds: Bool
  /// Bytes of text beyond which writing a column is given up.
  let limit: Int
  /// What the format could not hold.
  var losses = TextLosses()
  /// Hands text over that has become long; nil where none can be.
  var relief: TextRelief?

  /// The output of a part.
  init() {
    (recordsEnds, limit) = (false, .max)
    text = TextBuffer(capacity: 1 << 16)
  }

  /// For texts of at most `limit` bytes, with a record of where each row ends.
  init(recordingUpTo limit: Int) {
    (recordsEnds, self.limit) = (true, limit)
    text = TextBuffer(capacity: min(limit, 1 << 16))
  }

  /// Whether the text of `value` fits: no byte becomes more than six.
  @inline(__always)
  func hasRoom(for value: ByteSlice) -> Bool { value.count <= (limit &- text.count) / 6 }

  @inline(__always)
  mutating func endRow() { if recordsEnds { ends.append(text.count) } }

  /// Elements of a collection, which are no rows: their ends are not recorded while they are written.
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
  ///   - other: has the texts of the columns, one after another, and an end more than rows for each.
  ///   - columns: where the ends of each column begin; -1 for one that `other` does not have.
  ///   - first: the first column to append.
  /// - Returns: the first column from there on that `other` does not have, or the number of columns.
  @inline(__always)
  mutating func append(
    _ row: Int, of other: borrowing TextTarget, columns: [Int], from first: Int
  ) -> Int {
    var i = first
    while i < columns.count, columns[i] >= 0 {
      // Ends are recorded as the text grows, and taken back with it: they ascend, and lie in it.
      let (start, end) = other.ends.pair(at: columns[i] &+ row)
      unsafe text.append(uncheckedFrom: start, to: end, of: other.text)
      i &+= 1
    }
    return i
  }

  mutating func removeAll() {
    losses = TextLosses()
    text.removeAll()
    ends.cut(to: 0)
  }

  /// Takes back all but the first `textCount` bytes and `endCount` ends.
  mutating func cut(to textCount: Int, endCount: Int) {
    text.cut(to: textCount)
    ends.cut(to: endCount)
  }

  /// True where text may be handed over between two values.
  var canRelieve: Bool { relief != nil }

  /// Hands text over, if it has become long.
  @inline(__always)
  mutating func relieve() { relief?.relieve(&text) }

  /// Appends `value` as a JSON string; bytes that are not UTF-8 become U+FFFD and are counted.
  mutating func appendRepaired(_ value: ByteSlice) {
    text.append(UInt8(ascii: "\""))
    if value.isValidUTF8 {
      value.forEachChunk(keepsCharacters: true) { chunk in
        text.append(jsonEscaped: chunk)
        relieve()
      }
    } else {
      losses.add(.invalidText)
      text.append(jsonEscaped: value.text)
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends the key of a dictionary as a JSON string.
  ///
  /// - Parameter appendString: appends a key that is a string.
  mutating func appendKey(_ key: BatchValue, _ appendString: (inout TextTarget, ByteSlice) -> Void)
  {
    switch key {
    case .string(let bytes): appendString(&self, bytes)
    case .int(let number):
      // No SDK makes such keys.
      text.append(UInt8(ascii: "\""))
      text.append(decimal: number)
      text.append(UInt8(ascii: "\""))
    default: text.append("\"\"")
    }
  }

  /// Appends `value` in base 64, piece by piece where it is long.
  mutating func append(base64 value: ByteSlice) {
    value.forEachChunk(keepsCharacters: false) { chunk in
      text.append(base64: chunk)
      relieve()
    }
  }
}

/// Hands over the text of a part before the part ends: when it is its turn, or when it has become so long
/// that the worker must wait for that.
final class TextRelief {
  /// Bytes worth handing over.
  private static let handOverByteCount = 256 << 10
  /// Bytes that a part may pile up while it waits for its turn.
  private static let waitingLimit = 8 << 20

  private let outlet: PartOutlet<PieceText, RealmFileError>
  /// Takes the text's place.
  private var spare: PieceText?
  /// Why a piece could not be handed over.
  private(set) var failure: RealmFileError?
  /// True where a part before this one failed: what is written is not used.
  private(set) var isStopped = false

  init(_ outlet: PartOutlet<PieceText, RealmFileError>) { self.outlet = outlet }

  @inline(__always)
  func relieve(_ text: inout TextBuffer) {
    if text.count >= TextRelief.handOverByteCount { handOver(&text) }
  }

  @inline(never)
  private func handOver(_ text: inout TextBuffer) {
    if !outlet.isTurn {
      guard text.count >= TextRelief.waitingLimit else { return }
      guard outlet.wait() else {
        isStopped = true
        return text.removeAll(keepingCapacity: false)
      }
    }
    let piece = spare ?? PieceText()
    spare = nil
    swap(&piece.buffer, &text)
    do throws(RealmFileError) {
      if failure == nil { try outlet.handOver(piece) }
    } catch {
      failure = error
    }
    piece.buffer.removeAll()
    spare = piece
  }
}

/// A piece of text on its way from worker to worker; belongs to one at a time.
final class PieceText: @unchecked Sendable {
  /// Bytes of the text of ordinary objects.
  private static let usualByteCount = 512 << 10
  /// Bytes that a text takes at least.
  private static let leastByteCount = 64 << 10

  var buffer = TextBuffer(capacity: leastByteCount)
  /// Objects that end in the text.
  var objectCount = 0
  /// What the format could not hold of the objects in the text.
  var losses = TextLosses()

  /// Empties the text for its next use.
  func reset() {
    buffer.removeAll(keepingCapacity: buffer.count <= PieceText.usualByteCount)
    objectCount = 0
    losses = TextLosses()
  }

  /// What it takes while it waits: many texts of no bytes at all are a lot, too.
  var byteCount: Int { max(buffer.count, PieceText.leastByteCount) }
}
