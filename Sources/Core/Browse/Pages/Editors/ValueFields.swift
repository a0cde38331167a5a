import RealmInterchange
import RealmModel
import RealmStorage

/// The fields of a form in which one value is entered, by its type.
struct ValueFields {
  let kind: ValueKind
  let schema: ObjectSchema
  /// Behind the names of the fields: the position of the property in a form for a whole object.
  var suffix = ""
  /// What the value is, for people who do not see where the field is.
  let label: String
  /// The value before; nil for a new one.
  let value: RealmValue?
  /// What the user entered before an error; nil at first.
  let entered: FormFields?
  /// The identifier of the element with the error; nil if there is none.
  var problem: String?
  /// The URL for the search of targets of links, up to the class; nil for no search.
  var picker: ((ClassAddress) -> String)?
  /// Whether the value is made by the server if the user wants that.
  var canBeMade: Bool { kind.property.type.canBeMade && kind.collection == nil }

  private var property: Property { kind.property }

  /// What a field shows: what was entered, or the value.
  private func text(_ name: String, _ stored: String) -> String {
    entered?[name + suffix] ?? stored
  }

  private var storedText: String {
    value.map { EditorText(schema).text(of: $0) } ?? ""
  }

  private var isNull: Bool {
    if let entered { return entered["null" + suffix] == "1" }
    return value == .null && property.type != .mixed
  }

  /// Adds the fields.
  func add(to html: inout HTML) {
    if property.type == .mixed || property.type == .typedLink {
      mixed(to: &html)
    } else {
      single(to: &html)
      if kind.allowsNull, property.type != .bool { null(to: &html) }
    }
  }

  private func attributes(_ name: StaticString, _ type: StaticString? = nil) -> HTML.Attributes {
    [
      "name": "\(name)\(suffix)", "id": "\(name)\(suffix)", "type": type.map { "\($0)" },
      "aria-invalid": problem == nil ? nil : "true", "aria-describedby": problem,
      "autocomplete": "off", "spellcheck": "false",
    ]
  }

  private func label(_ text: String, for name: StaticString, to html: inout HTML) {
    html.element("label", ["for": "\(name)\(suffix)"], text)
  }

  // MARK: Single values

  private func single(to html: inout HTML) {
    switch property.type {
    case .bool:
      label(label, for: "value", to: &html)
      let options = kind.allowsNull ? ["null", "false", "true"] : ["false", "true"]
      choice(of: options, text("value", storedText), "value", to: &html)
    case .string: string(label, to: &html)
    case .link where ValueFields.needsLines(storedText): string(label, to: &html)
    case .binary: binary(to: &html)
    default:
      label(label, for: "value", to: &html)
      html.void(
        "input",
        attributes("value", "text").with([
          "value": text("value", storedText), "inputmode": inputMode,
          "data-type": property.type.rawValue, "data-pick": pickURL,
        ]))
      if let hint { html.element("p", ["class": "type"], hint) }
    }
    if canBeMade {
      html.element(
        "button", ["type": "submit", "name": "new\(suffix)", "value": "1", "class": "small"],
        "New")
    }
  }

  private var inputMode: String? { property.type == .int ? "numeric" : nil }

  private var pickURL: String? {
    guard property.type == .link, let target = property.target else { return nil }
    return picker?(ClassAddress(target, in: schema))
  }

  private var hint: String? {
    switch property.type {
    case .int: "a whole number of 64 bits"
    case .float, .double: "a number, NaN, Infinity or -Infinity"
    case .decimal: "a number of up to 34 digits, NaN, Infinity or -Infinity"
    case .timestamp: "such as 2026-01-31T12:00:00.123456789Z"
    case .objectId: "24 hexadecimal digits"
    case .uuid: "such as 00000000-0000-0000-0000-000000000000"
    case .link: schema.target(of: property).map { "the \(ValueFields.identityName(of: $0))" }
    default: nil
    }
  }

  /// What objects of a class are named by.
  static func identityName(of owner: ObjectClass) -> String {
    let name = owner.primaryKey.map { owner.properties[$0].name.text } ?? "object key"
    return "\(name) of an object of \(owner.name.text)"
  }

  private func choice(
    of options: [String], _ chosen: String, _ name: StaticString, to html: inout HTML
  ) {
    html.element("select", attributes(name)) { html in
      for option in options {
        html.element(
          "option", ["value": option, "selected": option == chosen ? "" : nil], option)
      }
    }
  }

  private func string(_ label: String, to html: inout HTML) {
    var (text, form) = (storedText, LineBreaks.plain)
    if let entered {
      (text, form) = (
        entered["value" + suffix] ?? "",
        entered["breaks" + suffix].flatMap { LineBreaks(rawValue: $0) } ?? .plain
      )
    } else {
      form = LineBreaks(of: text)
      if form == .escaped { text = ValueFields.escaped(text) }
    }
    self.label(label, for: "value", to: &html)
    // Parsers of HTML remove a line feed at the start, and read all line ends as line feeds.
    html.element(
      "textarea", attributes("value").with(["rows": "\(min(12, ValueFields.rows(text)))"])
    ) {
      html in
      html.verbatim("\n" + text.replacing("\r\n", with: "\n"))
    }
    if form != .plain { EditForms.hidden("breaks\(suffix)", form.rawValue, to: &html) }
    switch form {
    case .plain: break
    case .crlf:
      html.element("p", ["class": "type"], "lines end with a carriage return and a line feed")
    case .escaped:
      html.element(
        "p", ["class": "type"], "written as in JSON, because of its control characters")
    }
    if case .malformedString? = value {
      html.element(
        "p", ["class": "type"], "The stored bytes are not UTF-8. Saving replaces them.")
    }
  }

  /// Whether a text has characters that a field of one line would lose.
  static func needsLines(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 } }

  private static func rows(_ text: String) -> Int {
    text.utf8.count { $0 == 10 } + text.utf8.count / 80 + 1
  }

  /// A string as in JSON, without the quotes.
  private static func escaped(_ text: String) -> String {
    var json = RealmJSONValueText()
    json.append(Name(text))
    return String(String(decoding: json.take(), as: UTF8.self).dropFirst().dropLast())
  }

  private func binary(to html: inout HTML) {
    var byteCount = 0
    if case .binary(let bytes)? = value { byteCount = bytes.count }
    label("\(label), from a file", for: "file", to: &html)
    html.void("input", attributes("file", "file"))
    guard byteCount <= EditorText.binaryByteCount else {
      html.element(
        "p", ["class": "type"],
        "It has \(ValueWriter.count(byteCount, "byte")), which is too long to show here.")
      return
    }
    label("\(label), in hexadecimal digits", for: "value", to: &html)
    html.element("textarea", attributes("value").with(["rows": "4", "class": "code-field"])) {
      $0.verbatim("\n" + text("value", storedText))
    }
  }

  private func null(to html: inout HTML) {
    // Without scripts, the box stays as it is while a text is entered.
    if value == .null || value == nil { EditForms.hidden("unset\(suffix)", "1", to: &html) }
    html.element("label", ["class": "null-choice"]) { html in
      html.void(
        "input",
        [
          "type": "checkbox", "name": "null\(suffix)", "value": "1",
          "checked": isNull ? "" : nil,
        ])
      html.text("null")
    }
  }

  // MARK: Mixed values

  private func mixed(to html: inout HTML) {
    let type = entered?["type" + suffix] ?? MixedType(of: value ?? .null).rawValue
    label("\(label), type", for: "type", to: &html)
    choice(of: MixedType.allCases.map(\.rawValue), type, "type", to: &html)
    string("\(label), value", to: &html)
    html.element(
      "p", ["class": "type"],
      "A binary is hexadecimal digits; a link is the primary key or object key of its target.")
    html.element("div", ["data-for": "link"]) { html in
      label("\(label), class of a link", for: "link", to: &html)
      var target = entered?["link" + suffix] ?? ""
      if case .link(let link)? = value, entered == nil {
        target = schema.classes[link.classPosition].name.text
      }
      let names = schema.topLevelClasses.filter { schema.classes[$0].kind == .topLevel }
        .map { schema.classes[$0].name.text }
      choice(of: names, target, "link", to: &html)
    }
    html.element("div", ["data-for": "binary"]) { html in
      label("\(label), binary from a file", for: "file", to: &html)
      html.void("input", attributes("file", "file"))
    }
    html.element("div", ["data-for": "objectId uuid"]) { html in
      html.element(
        "button", ["type": "submit", "name": "new\(suffix)", "value": "1", "class": "small"],
        "New object id or UUID")
    }
  }
}

/// How a field holds a string: fields change the ends of lines.
enum LineBreaks: String {
  /// Lines end with line feeds.
  case plain
  /// Lines end with a carriage return and a line feed.
  case crlf
  /// As in JSON, because no field holds its characters.
  case escaped

  init(of text: String) {
    var (returns, pairs, feeds, hasOthers, last) = (0, 0, 0, false, UInt8(0))
    for byte in text.utf8 {
      switch byte {
      case 10:
        feeds += 1
        if last == 13 { pairs += 1 }
      case 13: returns += 1
      case 9, 32...: break
      default: hasOthers = true
      }
      last = byte
    }
    if hasOthers || returns != pairs || pairs > 0 && pairs != feeds {
      self = .escaped
    } else {
      self = pairs > 0 ? .crlf : .plain
    }
  }
}
