import RealmInterchange
import RealmModel

/// The fields of a form that edits a draft.
struct DraftForm {
  /// What an edit does.
  enum Action: String {
    /// Values and parts of them, at a path of one object.
    case set, insert, entry, rename, remove, move, make
    /// Whole objects.
    case create, duplicate, delete, takeBack
    /// All objects that a query finds.
    case deleteFound, setFound
  }

  let action: Action
  let classPosition: Int
  private let schema: ObjectSchema
  private let form: FormFields

  /// - Throws: ``HTTPError`` for a request that no form of ours sends.
  init(_ request: HTTPRequest, _ schema: ObjectSchema) throws {
    guard let form = request.form else { throw HTTPError(415, "expected the fields of a form") }
    guard let action = form["do"].flatMap({ Action(rawValue: $0) }) else {
      throw HTTPError(400, "the field do names no edit")
    }
    guard let position = form["class"].flatMap({ ClassAddress.position(of: $0, in: schema) }) else {
      throw ErrorPage.NotFound(what: "the realm has no class of this name")
    }
    (self.form, self.action, classPosition, self.schema) = (form, action, position, schema)
  }

  static let noPlace = HTTPError(400, "there is no value at the place in the field at")

  // MARK: Objects

  /// - Throws: ``HTTPError`` if the form names no object.
  func key() throws -> ObjectKey {
    guard let key = keys.first else { throw HTTPError(400, "the field key names no object") }
    return key
  }

  var keys: [ObjectKey] {
    form.all("key").compactMap { text in Int64(text).flatMap { $0 < 0 ? nil : ObjectKey($0) } }
  }

  var query: String { form["q"] ?? "" }
  /// The number of objects that the user saw the query find; nil for any.
  var expectedCount: Int? { number("expected") }
  /// `property = expression`.
  var assignment: String { form["set"] ?? "" }
  /// The number of a property; nil for all.
  var property: Int? { number("property") }

  // MARK: Places

  /// - Throws: ``HTTPError`` if the form has no path.
  func path() throws -> ValuePath {
    guard let path = form["at"].flatMap({ ValuePath($0) }) else { throw DraftForm.noPlace }
    return path
  }

  /// The key of an entry of a dictionary.
  var name: String { (form["name"] ?? "").replacing("\r\n", with: "\n") }
  /// What the user saw of the value before the edit; nil for anything.
  var expectedDigest: String? { form["was"] }

  /// - Throws: ``HTTPError`` if the form has no position.
  func position() throws -> Int {
    guard let position = number("position") else {
      throw HTTPError(400, "the field position is not a number")
    }
    return position
  }

  private func number(_ name: String) -> Int? {
    form[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
  }

  // MARK: Values

  /// What the user entered.
  ///
  /// - Parameter suffix: behind the names of the fields: the position of the property in a form for a whole object.
  func entered(_ suffix: String = "") -> EnteredValue {
    var entered = EnteredValue()
    // Browsers send line ends as carriage return and line feed (HTML, section 4.10.21.4).
    entered.text = (form["value" + suffix] ?? "").replacing("\r\n", with: "\n")
    switch form["breaks" + suffix].flatMap({ LineBreaks(rawValue: $0) }) {
    case .crlf: entered.text = entered.text.replacing("\n", with: "\r\n")
    case .escaped: entered.isEscaped = true
    case .plain, nil: break
    }
    // The box for null was checked before: a text that was entered then is what the user wants.
    let isReplaced = form["unset" + suffix] == "1" && !entered.text.isEmpty
    entered.isNull = form["null" + suffix] == "1" && !isReplaced
    entered.isNew = form["new" + suffix] == "1"
    entered.type = form["type" + suffix].flatMap { MixedType(rawValue: $0) }
    entered.linkClass = form["link" + suffix]
    if let file = form.fields.first(where: { $0.name == "file" + suffix }), file.fileName != "" {
      entered.file = Array(file.bytes)
    }
    return entered
  }

  /// The primary key, nil for a class without one, and the values of a new object. What the form does not have gets its
  /// default.
  ///
  /// - Throws: ``ImportError`` with the property, for a text that is no value of its type.
  func newObject(
    _ text: EditorText
  ) throws(ImportError) -> (identity: RealmValue?, values: [Int: RealmValue]) {
    let owner = schema.classes[classPosition]
    var (identity, values): (RealmValue?, [Int: RealmValue]) = (nil, [:])
    for (position, property) in owner.properties.enumerated() where property.collection == nil {
      guard let value = try value(position, property, owner, text) else { continue }
      if position == owner.primaryKey { identity = value } else { values[position] = value }
    }
    return (identity, values)
  }

  /// The primary key of a duplicate; nil for a class without one.
  ///
  /// - Throws: ``ImportError`` for a text that is no value of its type.
  func newIdentity(_ text: EditorText) throws(ImportError) -> RealmValue? {
    let owner = schema.classes[classPosition]
    guard let position = owner.primaryKey else { return nil }
    var entered = entered()
    let type = owner.properties[position].type
    if entered.text.isEmpty, !entered.isNull, type == .objectId || type == .uuid {
      entered.isNew = true
    }
    do throws(ImportError) {
      return try text.value(entered, of: owner.properties[position], isElement: false)
    } catch {
      throw error.adding(owner, position)
    }
  }

  private func value(
    _ position: Int, _ property: Property, _ owner: ObjectClass, _ text: EditorText
  ) throws(ImportError) -> RealmValue? {
    let names = ["value", "null", "new", "type", "file"].map { "\($0)\(position)" }
    guard names.contains(where: { form.bytes($0) != nil }) else { return nil }
    let entered = entered("\(position)")
    // An empty field is null or the default where an empty text is no value.
    let isEmpty = entered.text.isEmpty && entered.file == nil && !entered.isNull && !entered.isNew
    if isEmpty, property.type != .string, property.type != .mixed, position != owner.primaryKey {
      return nil
    }
    do throws(ImportError) {
      return try text.value(entered, of: property, isElement: false)
    } catch {
      throw error.adding(owner, position)
    }
  }
}

extension ImportError {
  fileprivate func adding(_ owner: ObjectClass, _ property: Int) -> ImportError {
    var error = self
    (error.className, error.property) = (owner.name.text, owner.properties[property].name.text)
    return error
  }
}
