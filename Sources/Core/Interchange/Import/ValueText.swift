package import RealmModel
import RealmStorage

/// Reads one value that a user wrote as an argument.
package enum ValueText {
  /// The value of `text`: JSON with the wrappers of Realm JSON, or a bare word, which is a string.
  ///
  /// - Parameter schema: has the classes of links.
  /// - Throws: `notJSON`, `truncated`; the errors of a value, with its offset in `text`.
  package static func value(
    _ text: String, in schema: ObjectSchema
  ) throws(ImportError) -> RealmValue {
    // The parser takes arrays and objects only.
    let bytes = [UInt8(ascii: "[")] + Array(text.utf8) + [UInt8(ascii: "]")]
    let block = TextBlock(0..<bytes.count)
    block.fill(bytes)
    do throws(ImportError) {
      let record = try JSONParser().parse(block, block.range)
      guard record.count(0) == 1 else { throw ImportError(.notJSON("one value is expected")) }
      return try value(record, text, schema)
    } catch {
      guard case .notJSON = error.kind, isBareWord(text) else {
        var error = error
        error.offset = error.offset.map { min(max(0, $0 - 1), text.utf8.count) }
        throw error
      }
      return .string(text)
    }
  }

  /// Whether `text` starts like no array, object or string.
  private static func isBareWord(_ text: String) -> Bool {
    guard let first = text.utf8.first(where: { !JSONScan.isSpace($0) }) else { return true }
    return ![UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(first)
  }

  private static func value(
    _ record: JSONRecord, _ text: String, _ schema: ObjectSchema
  ) throws(ImportError) -> RealmValue {
    let filler = MixedFiller(FillContext(schema, ImportOptions()))
    do throws(ValueError) {
      try filler.append(record, 1)
    } catch {
      throw ImportError(error.kind, offset: record.offset(error.token))
    }
    do throws(RealmFileError) {
      return try BatchColumn(filler.finish()).value(at: 0)
    } catch {
      throw ImportError(.file(error))
    }
  }
}
