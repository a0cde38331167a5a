/// What a text is, by its start.
extension JSONLayout {
  /// Whether the first member of an object is the head of Realm JSON.
  static func isRealmJSON(_ record: JSONRecord) -> Bool {
    guard record.count(0) > 0, record.isText(1, "realm"), let format = record.member(2, "format")
    else { return false }
    return record.kind(format) == .string && record.isText(format, "realm-json")
  }

  /// Where the second object is if the text from `start` on has several ones, one behind the other.
  static func secondDocument(in file: TextFile, from start: Int) -> Int? {
    do throws(ImportError) {
      var walk = try JSONDocumentWalk(file, from: start)
      _ = try walk.value()
      return try walk.next() == UInt8(ascii: "{") ? walk.offset : nil
    } catch {
      // The first object does not end; the caller has an error about it.
      return nil
    }
  }
}
