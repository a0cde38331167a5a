import RealmModel
import RealmStorage

/// Makes the rows of parts as text for `COPY`. Used by one thread.
final class PostgresEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  private let script: PostgresText?
  private let encoder: TableEncoder?
  private var relief: PartRelief<OutputPiece>?
  private static let steps = TextSteps()

  init(_ script: PostgresText?) {
    self.script = script
    encoder = script.map { TableEncoder($0.layout, PostgresEncoder.steps) }
  }

  func begin(_ part: ObjectPart, _ outlet: PartOutlet<OutputPiece, RealmFileError>) {
    let relief = PartRelief(outlet, handOverByteCount: PostgresEncoder.steps.handOverByteCount)
    self.relief = relief
    encoder?.begin(part) { [script] (rows) throws(RealmFileError) in
      guard relief.isDue(rows.byteCount) else { return }
      try relief.handOver(PostgresEncoder.piece(of: rows, script))
      rows.removeAll()
    }
  }

  func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    if relief?.isStopped != true { try encoder?.encode(batch) }
  }

  func end() -> OutputPiece {
    relief = nil
    return encoder.map { PostgresEncoder.piece(of: $0.end(), script) } ?? OutputPiece()
  }

  static func weight(of output: OutputPiece) -> Int { output.byteCount }

  /// The rows as text, table by table.
  private static func piece(of rows: TableRows, _ script: PostgresText?) -> OutputPiece {
    let piece = OutputPiece()
    (piece.objectCount, piece.losses) = (rows.objectCount, rows.losses)
    guard let script else { return piece }
    var groups: [Int: [TableRows.Group]] = [:]
    for group in rows.groups { groups[group.table, default: []].append(group) }
    for (position, table) in script.layout.tables.enumerated() {
      guard let groups = groups[position] else { continue }
      let width = table.filledColumns.count
      piece.buffer.append(script.copy(into: table))
      for group in groups {
        for row in 0..<group.rowCount {
          let start = group.firstCell + row * width
          append(rows.cells[start..<(start + width)], of: rows, to: piece)
        }
      }
      piece.buffer.append("\\.\n")
    }
    return piece
  }

  /// Appends a line of `COPY`: values with tabs between them.
  private static func append(
    _ cells: ArraySlice<TableCell>, of rows: TableRows, to piece: OutputPiece
  ) {
    unsafe rows.withUnsafeText { text in
      var isFirst = true
      for cell in cells {
        if !isFirst { piece.buffer.append(UInt8(ascii: "\t")) }
        isFirst = false
        switch cell {
        case .null: piece.buffer.append("\\N")
        case .integer(let number): piece.buffer.append(decimal: number)
        case .real(let number): piece.buffer.append(postgresNumber: number)
        case .text(let range):
          let hasZero = unsafe piece.buffer.append(
            copied: UnsafeRawBufferPointer(rebasing: text[range]))
          if hasZero { piece.losses.add(.zeroCharacters) }
        case .blob(let range):
          piece.buffer.append("\\\\x")
          // The range lies inside of the text, whose address is then not nil.
          if let start = text.baseAddress {
            piece.buffer.append(
              hex: unsafe ByteSlice(start: start + range.lowerBound, count: range.count))
          }
        }
      }
      piece.buffer.append(UInt8(ascii: "\n"))
    }
  }
}

extension TextBuffer {
  /// Appends a text with the escapes of `COPY`, and U+FFFD for each byte 0.
  ///
  /// - Returns: whether the text has a byte 0.
  @unsafe
  fileprivate mutating func append(copied text: UnsafeRawBufferPointer) -> Bool {
    var hasZero = false
    var start = 0
    func isPlain(_ byte: UInt8) -> Bool { byte > 13 && byte != UInt8(ascii: "\\") }
    var i = 0
    while i < text.count {
      let byte = unsafe text[i]
      guard !isPlain(byte) else {
        i += 1
        continue
      }
      let escape: StaticString? =
        switch byte {
        case 0: "\u{FFFD}"
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "\t"): "\\t"
        case UInt8(ascii: "\n"): "\\n"
        case UInt8(ascii: "\r"): "\\r"
        default: nil
        }
      if let escape {
        unsafe append(plain: text, start..<i)
        append(escape)
        start = i + 1
        if byte == 0 { hasZero = true }
      }
      i += 1
    }
    unsafe append(plain: text, start..<text.count)
    return hasZero
  }

  @unsafe
  private mutating func append(plain text: UnsafeRawBufferPointer, _ range: Range<Int>) {
    guard let start = text.baseAddress, !range.isEmpty else { return }
    unsafe append(from: start + range.lowerBound, byteCount: range.count)
  }
}
