import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// A column of the table of a class.
struct TableColumn {
  enum Source {
    /// The property at a position of the class.
    case property(Int)
    /// The values of a path over links, or a number of elements.
    case path(QueryPath)
  }

  /// Number of columns that a class shows if the user chose none.
  private static let usualCount = 12
  /// Maximum number of columns of a table: the link in the head of each names all of them.
  static let limit = 100

  let name: String
  /// The type in the notation of schemas; empty for a path.
  let type: String
  let source: Source
  /// Whether the values are numbers, which are aligned to the right.
  let isNumber: Bool
  /// The path to sort by; nil if the values have no order.
  let sortPath: String?

  /// The columns that a query of a URL asks for with `c`: names of properties, or paths. Those beyond ``limit`` are left
  /// out.
  ///
  /// - Throws: ``QueryTextError`` for a path with an error.
  static func chosen(
    _ texts: [String], ofClassAt position: Int, in schema: ObjectSchema
  ) throws -> [TableColumn] {
    let owner = schema.classes[position]
    guard !texts.isEmpty else {
      return owner.properties.indices.prefix(usualCount).map {
        TableColumn(property: $0, of: owner, schema)
      }
    }
    var columns: [TableColumn] = []
    for text in texts {
      if let property = owner.position(ofPropertyNamed: text) {
        columns.append(TableColumn(property: property, of: owner, schema))
      } else {
        columns += try paths(text, of: owner, schema)
      }
    }
    return Array(columns.prefix(limit))
  }

  private static func paths(
    _ text: String, of owner: ObjectClass, _ schema: ObjectSchema
  ) throws -> [TableColumn] {
    try withText(text, of: .columns) { (text) throws(QueryError) in
      try QueryPath.paths(text, ofClass: owner.name.text, in: schema)
    }.map { path in
      // The path has no errors, so one here says that its values have no order.
      let sortPath = try? SortPaths(path.text, ofClass: owner.name.text, in: schema)
      return TableColumn(
        name: path.text, type: "", source: .path(path), isNumber: false,
        sortPath: sortPath == nil ? nil : path.text)
    }
  }

  private init(
    name: String, type: String, source: Source, isNumber: Bool, sortPath: String?
  ) {
    (self.name, self.type, self.source) = (name, type, source)
    (self.isNumber, self.sortPath) = (isNumber, sortPath)
  }

  /// The column of a property.
  init(property position: Int, of owner: ObjectClass, _ schema: ObjectSchema) {
    let property = owner.properties[position]
    name = property.name.text
    type = property.notation(in: owner, schema)
    source = .property(position)
    isNumber = property.collection == nil && property.type.isNumber
    sortPath =
      property.collection == nil && property.type != .link && property.type != .typedLink
      ? QueryText.name(ofProperty: position, ofClass: owner.name.text, in: schema) : nil
  }
}

extension PropertyType {
  var isNumber: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }
}
