import RealmInterchange
import RealmModel
import RealmStorage

/// Writes values as HTML: in a line, for the cells of tables, and in full, for the page of an object.
struct ValueWriter: ~Copyable {
  /// Maximum number of bytes of a string in a cell, and in full.
  private static let cellByteCount = 120
  private static let fullByteCount = 4000
  /// Number of elements or properties in a cell, and of elements in full before the rest gets a page of its own.
  private static let cellElements = 3
  private static let fullElements = 20
  /// Levels of objects and collections that are open in full.
  private static let openLevels = 4
  /// Number of nested values that are open on a page.
  private static let openValues = 4000
  /// Number of bytes of a binary in full.
  private static let binaryByteCount = 256

  private let urls: RealmURLs
  private let schema: ObjectSchema
  /// Finds the targets of links in a realm with a draft; nil for a realm without one.
  private let targets: LinkTargets?
  /// What values in full are edited with; nil if they are only shown.
  private let controls: ValueControls?
  private var plain = PlainValueText()
  /// Number of nested values that may still be written.
  private var left = openValues

  init(
    _ urls: RealmURLs, _ schema: ObjectSchema, _ targets: LinkTargets? = nil,
    _ controls: ValueControls? = nil
  ) {
    (self.urls, self.schema, self.targets, self.controls) = (urls, schema, targets, controls)
  }

  /// The text of a scalar, of a string at most `limit` bytes and an ellipsis.
  mutating func text(of value: BatchValue, limit: Int = .max) -> String {
    switch value {
    case .null: return "null"
    case .string(let bytes) where bytes.count > limit: return ValueWriter.start(of: bytes, limit)
    case .binary(let bytes): return ValueWriter.count(bytes.count, "byte")
    default: return plain.text(of: value)
    }
  }

  /// The first bytes of a string, up to the end of a character.
  static func start(of bytes: ByteSlice, _ limit: Int) -> String {
    var end = limit
    while end > 0, end > limit - 4, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return bytes.part(0..<end).text + "…"
  }

  static func count(_ count: Int, _ noun: String) -> String {
    "\(count.grouped) \(noun)\(count == 1 ? "" : "s")"
  }

  // MARK: Cells

  /// Adds a value in one line.
  mutating func cell(_ value: ShownValue, to html: inout HTML) throws(RealmFileError) {
    switch value {
    case .scalar(let scalar): cell(scalar, to: &html)
    case .link(let link): try add(link, withClass: false, to: &html)
    case .object, .collection:
      html.element("span", ["class": "parts"], try summary(value, levels: 1))
    }
  }

  private mutating func cell(_ value: BatchValue, to html: inout HTML) {
    switch value {
    case .null: html.element("span", ["class": "null"], "null")
    case .string(let bytes) where bytes.isEmpty:
      html.element("span", ["class": "null"], "empty")
    case .binary:
      html.element("span", ["class": "parts"], text(of: value))
    default:
      let text = text(of: value, limit: ValueWriter.cellByteCount)
      html.text(text.split(whereSeparator: \.isNewline).joined(separator: " ⏎ "))
    }
  }

  /// A value in a line of text.
  mutating func line(_ value: ShownValue) throws(RealmFileError) -> String {
    switch value {
    case .scalar(let scalar): text(of: scalar, limit: ValueWriter.cellByteCount)
    case .link(let link): label(of: link)
    case .object, .collection: try summary(value, levels: 1)
    }
  }

  /// The parts of a value in a line of text.
  private mutating func summary(
    _ value: ShownValue, levels: Int
  ) throws(RealmFileError) -> String {
    switch value {
    case .scalar(let scalar): return text(of: scalar, limit: 24)
    case .link(let link): return text(of: link.identity, limit: 24)
    case .object(let batch, let row):
      guard levels > 0 else { return "{…}" }
      let properties = schema.classes[batch.classPosition].properties
      var parts: [String] = []
      for (property, column) in zip(properties, batch.columns) {
        guard let column, parts.count < ValueWriter.cellElements else { break }
        let value = ShownValue(column, row)
        if case .scalar(.null) = value { continue }
        parts.append("\(property.name.text): \(try summary(value, levels: levels - 1))")
      }
      return parts.isEmpty
        ? "{}" : "{\(parts.joined(separator: ", "))\(properties.count > parts.count ? ", …" : "")}"
    case .collection(let collection):
      guard levels > 0 else { return "[…]" }
      var parts: [String] = []
      let hasMore = try collection.forEach(in: 0..<ValueWriter.cellElements) {
        (_, key, value) throws(RealmFileError) in
        let name = key.map { text(of: $0, limit: 24) + ": " } ?? ""
        parts.append(name + (try summary(value, levels: levels - 1)))
      }
      let list = parts.joined(separator: ", ") + (hasMore ? ", …" : "")
      let count = collection.count.map { $0.grouped } ?? "many"
      return parts.isEmpty ? "none" : "\(count): \(list)"
    }
  }

  /// The identity of the target of a link, with its class if that has no primary key.
  mutating func label(of link: ShownLink) -> String {
    let target = schema.classes[link.target]
    let identity = identity(of: link)
    return target.primaryKey == nil
      ? "\(target.name.text) \(identity)" : identity.isEmpty ? "“”" : identity
  }

  private mutating func identity(of link: ShownLink) -> String {
    text(of: link.identity, limit: ValueWriter.cellByteCount)
  }

  /// Adds a link to another object.
  private mutating func add(
    _ link: ShownLink, withClass: Bool, to html: inout HTML
  ) throws(RealmFileError) {
    let name = schema.classes[link.target].name.text
    let found = try targets.map { (targets) throws(RealmFileError) in try targets.key(of: link) }
    guard let key = found ?? link.key, !link.isUnresolved, !key.isUnresolved, !key.isNull else {
      html.element(
        "span", ["class": "null", "title": "not in this realm"],
        "\(name) \(identity(of: link)), unresolved")
      return
    }
    let isRemoved = targets?.isRemoved(key, ofClassAt: link.target) ?? false
    html.element(
      "a",
      [
        "href": urls.object(key, of: ClassAddress(link.target, in: schema)),
        "class": isRemoved ? "link removed" : "link",
        "title": isRemoved ? "removed in the draft" : nil,
      ], label(of: link))
    if withClass, schema.classes[link.target].primaryKey != nil {
      html.element("span", ["class": "type"], " \(name)")
    }
  }

  // MARK: In full

  /// An object whose values are written in full.
  struct Owner {
    let key: ObjectKey
    let address: ClassAddress
  }

  /// Adds a value with its parts.
  ///
  /// - Parameters:
  ///   - kind: what the value can be.
  ///   - path: the way to the value from `owner`.
  ///   - from: number of the first element to show of the value itself.
  mutating func full(
    _ value: ShownValue, _ kind: ValueKind, at path: ValuePath, of owner: Owner, from: Int = 0,
    isAlone: Bool = false, level: Int = 0, to html: inout HTML
  ) throws(RealmFileError) {
    switch value {
    case .scalar(.string(let bytes)) where !bytes.isEmpty:
      full(bytes, at: path, of: owner, isAlone: isAlone, to: &html)
    case .scalar(.binary(let bytes)):
      full(binary: bytes, at: path, of: owner, from: from, isAlone: isAlone, to: &html)
    case .scalar(let scalar): cell(scalar, to: &html)
    case .link(let link): try add(link, withClass: true, to: &html)
    case .object(let batch, let row):
      try nested(level, path, owner, to: &html) { (writer, html) throws(RealmFileError) in
        try writer.properties(of: batch, row, at: path, of: owner, level: level, to: &html)
      }
    case .collection(let collection):
      try nested(level, path, owner, to: &html) { (writer, html) throws(RealmFileError) in
        try writer.elements(
          of: collection, kind, at: path, of: owner, from: from, isAlone: isAlone, level: level,
          to: &html)
      }
    }
  }

  /// Calls `body`, or adds a link to a page of its own for a part that is nested too deep to be open.
  private mutating func nested(
    _ level: Int, _ path: ValuePath, _ owner: Owner, to html: inout HTML,
    _ body: (inout ValueWriter, inout HTML) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    guard level < ValueWriter.openLevels, left > 0 || level == 0 else {
      html.element("a", ["href": url(path, owner), "class": "more"], "open")
      return
    }
    try body(&self, &html)
  }

  private func url(_ path: ValuePath, _ owner: Owner, from: Int = 0) -> String {
    var query = URLQuery([("at", path.text)])
    if from > 0 { query = query.with("from", "\(from)") }
    return urls.object(owner.key, of: owner.address, query)
  }

  /// Adds the properties of an object as a list of definitions.
  mutating func properties(
    of batch: ObjectBatch, _ row: Int, at path: ValuePath, of owner: Owner, level: Int,
    to html: inout HTML
  ) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    try html.element("dl", ["class": level == 0 ? "object" : "nested"]) {
      (html) throws(RealmFileError) in
      for (position, property) in objectClass.properties.enumerated() {
        guard position < batch.columns.count, let column = batch.columns[position] else { continue }
        html.element("dt") { html in
          html.element("span", ["class": "name"], property.name.text)
          html.element("span", ["class": "type"], property.notation(in: objectClass, schema))
        }
        if level > 0 { left -= 1 }
        let (value, path) = (ShownValue(column, row), path.appending(position))
        let kind = ValueKind(property, in: schema)
        try html.element("dd", controls?.attributes(of: path) ?? [:]) {
          (html) throws(RealmFileError) in
          try full(value, kind, at: path, of: owner, level: level + 1, to: &html)
          controls?.add(to: value, kind, at: path, &html)
        }
      }
    }
  }

  private mutating func elements(
    of collection: ShownCollection, _ kind: ValueKind, at path: ValuePath, of owner: Owner,
    from: Int, isAlone: Bool, level: Int, to html: inout HTML
  ) throws(RealmFileError) {
    let size = isAlone ? ObjectPage.elementsPerPage : ValueWriter.fullElements
    let isDictionary = collection.isDictionary
    var count = 0
    var hasMore = false
    var list = HTML()
    try list.element("ol", ["class": "elements", "start": "\(from)"]) {
      (html) throws(RealmFileError) in
      hasMore = try collection.forEach(in: from..<(from + size)) {
        (number, key, value) throws(RealmFileError) in
        (count, left) = (count + 1, left - 1)
        try html.element("li") { (html) throws(RealmFileError) in
          if isDictionary, let key {
            html.element("span", ["class": "key"], text(of: key, limit: ValueWriter.cellByteCount))
          } else {
            html.element("span", ["class": "index"], "\(number)")
          }
          try html.element("div") { (html) throws(RealmFileError) in
            try full(
              value, kind.element, at: path.appending(number), of: owner, level: level + 1,
              to: &html)
          }
          controls?.add(
            toElement: number, value, kind.element, of: collection,
            kind.collection ?? (isDictionary ? .dictionary : .list),
            at: path.appending(number), &html)
        }
      }
    }
    guard count > 0 else {
      html.element("span", ["class": "null"], from == 0 ? "none" : "no more elements")
      return
    }
    html.add(list)
    guard hasMore || from > 0 else { return }
    html.element("p", ["class": "pages"]) { html in
      let all = collection.count.map { " of \($0.grouped)" } ?? ""
      html.element("span", "\(from.grouped)–\((from + count - 1).grouped)\(all)")
      if isAlone, from > 0 {
        html.element(
          "a", ["href": url(path, owner, from: max(0, from - size)), "rel": "prev"], "previous")
      }
      if hasMore {
        html.element(
          "a", ["href": url(path, owner, from: isAlone ? from + count : 0), "rel": "next"],
          isAlone ? "next" : "all")
      }
    }
  }

  private func full(
    _ bytes: ByteSlice, at path: ValuePath, of owner: Owner, isAlone: Bool, to html: inout HTML
  ) {
    let limit = isAlone ? ObjectPage.stringByteCount : ValueWriter.fullByteCount
    let isCut = bytes.count > limit
    html.element(
      "div", ["class": "string"], isCut ? ValueWriter.start(of: bytes, limit) : bytes.text)
    if isCut {
      addValueLink("all \(ValueWriter.count(bytes.count, "byte"))", path, owner, to: &html)
    }
  }

  private func full(
    binary bytes: ByteSlice, at path: ValuePath, of owner: Owner, from: Int, isAlone: Bool,
    to html: inout HTML
  ) {
    let size = isAlone ? ObjectPage.binaryByteCount : ValueWriter.binaryByteCount
    let start = min(from, bytes.count)
    let shown = start..<min(start + size, bytes.count)
    if let picture = PictureType(bytes) {
      html.void(
        "img",
        [
          "src": urls.value(at: path, of: owner.key, owner.address), "class": "picture",
          "alt": "\(picture.rawValue.uppercased()) picture", "loading": "lazy",
        ])
    }
    if !bytes.isEmpty {
      html.element("pre", ["class": "hex", "tabindex": "0"], HexView.text(bytes, shown))
    }
    html.element("p", ["class": "pages"]) { html in
      html.element("span", ValueWriter.count(bytes.count, "byte"))
      if isAlone, start > 0 {
        html.element(
          "a", ["href": url(path, owner, from: max(0, start - size)), "rel": "prev"], "previous")
      }
      if shown.upperBound < bytes.count {
        html.element(
          "a", ["href": url(path, owner, from: isAlone ? shown.upperBound : 0), "rel": "next"],
          isAlone ? "next" : "all in hex")
      }
      if !bytes.isEmpty {
        html.element("a", ["href": urls.value(at: path, of: owner.key, owner.address)], "the bytes")
      }
    }
  }

  private func addValueLink(
    _ text: String, _ path: ValuePath, _ owner: Owner, to html: inout HTML
  ) {
    html.element("p", ["class": "pages"]) {
      $0.element("a", ["href": urls.value(at: path, of: owner.key, owner.address)], text)
    }
  }
}

extension Property {
  /// The type in the notation for users.
  func notation(in owner: ObjectClass, _ schema: ObjectSchema) -> String {
    let isPrimaryKey = owner.primaryKey.map { owner.properties[$0] === self } ?? false
    let notation = PropertyNotation(self, isPrimaryKey: isPrimaryKey, schema)
    return notation.short ?? notation.long
  }
}

extension Int {
  /// The digits with commas between groups of three.
  var grouped: String {
    let digits = Array(String(magnitude))
    var text = ""
    for (i, digit) in digits.enumerated() {
      if i > 0, (digits.count - i) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + text
  }
}
