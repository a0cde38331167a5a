#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Reports as JSON: one object per line, members in alphabetical order, so that equal reports have
/// equal bytes.
package enum JSONText {
  /// `value` and a line feed.
  ///
  /// - Throws: `EncodingError` for values that JSON cannot represent, such as infinite numbers.
  package static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
