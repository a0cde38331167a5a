import RealmModel
import RealmStorage

/// Writes the objects of batches as text, in one style. Belongs to one thread.
///
/// The text of each column is made for all objects at one time, so that the kind of its values is looked
/// at once a batch, and is then taken object by object. What is too long for that is written when its
/// object is.
final class ObjectTextWriter<Style: TextStyle> {
  /// Bytes of text of all columns of a batch that are made at one time.
  private static var columnLimit: Int { 4 << 20 }

  let style: Style
  let schema: ObjectSchema
  private let comma = [UInt8(ascii: ",")]
  /// The names of the properties of each class, `"name":`, all but the first with a comma in front.
  private var names: [[[UInt8]]?]
  /// The texts of the columns of the batch that is written.
  private var columns = TextTarget(recordingUpTo: columnLimit)
  /// Where the ends of each column begin in `columns`, -1 for one that is written with its objects.
  private var starts: [Int] = []

  init(_ style: Style, schema: ObjectSchema) {
    (self.style, self.schema) = (style, schema)
    names = Array(repeating: nil, count: schema.classes.count)
  }

  private func names(_ position: Int) -> [[UInt8]] {
    if let known = names[position] { return known }
    var made: [[UInt8]] = []
    for property in schema.classes[position].properties {
      made.append((made.isEmpty ? [] : [UInt8(ascii: ",")]) + style.memberName(property.name))
    }
    names[position] = made
    return made
  }

  // MARK: Objects

  /// Appends the objects of `batch`.
  ///
  /// - Parameters:
  ///   - begin: called before each object, to append what stands in front of it.
  ///   - end: called after each object.
  /// - Throws: what reading large collections throws.
  func append(
    _ batch: ObjectBatch, to target: inout TextTarget,
    begin: (inout TextBuffer) -> Void, end: (inout TextBuffer) -> Void
  ) throws(RealmFileError) {
    let names = names(batch.classPosition)
    let objectClass = schema.classes[batch.classPosition]
    try prepare(batch, names)
    // Out of self for the loop: each look at a property of an object is checked for exclusive access.
    var prepared = TextTarget(recordingUpTo: 0)
    swap(&prepared, &columns)
    defer { swap(&prepared, &columns) }
    let starts = starts
    for row in 0..<batch.count {
      begin(&target.text)
      let key = row < batch.keys.count ? batch.keys[row] : nil
      let needsComma = style.appendObjectStart(objectClass, key: key, to: &target.text)
      if needsComma && !starts.isEmpty { target.text.append(UInt8(ascii: ",")) }
      for i in starts.indices {
        let start = starts[i]
        if start >= 0 {
          target.text.append(
            prepared.ends[start &+ row]..<prepared.ends[start &+ row &+ 1], of: prepared.text)
        } else if let column = batch.columns[i] {
          _ = try append(
            column, row..<(row + 1), of: objectClass.properties[i], prefix: names[i], to: &target)
        }
      }
      target.text.append(UInt8(ascii: "}"))
      end(&target.text)
      target.relieve()
    }
  }

  /// Makes the texts of the columns of `batch`.
  private func prepare(
    _ batch: ObjectBatch, _ names: [[UInt8]]
  ) throws(RealmFileError) {
    columns.removeAll()
    starts.removeAll(keepingCapacity: true)
    let properties = schema.classes[batch.classPosition].properties
    // Taken out of self while the columns are written by it.
    var target = TextTarget(recordingUpTo: 0)
    swap(&target, &columns)
    defer { swap(&target, &columns) }
    for i in batch.columns.indices {
      guard let column = batch.columns[i], !column.isInRuns else {
        starts.append(-1)
        continue
      }
      let (textStart, endStart) = (target.text.count, target.ends.count)
      // One end more than rows: the first is where the text of row 0 starts.
      target.endRow()
      let isDone = try append(
        column, 0..<batch.count, of: properties[i], prefix: names[i], to: &target)
      if isDone {
        starts.append(endStart)
      } else {
        target.cut(to: textStart, endCount: endStart)
        starts.append(-1)
      }
    }
  }

  /// Appends `prefix` and the object of `row` of `objects`, which is embedded.
  private func append(
    embedded row: Int, of objects: ObjectBatch, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    let objectClass = schema.classes[objects.classPosition]
    let properties = TextTarget.Elements(&target)
    defer { properties.end(&target) }
    style.appendEmbeddedStart(objectClass, to: &target.text)
    let key = row < objects.keys.count ? objects.keys[row] : nil
    var needsComma = style.appendObjectStart(objectClass, key: key, to: &target.text)
    for i in objects.columns.indices {
      guard let column = objects.columns[i] else { continue }
      if needsComma { target.text.append(UInt8(ascii: ",")) }
      needsComma = true
      let name = style.memberName(objectClass.properties[i].name)
      guard
        try append(
          column, row..<(row + 1), of: objectClass.properties[i], prefix: name, to: &target)
      else { return false }
    }
    target.text.append(UInt8(ascii: "}"))
    style.appendEmbeddedEnd(to: &target.text)
    return true
  }

  // MARK: Columns

  /// Appends the values in `rows` of a column, each behind `prefix`.
  ///
  /// - Parameter isElement: the values are the elements of a list or set.
  /// - Returns: false where the text became longer than the target takes; it is then cut by the caller.
  /// - Throws: what reading large collections throws.
  private func append(
    _ column: ColumnValues, _ rows: Range<Int>, of property: Property, prefix: [UInt8],
    isElement: Bool = false, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    switch column {
    case .scalar(let column): return append(column, rows, prefix, to: &target)
    case .link(let column): append(column, rows, prefix, isElement: isElement, to: &target)
    case .embedded(let column):
      for row in rows {
        target.text.append(bytes: prefix)
        let object = column.rows[row]
        if object < 0 {
          target.text.append("null")
        } else {
          guard try append(embedded: object, of: column.objects, to: &target) else { return false }
        }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    case .mixed(let column):
      for row in rows {
        target.text.append(bytes: prefix)
        guard
          try append(
            column.values[row], of: column, property: property, isElement: isElement, to: &target)
        else { return false }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    case .collection(let column):
      for row in rows {
        target.text.append(bytes: prefix)
        guard try append(collection: column, row, of: property, to: &target) else { return false }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    }
    return target.text.count <= target.limit
  }

  private func append(
    _ column: LinkColumn, _ rows: Range<Int>, _ prefix: [UInt8], isElement: Bool,
    to target: inout TextTarget
  ) {
    let objectClass = schema.classes[column.target]
    let (nulls, unresolved) = (column.nulls, column.unresolved)
    column.forEachIdentity(rows) { row, identity in
      target.text.append(bytes: prefix)
      if nulls[row] {
        target.text.append("null")
      } else {
        append(
          linkTo: objectClass, identity: identity, isUnresolved: unresolved[row], isTyped: false,
          isElement: isElement, to: &target)
      }
      target.endRow()
    }
  }

  /// Appends scalars: the kind of the values is looked at once.
  private func append(
    _ column: ScalarColumn, _ rows: Range<Int>, _ prefix: [UInt8], to target: inout TextTarget
  ) -> Bool {
    @inline(__always)
    func each(
      _ nulls: NullMask, _ target: inout TextTarget, _ write: (Int, inout TextTarget) -> Void
    ) {
      for row in rows {
        target.text.append(bytes: prefix)
        if nulls[row] { target.text.append("null") } else { write(row, &target) }
        target.endRow()
      }
    }
    @inline(__always)
    func each(
      _ values: SliceColumn, _ target: inout TextTarget,
      _ write: (ByteSlice, inout TextTarget) -> Void
    ) -> Bool {
      values.forEach(rows) { row, value in
        target.text.append(bytes: prefix)
        if let value {
          // No byte becomes more than six.
          guard value.count <= (target.limit - target.text.count) / 6 else { return false }
          write(value, &target)
        } else {
          target.text.append("null")
        }
        target.endRow()
        return true
      }
    }
    switch column {
    case .int(let values, let nulls):
      each(nulls, &target) { style.append(int: values[$0], to: &$1.text) }
    case .bool(let values, let nulls):
      each(nulls, &target) { values[$0] ? $1.text.append("true") : $1.text.append("false") }
    case .float(let values, let nulls):
      each(nulls, &target) { style.append(float: values[$0], inMixed: false, to: &$1.text) }
    case .double(let values, let nulls):
      each(nulls, &target) { style.append(double: values[$0], to: &$1.text) }
    case .string(let values):
      guard each(values, &target, { style.append(string: $0, to: &$1) }) else { return false }
    case .binary(let values):
      guard each(values, &target, { style.append(binary: $0, to: &$1) }) else { return false }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      each(nulls, &target) {
        style.append(seconds: seconds[$0], nanoseconds: nanoseconds[$0], to: &$1.text)
      }
    case .decimal(let values):
      each(NullMask(), &target) {
        values[$0].isNull
          ? $1.text.append("null") : style.append(decimal: values[$0], to: &$1.text)
      }
    case .objectId(let values):
      return each(values, &target) { style.append(objectId: $0, to: &$1.text) }
    case .uuid(let values):
      return each(values, &target) { style.append(uuid: $0, to: &$1.text) }
    }
    return target.text.count <= target.limit
  }

  // MARK: Values

  private func append(
    linkTo objectClass: ObjectClass, identity: BatchValue, isUnresolved: Bool, isTyped: Bool,
    isElement: Bool, to target: inout TextTarget
  ) {
    let form =
      isUnresolved
      ? style.appendUnresolvedStart(
        to: objectClass, isTyped: isTyped, isElement: isElement, text: &target.text)
      : style.appendLinkStart(
        to: objectClass, identity: identity, isTyped: isTyped, text: &target.text)
    switch (form, identity) {
    case (.done, _): return
    case (.objectKey(let end), .int(let key)):
      target.text.append(decimal: key)
      target.text.append(end)
    case (.resolvedKey(let end), .int(let key)):
      style.append(int: ObjectKey(key).unresolved.raw, to: &target.text)
      target.text.append(end)
    case (.value(let end), _), (.objectKey(let end), _), (.resolvedKey(let end), _):
      append(plain: identity, inMixed: false, to: &target)
      target.text.append(end)
    }
  }

  /// A value that is neither a link nor a collection.
  private func append(
    plain value: BatchValue, inMixed: Bool, to target: inout TextTarget
  ) {
    switch value {
    case .int(let number): style.append(int: number, to: &target.text)
    case .bool(let flag): flag ? target.text.append("true") : target.text.append("false")
    case .float(let number): style.append(float: number, inMixed: inMixed, to: &target.text)
    case .double(let number): style.append(double: number, to: &target.text)
    case .string(let bytes): style.append(string: bytes, to: &target)
    case .binary(let bytes): style.append(binary: bytes, to: &target)
    case .timestamp(let seconds, let nanoseconds):
      style.append(seconds: seconds, nanoseconds: nanoseconds, to: &target.text)
    case .decimal(let number): style.append(decimal: number, to: &target.text)
    case .objectId(let bytes): style.append(objectId: bytes, to: &target.text)
    case .uuid(let bytes): style.append(uuid: bytes, to: &target.text)
    case .null, .link, .list, .dictionary: target.text.append("null")
    }
  }

  /// A value of `column`, which holds values of any type.
  private func append(
    _ value: BatchValue, of column: MixedColumn, property: Property, isElement: Bool,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    switch value {
    case .link(let i):
      let link = column.links[i]
      append(
        linkTo: schema.classes[link.target],
        identity: link.identity ?? link.key.map { .int($0.raw) } ?? .null,
        isUnresolved: link.isUnresolved, isTyped: true, isElement: isElement, to: &target)
    case .list(let i):
      guard let lists = column.lists else { break }
      return try append(elements: lists, i, of: property, to: &target)
    case .dictionary(let i):
      guard let dictionaries = column.dictionaries else { break }
      return try append(entries: dictionaries, i, of: property, to: &target)
    case .string(let bytes), .binary(let bytes):
      guard bytes.count <= (target.limit - target.text.count) / 6 else { return false }
      append(plain: value, inMixed: true, to: &target)
    default: append(plain: value, inMixed: true, to: &target)
    }
    return true
  }

  // MARK: Collections

  private func append(
    collection column: CollectionColumn, _ row: Int, of property: Property,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    switch property.collection {
    case .dictionary: return try append(entries: column, row, of: property, to: &target)
    case .set:
      style.appendSetStart(to: &target.text)
      guard try append(elements: column, row, of: property, to: &target) else { return false }
      style.appendSetEnd(to: &target.text)
      return true
    case .list, nil: return try append(elements: column, row, of: property, to: &target)
    }
  }

  /// `[…]`.
  private func append(
    elements column: CollectionColumn, _ row: Int, of property: Property,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    target.text.append(UInt8(ascii: "["))
    if let runs = column.runs {
      var isFirst = true
      while let run = try runs.next() {
        guard try append(elements: run, run.range(of: 0), property, isFirst: isFirst, to: &target)
        else { return false }
        isFirst = false
        target.relieve()
      }
    } else {
      guard
        try append(elements: column, column.range(of: row), property, isFirst: true, to: &target)
      else { return false }
    }
    target.text.append(UInt8(ascii: "]"))
    return true
  }

  /// Elements with commas between them, and one in front unless `isFirst`.
  private func append(
    elements column: CollectionColumn, _ range: Range<Int>, _ property: Property, isFirst: Bool,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    guard let first = range.first else { return true }
    let elements = TextTarget.Elements(&target)
    defer { elements.end(&target) }
    guard !target.canRelieve else {
      guard
        try append(
          column.elements, first..<(first + 1), of: property, prefix: isFirst ? [] : comma,
          isElement: true, to: &target)
      else { return false }
      return try append(
        column.elements, (first + 1)..<range.upperBound, of: property, prefix: comma,
        isElement: true, to: &target)
    }
    // Once for all elements: the comma in front of the first one takes the place of the bracket.
    let start = target.text.count
    if isFirst { target.text.cut(to: start - 1) }
    guard
      try append(
        column.elements, range, of: property, prefix: comma, isElement: true, to: &target)
    else { return false }
    if isFirst { target.text.set(UInt8(ascii: "["), at: start - 1) }
    return true
  }

  /// `{…}`, in one of its forms.
  private func append(
    entries column: CollectionColumn, _ row: Int, of property: Property,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    let isMixed = property.type == .mixed
    guard let runs = column.runs else {
      let range = column.range(of: row)
      let form = style.dictionaryForm(keys: column.keys, range, isMixed: isMixed)
      style.appendDictionaryStart(form, to: &target.text)
      guard try append(entries: column, range, property, form, isFirst: true, to: &target) else {
        return false
      }
      style.appendDictionaryEnd(form, to: &target.text)
      return true
    }
    let keys = try runs.keys()
    let form = style.dictionaryForm(keys: keys, 0..<(keys?.count ?? 0), isMixed: isMixed)
    style.appendDictionaryStart(form, to: &target.text)
    var isFirst = true
    while let run = try runs.next() {
      guard
        try append(entries: run, run.range(of: 0), property, form, isFirst: isFirst, to: &target)
      else { return false }
      isFirst = false
      target.relieve()
    }
    style.appendDictionaryEnd(form, to: &target.text)
    return true
  }

  private func append(
    entries column: CollectionColumn, _ range: Range<Int>, _ property: Property,
    _ form: DictionaryForm, isFirst: Bool, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    guard let keys = column.keys else { return true }
    let elements = TextTarget.Elements(&target)
    defer { elements.end(&target) }
    for i in range {
      if !isFirst || i > range.lowerBound { target.text.append(UInt8(ascii: ",")) }
      if form == .pairs { target.text.append(UInt8(ascii: "[")) }
      if case .string(let bytes) = keys[i],
        bytes.count > (target.limit - target.text.count) / 6
      {
        return false
      }
      style.append(key: keys[i], to: &target)
      target.text.append(form == .pairs ? UInt8(ascii: ",") : UInt8(ascii: ":"))
      guard try append(column.elements, i..<(i + 1), of: property, prefix: [], to: &target) else {
        return false
      }
      if form == .pairs { target.text.append(UInt8(ascii: "]")) }
      target.relieve()
    }
    return true
  }
}

extension ColumnValues {
  /// True for large collections, which are read while they are written.
  fileprivate var isInRuns: Bool {
    if case .collection(let column) = self { column.runs != nil } else { false }
  }
}
