package import RealmStorage

/// Finds where the rows of CSV end (RFC 4180), also where quoted fields have line ends in them.
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
    /// Behind a quote between quotes: the end of the field, or the first of two quotes that are one.
    case quote
  }

  /// What is wrong, and where.
  package struct Failure: Error {
    let position: Int
    let kind: ImportError.Kind

    /// A quote in a field that does not begin with one.
    static func strayQuote(at position: Int) -> Failure {
      Failure(
        position: position,
        kind: .structure(
          "a field with a quote in it must itself be in quotes, with the quote doubled"))
    }

    /// Something between the closing quote and the end of the field.
    static func afterQuote(at position: Int) -> Failure {
      Failure(
        position: position,
        kind: .structure("a comma or the end of the line is expected behind the closing quote"))
    }

    static let openQuote = ImportError.Kind.truncated("a quoted field is not closed")
  }

  private var state = State.start

  package init() {}

  /// True where the text so far ends between quotes.
  package var isQuoted: Bool { state == .quoted }

  /// Looks at bytes, which go on where those of the last call ended, and makes them end a row.
  ///
  /// - Returns: the position behind the end of the row; nil where it goes on behind `range`.
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
