import RealmModel
import RealmStorage

/// Values in the notations of PostgreSQL: `{1,NULL,"a \"b\""}`, and JSON without a byte 0.
extension TableRows {
  /// The start of an array that is being written.
  struct ArrayStart {
    fileprivate let offset: Int
  }

  func beginArray() -> ArrayStart {
    let start = ArrayStart(offset: textByteCount)
    edit { $0.append(UInt8(ascii: "{")) }
    return start
  }

  /// Appends an element.
  ///
  /// - Returns: false if the array then takes more than `limit` bytes.
  func append(_ value: BatchValue, to array: ArrayStart, upTo limit: Int) -> Bool {
    if textByteCount > array.offset + 1 { edit { $0.append(UInt8(ascii: ",")) } }
    switch plain(value) {
    case .null: edit { $0.append("NULL") }
    case .integer(let number): edit { $0.append(decimal: number) }
    case .real(let number): edit { $0.append(postgresNumber: number) }
    case .text(let range), .blob(let range): quote(range, isBytes: value.isBinary)
    }
    return textByteCount - array.offset <= limit
  }

  func end(_ array: ArrayStart) -> TableCell {
    edit { $0.append(UInt8(ascii: "}")) }
    return .text(array.offset..<textByteCount)
  }

  /// Replaces the last bytes by their notation in quotes.
  private func quote(_ range: Range<Int>, isBytes: Bool) {
    edit { text in
      let bytes = unsafe text.withUnsafeBytes { bytes in unsafe Array(bytes[range]) }
      text.cut(to: range.lowerBound)
      text.append(UInt8(ascii: "\""))
      if isBytes {
        text.append("\\\\x")
        text.append(hex: bytes)
      } else {
        for byte in bytes {
          if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            text.append(UInt8(ascii: "\\"))
          }
          text.append(byte)
        }
      }
      text.append(UInt8(ascii: "\""))
    }
  }

  /// A cell of JSON. The JSON of PostgreSQL cannot hold the character 0: U+FFFD replaces it.
  func json(_ json: borrowing TextBuffer) -> TableCell {
    guard form.isTextStrict, let zeros = json.escapedZeros() else {
      let start = textByteCount
      edit { $0.append(contentsOf: json) }
      return .text(start..<textByteCount)
    }
    losses.add(.zeroCharacters)
    let start = textByteCount
    edit { $0.append(contentsOf: json) }
    // The escape of U+FFFD is as long as that of 0.
    edit { text in
      for zero in zeros {
        for (i, byte) in "fffd".utf8.enumerated() { text.set(byte, at: start + zero + 2 + i) }
      }
    }
    return .text(start..<textByteCount)
  }
}

extension BatchValue {
  fileprivate var isBinary: Bool { if case .binary = self { true } else { false } }
}

extension TextBuffer {
  /// Where JSON has the escape of the character 0; nil if nowhere.
  fileprivate borrowing func escapedZeros() -> [Int]? {
    unsafe withUnsafeBytes { bytes in
      var (zeros, i): ([Int], Int) = ([], 0)
      let escape = Array("\\u0000".utf8)
      while i < bytes.count {
        guard unsafe bytes[i] == escape[0] else {
          i += 1
          continue
        }
        if unsafe bytes[i...].starts(with: escape) { zeros.append(i) }
        // The byte after a backslash belongs to it.
        i += 2
      }
      return zeros.isEmpty ? nil : zeros
    }
  }

  /// Appends a number, with PostgreSQL's names for those that are not finite.
  mutating func append(postgresNumber number: Double) {
    if number.isNaN {
      append("NaN")
    } else if number.isInfinite {
      append(number < 0 ? "-Infinity" : "Infinity")
    } else {
      append(shortest: number)
    }
  }
}
