package import RealmModel
import RealmStorage

/// A file with a schema in the notation of `schema show --format json`, used in place of a realm.
package enum SchemaFile {
  /// Number of bytes that decide whether a file is text.
  private static let startByteCount = 4096

  /// The schema in the file at `path`; nil if the file is not text, or cannot be opened.
  ///
  /// - Throws: errors of the schema.
  package static func readIfText(path: String) throws(ImportError) -> ObjectSchema? {
    isText(path: path) ? try RealmJSONSchemaReader.read(path: path) : nil
  }

  /// Whether the file at `path` is text; false if it cannot be opened.
  package static func isText(path: String) -> Bool {
    do throws(RealmFileError) {
      return isText(
        try FileDescriptor.openForReading(path).read(at: 0, count: startByteCount))
    } catch {
      // Opening it as a realm reports why.
      return false
    }
  }

  /// The schema in the file at `path`.
  ///
  /// - Throws: errors of the file and the schema.
  package static func read(path: String) throws(ImportError) -> ObjectSchema {
    try RealmJSONSchemaReader.read(path: path)
  }

  /// Whether a file starts with UTF-8 without a zero byte, unlike a realm or an encrypted realm.
  private static func isText(_ start: [UInt8]) -> Bool {
    guard !start.isEmpty, !start.contains(0) else { return false }
    // The last character may be cut.
    let whole = start.count < startByteCount ? start[...] : start.dropLast(3)
    let tail = whole.lastIndex { $0 & 0xC0 != 0x80 } ?? whole.startIndex
    let checked = start.count < startByteCount ? whole : whole[..<tail]
    return String(validating: checked, as: UTF8.self) != nil
  }
}
