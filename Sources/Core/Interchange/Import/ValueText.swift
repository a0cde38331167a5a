package import RealmModel
import RealmStorage

/// Reads one value from a user's argument.
package enum ValueText {
  /// The value in `text`: JSON with the wrappers of Realm JSON, or a bare word, which is a string.
  ///
  /// - Parameter schema: the schema with the classes of links.
  /// - Throws: `notJSON`, `truncated`; errors of the value, with its offset in `text`.
  package static func value(
    _ text: String, in schema: ObjectSchema
  ) throws(ImportError) -> RealmValue {
    // The parser takes only arrays and objects: another value becomes an array of one.
    let first = text.utf8.first { !JSONScan.isSpace($0) }
    let isWrapped = first != UInt8(ascii: "[") && first != UInt8(ascii: "{")
    let bytes = isWrapped ? Array("[\(text)]".utf8) : Array(text.utf8)
    let block = TextBlock(0..<bytes.count)
    block.fill(bytes)
    do throws(ImportError) {
      let record = try JSONParser().parse(block, block.range)
      guard isWrapped else { return try value(record, 0, schema) }
      guard record.count(0) == 1 else { throw ImportError(.notJSON("expected one value")) }
      return try value(record, 1, schema)
    } catch {
      guard isWrapped else { throw error }
      guard first == UInt8(ascii: "\"") else { return .string(text) }
      var error = error
      error.offset = error.offset.map { min(max(0, $0 - 1), text.utf8.count) }
      throw error
    }
  }

  private static func value(
    _ record: JSONRecord, _ token: Int, _ schema: ObjectSchema
  ) throws(ImportError) -> RealmValue {
    let filler = MixedFiller(FillContext(schema, ImportOptions()))
    do throws(ValueError) {
      try filler.append(record, token)
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
