import RealmModel
import RealmStorage

/// Collects values of any type.
final class MixedFiller: ColumnFiller {
  private let context: FillContext
  /// Number of collections around the values.
  private let level: Int
  /// The collection with the values; nil for single values.
  private let collection: CollectionKind?
  private var values: [BatchValue] = []
  private var links: [MixedColumn.Link] = []
  /// Created for the first nested collection.
  private var lists: ListFiller?
  private var dictionaries: DictionaryFiller?

  /// - Parameters:
  ///   - collection: the collection with the values; nil for single values.
  ///   - level: number of collections around the values, inside the outer mixed value.
  init(_ context: FillContext, in collection: CollectionKind? = nil, level: Int = 0) {
    (self.context, self.collection, self.level) = (context, collection, level)
    super.init(isOptional: true, expected: "a mixed value")
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    switch record.kind(i) {
    case .null: values.append(.null)
    case .no: values.append(.bool(false))
    case .yes: values.append(.bool(true))
    case .integer: values.append(.int(record.integer(i)))
    case .double where record.isWithinDouble(i): values.append(.double(record.number(i)))
    case .double, .largeNumber:
      let text = record.numberText(i)
      if let decimal = Decimal128(text: text) {
        values.append(.decimal(decimal))
      } else if NumberFit(text).fitsDouble {
        values.append(.double(try record.double(i)))
      } else {
        throw ValueError(.rounded(expected: NumberFit.expected), at: i)
      }
    case .string, .name: values.append(.string(try text(record.bytes(i), at: i)))
    case .array:
      try checkCollection(at: i)
      let filler = lists ?? ListFiller(MixedFiller(context, in: .list, level: level + 1))
      lists = filler
      values.append(.list(filler.count))
      try filler.append(record, i)
    case .object:
      guard isWrapper(record, i) else {
        return try appendDictionary(at: i) { (filler) throws(ValueError) in
          try filler.appendMembers(record, i)
        }
      }
      try appendWrapper(record, i)
    }
  }

  /// True if the name of a member begins with `$`.
  private func isWrapper(_ record: JSONRecord, _ i: Int) -> Bool {
    let end = record.end(i)
    var position = i + 1
    while position < end {
      let name = record.bytes(position)
      if name.count > 0, name[0] == UInt8(ascii: "$") { return true }
      position = record.end(position + 1)
    }
    return false
  }

  /// Checks that a list or dictionary can be here.
  ///
  /// - Throws: `structure` in a set, and for more levels than a realm can have.
  private func checkCollection(at i: Int) throws(ValueError) {
    guard collection != .set else {
      throw ValueError(.structure("a set cannot hold lists and dictionaries"), at: i)
    }
    guard level < MixedValue.collectionLevels else {
      throw ValueError(
        .structure(
          "lists and dictionaries of a mixed value are nested deeper than "
            + "\(MixedValue.collectionLevels) levels"), at: i)
    }
  }

  private func appendDictionary(
    at i: Int, _ body: (DictionaryFiller) throws(ValueError) -> Void
  ) throws(ValueError) {
    try checkCollection(at: i)
    let filler =
      dictionaries
      ?? DictionaryFiller(
        MixedFiller(context, in: .dictionary, level: level + 1), hasIntegerKeys: false, context)
    dictionaries = filler
    values.append(.dictionary(filler.count))
    try body(filler)
  }

  /// Checks the size of a string or binary. In a mixed value, both end with a zero byte.
  private func text(_ bytes: ByteSlice, at i: Int) throws(ValueError) -> ByteSlice {
    try bytes.checked(BlobLimits.string, "a value", at: i)
  }

  private func appendWrapper(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    let name = i + 1
    if record.isText(name, "$link"), let inner = record.only(i, "$link") {
      return try appendLink(record, LinkParts(record, inner), at: inner)
    }
    if let reference = LinkParts(reference: i, in: record) {
      return try appendLink(record, reference, at: i)
    }
    if record.isText(name, "$dictionary"), let inner = record.only(i, "$dictionary") {
      return try appendDictionary(at: i) { (filler) throws(ValueError) in
        try filler.appendWrapped(record, inner)
      }
    }
    let value: BatchValue
    if record.isText(name, "$date") {
      let pair = try record.date(i)
      value = .timestamp(seconds: pair.seconds, nanoseconds: pair.nanoseconds)
    } else if record.isText(name, "$oid") {
      value = .objectId(try record.objectId(i))
    } else if record.isText(name, "$uuid") {
      value = .uuid(try record.uuid(i))
    } else if record.isText(name, "$binary") {
      value =
        record.isBinaryUUID(i)
        ? .uuid(try record.uuid(i)) : .binary(try text(try record.binary(i, context), at: i))
    } else if record.isText(name, "$numberDecimal") {
      value = .decimal(try record.decimal(i))
    } else if record.isText(name, "$numberDouble") {
      value = .double(try record.double(i))
    } else if record.isText(name, "$numberLong") || record.isText(name, "$numberInt") {
      value = .int(try record.int(i))
    } else if record.isText(name, "$string") {
      value = .string(try text(try record.string(i), at: i))
    } else if let inner = record.only(i, "$float") {
      value = .float(try record.float(inner))
    } else {
      throw ValueError(
        .wrongType(expected: "a value or one of the known wrappers with $"),
        at: i)
    }
    values.append(value)
  }

  private func appendLink(
    _ record: JSONRecord, _ parts: LinkParts, at i: Int
  ) throws(ValueError) {
    guard let name = parts.className else {
      throw ValueError(.wrongType(expected: "a link with a class"), at: i)
    }
    guard let target = try context.linkedClass(record, name) else {
      // Lists and sets lose links to missing objects.
      if collection != .list, collection != .set { values.append(.null) }
      return
    }
    let objectClass = context.schema.classes[target]
    var (key, identity): (ObjectKey?, BatchValue?) = (nil, nil)
    if let primaryKey = objectClass.primaryKey {
      let type = objectClass.properties[primaryKey].type
      switch (record.kind(parts.id), type) {
      case (.null, _): identity = .null
      case (_, .string): identity = .string(try record.string(parts.id))
      case (_, .objectId): identity = .objectId(try record.objectId(parts.id))
      case (_, .uuid): identity = .uuid(try record.uuid(parts.id))
      default: identity = .int(try record.int(parts.id))
      }
    } else {
      key = try record.objectKey(parts.id, isUnresolved: parts.isUnresolved)
    }
    values.append(.link(links.count))
    links.append(
      MixedColumn.Link(
        target: target, key: key, identity: identity, isUnresolved: parts.isUnresolved))
  }

  override func appendNull() { values.append(.null) }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { (values, links, lists, dictionaries) = ([], [], nil, nil) }
    var column = MixedColumn(values: values)
    column.links = links
    column.lists = lists?.finishCollection()
    column.dictionaries = dictionaries?.finishCollection()
    return .mixed(column)
  }
}
