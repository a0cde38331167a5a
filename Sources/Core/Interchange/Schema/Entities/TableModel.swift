import RealmModel

/// The tables of a database as classes in an app's source: what the printers of all libraries share
/// (`docs/schema.md`). It decides all names; a printer only writes them.
struct TableModel {
  /// A class for the rows of a table.
  struct Entity {
    let table: TableLayout.Table
    let identifier: String
    let fields: [Field]
    /// The objects that columns refer to.
    let links: [Link]
    /// The collections of an object, each with rows in a table of its own.
    let collections: [Collection]

    /// The field of the primary key; each table has one.
    var key: Field? { fields.first { $0.column.isPrimaryKey } }

    func field(ofColumn name: String) -> Field? { fields.first { $0.column.name == name } }

    /// The field that gives the rows of a collection their order, or their key.
    var order: Field? { fields.first { $0.column.role == .position } }
  }

  struct Field {
    let column: TableLayout.Column
    let identifier: String
    /// Whether the database numbers the rows.
    var isNumbered: Bool { column.role == .key }
  }

  struct Link {
    let identifier: String
    /// Position of the field in ``Entity/fields``.
    let field: Int
    /// Position of the class of the target in ``TableModel/entities``.
    let target: Int
    /// The identifier of the field that it refers to.
    let targetField: String
    let isCascade: Bool
  }

  struct Collection {
    let identifier: String
    /// Position of the class of the rows in ``TableModel/entities``.
    let rows: Int
  }

  let entities: [Entity]
  let form: TableForm
  /// The version of the database, at least 1.
  let version: UInt64

  /// - Parameters:
  ///   - linkEnding: what a name gets for the column of a link, whose object has the name itself.
  ///   - schemaVersion: the schema version of the realm.
  init(
    _ layout: TableLayout, _ names: ModelNames, linkEnding: String, schemaVersion: UInt64?
  ) {
    form = layout.form
    version = max(schemaVersion ?? 0, 1)
    let identifiers = TableModel.identifiers(of: layout, names)
    var positions: [String: Int] = [:]
    for (i, table) in layout.tables.enumerated() { positions[table.name] = i }
    // Fields first: links refer to those of other classes.
    let fields = layout.tables.map { table in
      Members(table, of: layout, names, linkEnding: linkEnding)
    }
    entities = layout.tables.enumerated().map { number, table in
      let members = fields[number]
      let links = members.links.compactMap { (field, identifier) -> Link? in
        guard let reference = table.columns[field].reference,
          let target = positions[reference.table]
        else { return nil }
        let targetField = zip(layout.tables[target].columns, fields[target].fields)
          .first { $0.0.name == reference.column }
        return Link(
          identifier: identifier, field: field, target: target,
          targetField: targetField?.1 ?? "", isCascade: reference.isCascade)
      }
      return Entity(
        table: table, identifier: identifiers[number],
        fields: zip(table.columns, members.fields).map { Field(column: $0, identifier: $1) },
        links: links,
        collections: members.collections.map { Collection(identifier: $1, rows: $0) })
    }
  }

  /// The identifiers of the classes of the tables. That of a collection is made of those of its class and its
  /// property.
  private static func identifiers(of layout: TableLayout, _ names: ModelNames) -> [String] {
    var taken: Set<String> = []
    if names.membersHideClasses {
      for objectClass in layout.schema.classes {
        var ofProperties: Set<String> = []
        for property in objectClass.properties {
          _ = names.identifier(ofProperty: property.name, taken: &ofProperties)
        }
        taken.formUnion(ofProperties)
      }
    }
    var ofClasses: [Int: String] = [:]
    for case .objects(let position) in layout.tables.map(\.content) {
      ofClasses[position] = names.identifier(
        ofClass: layout.schema.classes[position].name, taken: &taken)
    }
    return layout.tables.map { table in
      switch table.content {
      case .objects(let position): return ofClasses[position] ?? ""
      case .collection(let property, let position):
        let name = layout.schema.classes[position].properties[property].name.text
        let owner = ofClasses[position] ?? ""
        return names.identifier(
          ofClass: Name(owner + name.prefix(1).uppercased() + name.dropFirst()), taken: &taken)
      }
    }
  }

  /// The identifiers of the members of one class.
  private struct Members {
    /// One per column.
    private(set) var fields: [String] = []
    /// Positions of columns that are links, with the identifiers of the objects.
    private(set) var links: [(field: Int, identifier: String)] = []
    /// Positions of the tables of collections, with the identifiers of the properties.
    private(set) var collections: [(table: Int, identifier: String)] = []

    init(
      _ table: TableLayout.Table, of layout: TableLayout, _ names: ModelNames, linkEnding: String
    ) {
      let position = table.content.classPosition
      let properties = layout.schema.classes[position].properties
      var taken: Set<String> = []
      // The names of properties come first, so that none of them is taken by a name that is made up.
      var ofProperties: [String] = []
      if case .objects = table.content {
        ofProperties = properties.map { names.identifier(ofProperty: $0.name, taken: &taken) }
      }
      for (i, column) in table.columns.enumerated() {
        let name: String
        if case .property(let property) = column.role {
          name = ofProperties[property]
        } else {
          name = names.identifier(ofProperty: Name(column.name), taken: &taken)
        }
        guard column.reference != nil else {
          fields.append(name)
          continue
        }
        links.append((i, name))
        fields.append(names.identifier(ofProperty: Name(name + linkEnding), taken: &taken))
      }
      guard let places = layout.classes[position]?.properties, !ofProperties.isEmpty else { return }
      for (i, place) in places.enumerated() {
        if case .collection(let table) = place { collections.append((table, ofProperties[i])) }
      }
    }
  }

  /// Whether a column stores values of `type`.
  func stores(_ type: TableLayout.ValueType) -> Bool {
    entities.contains { $0.fields.contains { $0.column.type == type } }
  }

  /// How dates are stored in SQLite.
  var dates: TableOptions.Dates {
    if case .options(let dates) = form.dates { dates } else { .iso }
  }
}

/// A library whose classes describe the tables of `export --format sqlite`.
protocol TableLanguage {
  /// The rules for names of classes and fields.
  var names: ModelNames { get }
  /// What the name of a link gets for its column, such as `Id`.
  var linkEnding: String { get }

  /// The classes as a source file.
  func text(_ model: TableModel) -> String
}
