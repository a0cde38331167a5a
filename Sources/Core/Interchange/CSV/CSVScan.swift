import RealmStorage

/// Finds the ends of CSV rows (RFC 4180), even if quoted fields contain line ends.
///
/// A line feed, a carriage return, or both end a row.
package struct CSVScan {
  private enum State {
    /// At the start of a field.
    case start
    /// In a field without quotes.
    case plain
    /// Between quotes.
    case quoted
    /// After a quote inside quotes: the end of the field, or the first of two quotes that mean one.
    case quote
  }

  /// An error and its offset in the file.
  package struct Failure: Error {
    let offset: Int
    let kind: ImportError.Kind

    /// A quote in a field that does not start with a quote.
    static func strayQuote(at offset: Int) -> Failure {
      Failure(
        offset: offset,
        kind: .structure(
          "a field with a quote must be in quotes, with the quote doubled"))
    }

    /// Bytes between the closing quote and the end of the field.
    static func afterQuote(at offset: Int) -> Failure {
      Failure(
        offset: offset,
        kind: .structure("expected a comma or the end of the line after the closing quote"))
    }

    static let openQuote = ImportError.Kind.truncated("a quoted field is not closed")
  }

  private var state = State.start

  package init() {}

  /// True if the bytes so far end between quotes.
  package var isQuoted: Bool { state == .quoted }

  /// Scans the bytes of `block` from `offset` on, which follow those of the last call.
  ///
  /// - Returns: the offset in the file after the end of the row; nil if it continues after the block.
  package mutating func rowEnd(
    in block: TextBlock, from offset: Int
  ) throws(Failure) -> Int? {
    let bytes = block.bytes(from: offset)
    var i = 0
    while i < bytes.count {
      let byte = bytes[i]
      i += 1
      if state == .quoted {
        if byte == UInt8(ascii: "\"") { state = .quote }
        continue
      }
      switch byte {
      case UInt8(ascii: ","): state = .start
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        state = .start
        return offset + i
      case UInt8(ascii: "\""):
        guard state != .plain else { throw .strayQuote(at: offset + i - 1) }
        state = .quoted
      default:
        guard state != .quote else { throw .afterQuote(at: offset + i - 1) }
        state = .plain
      }
    }
    return nil
  }
}
