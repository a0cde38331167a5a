package import RealmStorage

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

  /// An error and its position.
  package struct Failure: Error {
    let position: Int
    let kind: ImportError.Kind

    /// A quote in a field that does not start with a quote.
    static func strayQuote(at position: Int) -> Failure {
      Failure(
        position: position,
        kind: .structure(
          "a field with a quote must be in quotes, with the quote doubled"))
    }

    /// Bytes between the closing quote and the end of the field.
    static func afterQuote(at position: Int) -> Failure {
      Failure(
        position: position,
        kind: .structure("expected a comma or the end of the line after the closing quote"))
    }

    static let openQuote = ImportError.Kind.truncated("a quoted field is not closed")
  }

  private var state = State.start

  package init() {}

  /// True if the bytes so far end between quotes.
  package var isQuoted: Bool { state == .quoted }

  /// Scans the bytes after those of the last call.
  ///
  /// - Returns: the position after the end of the row; nil if it continues after `range`.
  package mutating func rowEnd(in bytes: ByteSlice, _ range: Range<Int>) throws(Failure) -> Int? {
    var i = range.lowerBound
    while i < range.upperBound {
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
        return i
      case UInt8(ascii: "\""):
        guard state != .plain else { throw .strayQuote(at: i - 1) }
        state = .quoted
      default:
        guard state != .quote else { throw .afterQuote(at: i - 1) }
        state = .plain
      }
    }
    return nil
  }
}
