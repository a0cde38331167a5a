import RealmModel
import RealmStorage

/// A column of CSV: its name, and how to read its fields.
struct CSVColumn {
  /// The meaning of a field that is not empty.
  enum Form {
    /// A string.
    case text
    case int, bool, number
    /// JSON, for a list or an embedded object.
    case json
    /// Any type, depending on the field.
    case mixed
  }

  /// The meaning of an empty field.
  enum Empty {
    case null
    /// The empty string.
    case text
    /// No value, for an ignored column.
    case nothing
  }

  let name: ByteSlice
  let form: Form
  /// The meaning of a field without any bytes.
  let empty: Empty
  /// The meaning of a field of two quotes.
  let emptyQuoted: Empty

  /// The columns without a schema: all fields are strings.
  static func untyped(_ header: CSVHeader) -> [CSVColumn] {
    header.columns.map {
      CSVColumn(name: $0.name, form: .text, empty: .null, emptyQuoted: .text)
    }
  }

  /// The columns with the objects of one class.
  ///
  /// - Throws: `unknownProperty` for a column that the class does not have, unless such columns are ignored.
  static func typed(
    _ header: CSVHeader, _ classPosition: Int, _ context: FillContext
  ) throws(ImportError) -> [CSVColumn] {
    let objectClass = context.schema.classes[classPosition]
    let names = context.memberNames(classPosition)
    let keyMember = context.keyMember(classPosition)
    var columns: [CSVColumn] = []
    for (name, offset) in header.columns {
      if let position = names.firstIndex(of: name.bytes) {
        columns.append(CSVColumn(name, objectClass.properties[position], context.schema))
      } else if name.bytes == keyMember {
        columns.append(CSVColumn(name: name, form: .int, empty: .null, emptyQuoted: .null))
      } else {
        guard context.options.ignoresUnknown else {
          throw ImportError(
            .unknownProperty(name.text), offset: offset, className: objectClass.name.text)
        }
        columns.append(CSVColumn(name: name, form: .text, empty: .nothing, emptyQuoted: .nothing))
      }
    }
    return columns
  }

  private init(name: ByteSlice, form: Form, empty: Empty, emptyQuoted: Empty) {
    (self.name, self.form) = (name, form)
    (self.empty, self.emptyQuoted) = (empty, emptyQuoted)
  }

  private init(_ name: ByteSlice, _ property: Property, _ schema: ObjectSchema) {
    guard property.collection == nil else {
      // Null means an empty collection. Without a value, an upsert would keep the old one.
      self.init(name: name, form: .json, empty: .null, emptyQuoted: .null)
      return
    }
    var type = property.type
    if type == .link, let target = schema.target(of: property) {
      guard target.kind != .embedded else {
        self.init(name: name, form: .json, empty: .null, emptyQuoted: .null)
        return
      }
      // A link is the primary key of its target, or the target's object key.
      type = target.primaryKey.map { target.properties[$0].type } ?? .int
    }
    switch type {
    case .string, .binary:
      // Many programs write an empty string without quotes, so an empty field is null only for an
      // optional property.
      self.init(
        name: name, form: .text, empty: property.isOptional ? .null : .text, emptyQuoted: .text)
    case .mixed, .typedLink:
      self.init(name: name, form: .mixed, empty: .null, emptyQuoted: .text)
    case .int: self.init(name: name, form: .int, empty: .null, emptyQuoted: .null)
    case .bool: self.init(name: name, form: .bool, empty: .null, emptyQuoted: .null)
    case .float, .double: self.init(name: name, form: .number, empty: .null, emptyQuoted: .null)
    case .timestamp, .decimal, .objectId, .uuid, .link:
      self.init(name: name, form: .text, empty: .null, emptyQuoted: .null)
    }
  }
}
