import RealmModel
import RealmStorage

/// Writes mixed values, lists, sets and dictionaries.
extension ObjectTextWriter {
  /// Appends a value of `column`, which can be of any type.
  func append(
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
      return try append(
        entries: dictionaries, i, of: property, isMixedValue: true, to: &target)
    case .string(let bytes), .binary(let bytes):
      guard target.hasRoom(for: bytes) else { return false }
      append(plain: value, inMixed: true, to: &target)
    default: append(plain: value, inMixed: true, to: &target)
    }
    return true
  }

  func append(
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

  /// Appends `[…]`.
  func append(
    elements column: CollectionColumn, _ row: Int, of property: Property,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    guard let runs = column.runs else {
      let range = column.range(of: row)
      guard !range.isEmpty else {
        target.text.append("[]")
        return true
      }
      target.text.append(UInt8(ascii: "["))
      guard try append(elements: column, range, property, isFirst: true, to: &target) else {
        return false
      }
      target.text.append(UInt8(ascii: "]"))
      return true
    }
    target.text.append(UInt8(ascii: "["))
    var isFirst = true
    while let run = try runs.next() {
      guard try append(elements: run, run.range(of: 0), property, isFirst: isFirst, to: &target)
      else { return false }
      isFirst = false
      target.relieve()
    }
    target.text.append(UInt8(ascii: "]"))
    return true
  }

  /// Appends elements separated by commas, with a comma before the first one unless `isFirst`.
  func append(
    elements column: CollectionColumn, _ range: Range<Int>, _ property: Property, isFirst: Bool,
    to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    guard let first = range.first else { return true }
    let elements = TextTarget.Elements(&target)
    defer { elements.end(&target) }
    guard !target.canRelieve else {
      guard
        try append(
          column.elements, first..<(first + 1), of: property, prefix: isFirst ? nothing : comma,
          isElement: true, to: &target)
      else { return false }
      return try append(
        column.elements, (first + 1)..<range.upperBound, of: property, prefix: comma,
        isElement: true, to: &target)
    }
    // Done once instead of for each element: the bracket overwrites the comma before the first one.
    let start = target.text.count
    if isFirst { target.text.cut(to: start - 1) }
    guard
      try append(
        column.elements, range, of: property, prefix: comma, isElement: true, to: &target)
    else { return false }
    if isFirst { target.text.set(UInt8(ascii: "["), at: start - 1) }
    return true
  }

  /// Appends `{…}`, in one of the forms of a dictionary.
  ///
  /// - Parameter isMixedValue: whether the dictionary is the value of a mixed property or element.
  func append(
    entries column: CollectionColumn, _ row: Int, of property: Property,
    isMixedValue: Bool = false, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    let isMixed = property.type == .mixed
    guard let runs = column.runs else {
      let range = column.range(of: row)
      if isMixedValue, style.isAmbiguous(keys: column.keys, range) {
        target.losses.add(.ambiguousValues)
      }
      let form = style.dictionaryForm(keys: column.keys, range, isMixed: isMixed)
      style.appendDictionaryStart(form, to: &target.text)
      guard try append(entries: column, range, property, form, isFirst: true, to: &target) else {
        return false
      }
      style.appendDictionaryEnd(form, to: &target.text)
      return true
    }
    var form = style.dictionaryForm(keys: nil, 0..<0, isMixed: isMixed)
    var isAmbiguous = false
    while let keys = try runs.nextKeys() {
      form = max(form, style.dictionaryForm(keys: keys, 0..<keys.count, isMixed: isMixed))
      isAmbiguous = isAmbiguous || style.isAmbiguous(keys: keys, 0..<keys.count)
    }
    if isMixedValue, isAmbiguous { target.losses.add(.ambiguousValues) }
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

  func append(
    entries column: CollectionColumn, _ range: Range<Int>, _ property: Property,
    _ form: DictionaryForm, isFirst: Bool, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    guard let keys = column.keys else { return true }
    let elements = TextTarget.Elements(&target)
    defer { elements.end(&target) }
    for i in range {
      if !isFirst || i > range.lowerBound { target.text.append(UInt8(ascii: ",")) }
      if form == .pairs { target.text.append(UInt8(ascii: "[")) }
      if case .string(let bytes) = keys[i], !target.hasRoom(for: bytes) { return false }
      style.append(key: keys[i], to: &target)
      target.text.append(form == .pairs ? UInt8(ascii: ",") : UInt8(ascii: ":"))
      guard try append(column.elements, i..<(i + 1), of: property, prefix: nothing, to: &target)
      else {
        return false
      }
      if form == .pairs { target.text.append(UInt8(ascii: "]")) }
      target.relieve()
    }
    return true
  }
}
