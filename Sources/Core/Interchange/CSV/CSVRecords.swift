import CSimdJSON
import RealmStorage

/// Converts rows of CSV to records like those of JSON objects. Used by one thread.
@safe
final class CSVRecords {
  private let columns: [CSVColumn]
  /// Parses fields that contain JSON.
  private let parser = JSONParser()
  /// The tokens of the current row.
  private var tokens: UnsafeMutablePointer<csimdjson_token>
  private var capacity = 256
  private var count = 0

  init(_ columns: [CSVColumn]) {
    self.columns = columns
    unsafe tokens = .allocate(capacity: capacity)
  }

  deinit { unsafe tokens.deallocate() }

  /// The record of a row.
  ///
  /// - Parameter range: range of the row in the file.
  /// - Throws: `structure` for a row with more or fewer fields than columns; the errors of JSON in a
  ///   field.
  func record(
    _ fields: [CSVField], _ range: Range<Int>, in block: TextBlock
  ) throws(ImportError) -> JSONRecord {
    guard fields.count == columns.count else {
      throw ImportError(
        .structure(
          "found \(fields.count == 1 ? "1 field" : "\(fields.count) fields"), expected "
            + "\(columns.count) as in the first line"),
        offset: range.lowerBound)
    }
    guard range.count <= JSONParser.byteLimit else {
      throw ImportError(.tooLarge(JSONParser.byteLimitText), offset: range.lowerBound)
    }
    count = 0
    unsafe append(CSIMDJSON_OBJECT)
    var places = [(token: 0, offset: range.lowerBound)]
    var members: Int64 = 0
    for (field, column) in zip(fields, columns) {
      let empty = field.isQuoted ? column.emptyQuoted : column.empty
      if field.isEmpty, empty == .nothing { continue }
      members += 1
      places.append((count, field.offset))
      unsafe append(CSIMDJSON_NAME, bytes: column.name)
      if field.isEmpty {
        unsafe append(empty == .null ? CSIMDJSON_NULL : CSIMDJSON_STRING, bytes: .empty)
      } else {
        try append(field, column.form, block, start: range.lowerBound)
      }
    }
    unsafe tokens[0].end = UInt32(count)
    unsafe tokens[0].value.integer = members
    return unsafe JSONRecord(
      tokens: tokens, count: count, text: UnsafeRawPointer(block.start(at: range.lowerBound)),
      offset: range.lowerBound, owners: (self, block), fields: places)
  }

  private func append(
    _ field: CSVField, _ form: CSVColumn.Form, _ block: TextBlock, start: Int
  ) throws(ImportError) {
    let text = block.bytes(field.content)
    let number = form == .text || form == .bool ? nil : NumberForm(text)
    switch form {
    case .int where number == .integer, .number where number != nil,
      .mixed where number != nil:
      let offset = field.content.lowerBound - start
      if number == .integer, let value = Int64(text.text) {
        unsafe append(CSIMDJSON_INTEGER, offset: offset, length: text.count)
        unsafe tokens[count - 1].value.integer = value
      } else if number == .fraction, let value = Double(text.text), value.isFinite,
        form != .mixed || NumberFit(text.text).fitsDouble
      {
        unsafe append(CSIMDJSON_DOUBLE, offset: offset, length: text.count)
        unsafe tokens[count - 1].value.number = value
      } else if form == .mixed {
        unsafe append(CSIMDJSON_STRING, bytes: text)
      } else {
        unsafe append(CSIMDJSON_LARGE_NUMBER, offset: offset, length: text.count)
      }
    case .bool, .mixed:
      if let flag = CSVRecords.bool(text) {
        unsafe append(flag ? CSIMDJSON_TRUE : CSIMDJSON_FALSE)
      } else if form == .bool || !appendIfJSON(field, block, start: start) {
        unsafe append(CSIMDJSON_STRING, bytes: text)
      }
    case .json where text[0] == UInt8(ascii: "[") || text[0] == UInt8(ascii: "{"):
      try append(json: field, block, start: start)
    case .text, .int, .number, .json: unsafe append(CSIMDJSON_STRING, bytes: text)
    }
  }

  /// Reads a boolean, ignoring case, because spreadsheets write capital letters.
  static func bool(_ text: ByteSlice) -> Bool? {
    guard text.count == 4 || text.count == 5 else { return nil }
    switch text.text.lowercased() {
    case "true": return true
    case "false": return false
    default: return nil
    }
  }

  /// Whether a field of a mixed property with these bytes can be anything but a string.
  static func looksTyped(_ text: ByteSlice) -> Bool {
    guard text.count > 0 else { return false }
    switch (text[0], text[text.count - 1]) {
    case (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "{"), UInt8(ascii: "}")): return true
    default: return bool(text) != nil || NumberForm(text) != nil
    }
  }

  /// Appends the list or dictionary in a field of a mixed property.
  ///
  /// - Returns: false if the field contains none; its bytes are then unchanged.
  private func appendIfJSON(_ field: CSVField, _ block: TextBlock, start: Int) -> Bool {
    let text = block.bytes(field.content)
    guard text[0] == UInt8(ascii: "[") || text[0] == UInt8(ascii: "{") else { return false }
    let (copy, before) = (text.bytes, count)
    do throws(ImportError) {
      try append(json: field, block, start: start)
      return true
    } catch {
      // The field is a string that starts with a bracket: restore its bytes.
      for (i, byte) in copy.enumerated() { block.set(byte, at: field.content.lowerBound + i) }
      count = before
      return false
    }
  }

  private func append(
    json field: CSVField, _ block: TextBlock, start: Int
  ) throws(ImportError) {
    let record: JSONRecord
    do throws(ImportError) {
      record = try parser.parse(block, field.content)
    } catch {
      // Removing quotes moved the bytes, so only the offset of the field is reliable.
      throw ImportError(error.kind, offset: field.offset)
    }
    let (base, distance) = (count, field.content.lowerBound - start)
    guard base + record.count <= JSONParser.tokenLimit else {
      throw ImportError(.tooLarge(JSONParser.tokenLimitText), offset: start)
    }
    for i in 0..<record.count {
      reserve()
      unsafe (tokens + count).initialize(to: record.token(i, base: base, distance: distance))
      count += 1
    }
  }

  // MARK: Tokens

  private func reserve() {
    guard count == capacity else { return }
    let block = UnsafeMutablePointer<csimdjson_token>.allocate(capacity: capacity * 2)
    unsafe block.update(from: tokens, count: count)
    unsafe tokens.deallocate()
    unsafe tokens = block
    capacity *= 2
  }

  @unsafe
  private func append(
    _ kind: csimdjson_kind, bytes: ByteSlice? = nil, offset: Int = 0, length: Int = 0
  ) {
    reserve()
    var token = unsafe csimdjson_token()
    unsafe token.kind = kind.rawValue
    unsafe token.offset = UInt32(offset)
    unsafe token.length = UInt32(bytes?.count ?? length)
    unsafe token.end = UInt32(count + 1)
    if let bytes {
      // Names are never changed; the block may be.
      unsafe token.value.bytes = UnsafeMutableRawPointer(mutating: bytes.start)
        .assumingMemoryBound(to: UInt8.self)
    }
    unsafe (tokens + count).initialize(to: token)
    count += 1
  }
}
