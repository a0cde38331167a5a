import RealmModel
import RealmStorage

/// An input of Realm JSON: the facts in its head, and its objects.
struct RealmJSONInput {
  let source: TextSource
  /// The schema version; nil if the app set none.
  let schemaVersion: UInt64?

  /// Returns nil if the layout is of another format.
  ///
  /// - Throws: `notJSON`, `schema`, `structure`, `truncated`, and errors of values.
  init?(_ file: ImportFile, _ layout: JSONLayout, _ options: ImportOptions) throws(ImportError) {
    let parser = JSONParser()
    /// Parses a part of the file, and returns the result of `body`.
    func read<R>(
      _ range: Range<Int>, _ prefix: String = "", _ body: (JSONRecord) throws(ValueError) -> R
    ) throws(ImportError) -> R {
      let record = try parser.parse(try file.block(range), range)
      do throws(ValueError) {
        return try body(record)
      } catch {
        throw file.error(error, in: record, prefix: prefix)
      }
    }
    func readSchema(
      _ record: JSONRecord, _ i: Int, _ head: Head
    ) throws(ValueError) -> FillContext {
      // Objects for an existing realm use the realm's schema.
      if let target = options.targetSchema {
        return FillContext(target, options, isPartial: head.isPartial)
      }
      let (schema, leftOut) = try RealmJSONSchemaReader.read(
        record, i,
        !head.isPartial ? .refused : options.nullsMissingLinks ? .leftOut : .needed)
      return FillContext(schema, options, isPartial: head.isPartial, leftOut: leftOut)
    }
    switch layout.form {
    case .plain: return nil
    case .patchLines: throw ImportError(.isPatch)
    case .realmDocument(let headRange, let schemaRange):
      let head = try read(headRange, "/realm") { (record) throws(ValueError) in
        try Head(record, 0)
      }
      let context = try read(schemaRange, "/schema") { (record) throws(ValueError) in
        try readSchema(record, 0, head)
      }
      schemaVersion = head.schemaVersion
      var input = SourceInput(file, layout)
      input.runClasses = try RealmJSONInput.classes(
        named: layout.runs.compactMap(\.name), context)
      source = TextSource([input], context)
    case .realmLines(let headRange, let countsRange):
      let (head, context) = try read(headRange) { (record) throws(ValueError) in
        guard let realm = record.member(0, "realm"), let schema = record.member(0, "schema"),
          record.count(0) == 2
        else {
          throw ValueError(
            .structure("expected a first line with the members realm and schema"), at: 0)
        }
        let head = try Head(record, realm)
        return (head, try readSchema(record, schema, head))
      }
      schemaVersion = head.schemaVersion
      let stated = try RealmJSONInput.stated(file, countsRange, parser, context)
      source = TextSource([SourceInput(file, layout)], context, stated: stated)
    }
  }

  /// The members of `realm`, the head.
  private struct Head {
    let schemaVersion: UInt64?
    /// Whether classes were left out of the export.
    let isPartial: Bool

    init(_ record: JSONRecord, _ i: Int) throws(ValueError) {
      guard let format = record.member(i, "format"), record.kind(format) == .string,
        record.isText(format, "realm-json"), let version = record.member(i, "version")
      else {
        throw ValueError(.structure("expected the format realm-json and its version"), at: i)
      }
      guard try record.int(version) == RealmJSONHead.version else {
        throw ValueError(
          .structure(
            "found version \(try record.int(version)) of realm-json, expected version 1"),
          at: version)
      }
      isPartial =
        try record.member(i, "partial").map { (i) throws(ValueError) in try record.bool(i) }
        ?? false
      schemaVersion = try record.member(i, "schemaVersion").flatMap { (i) throws(ValueError) in
        try record.schemaVersion(i)
      }
    }
  }

  /// The positions of the classes named in an input; each class may be named once.
  ///
  /// - Throws: `unknownClass`, `structure` for embedded classes, `duplicateMember`.
  static func classes(
    named names: [Name], _ context: FillContext
  ) throws(ImportError) -> [Int] {
    var classes: [Int] = []
    var seen = Set<Int>()
    for name in names {
      guard let position = context.classPosition(named: name.bytes) else {
        throw ImportError(.unknownClass(name.text))
      }
      guard context.schema.classes[position].kind != .embedded else {
        throw ImportError(
          .structure("objects of embedded classes belong inside their owners"),
          className: name.text)
      }
      guard seen.insert(position).inserted else {
        throw ImportError(.duplicateMember(name.text))
      }
      classes.append(position)
    }
    return classes
  }

  /// The number of objects of each class, from the last line.
  private static func stated(
    _ file: ImportFile, _ range: Range<Int>, _ parser: JSONParser, _ context: FillContext
  ) throws(ImportError) -> [Int: Int] {
    let record = try JSONLayout.countsRecord(file, range, parser)
    var stated: [Int: Int] = [:]
    do throws(ValueError) {
      guard let list = record.member(0, "counts") else { return [:] }
      for token in record.names(list) {
        guard let name = RealmJSONSchema.name(ofMember: record.bytes(token).bytes),
          let position = context.classPosition(named: name.bytes)
        else { throw ValueError(.unknownClass(record.bytes(token).text), at: token) }
        stated[position] = try record.objectCount(token + 1)
      }
    } catch {
      throw file.error(error, in: record)
    }
    return stated
  }
}

extension JSONRecord {
  /// A schema version; nil for null.
  func schemaVersion(_ i: Int) throws(ValueError) -> UInt64? {
    guard kind(i) != .null else { return nil }
    guard [.integer, .largeNumber].contains(kind(i)), let number = UInt64(numberText(i)),
      number < .max
    else {
      throw ValueError(.outOfRange(expected: "a schema version of 0 or more, or null"), at: i)
    }
    return number
  }

  /// A number of objects.
  func objectCount(_ i: Int) throws(ValueError) -> Int {
    let count = try int(i)
    guard count >= 0 else {
      throw ValueError(.outOfRange(expected: "a number of objects, 0 or more"), at: i)
    }
    return Int(count)
  }
}
