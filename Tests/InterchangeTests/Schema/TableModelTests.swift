import RealmInterchange
import RealmModel
import Testing

@Suite("Classes for the tables of an export")
struct TableModelTests {
  /// Names that languages reserve or that collide, a link whose column takes the name of another property, a primary key
  /// that may be null, an embedded class, and a link to nothing.
  private let schema = ObjectSchema(classes: [
    ObjectClass(
      name: Name("Order item"),
      properties: [
        Property(name: Name("_id"), type: .objectId),
        Property(name: Name("class"), type: .string, index: .search),
        Property(name: Name("next"), type: .link, isOptional: true, target: 0),
        Property(name: Name("nextId"), type: .int),
        Property(name: Name("lines"), type: .link, collection: .list, target: 1),
        Property(name: Name("any"), type: .mixed, isOptional: true),
        Property(name: Name("nowhere"), type: .link, isOptional: true),
      ], primaryKey: 0),
    ObjectClass(
      name: Name("Line"), kind: .embedded,
      properties: [
        Property(name: Name("date"), type: .timestamp),
        Property(name: Name("price"), type: .decimal),
      ]),
    ObjectClass(
      name: Name("Maybe"),
      properties: [
        Property(name: Name("key"), type: .int, isOptional: true),
        Property(name: Name("tags"), type: .string, isOptional: true, collection: .set),
      ], primaryKey: 0),
  ])

  private func text(
    _ format: SchemaTextFormat, _ options: TableOptions = TableOptions()
  ) throws -> String {
    String(
      decoding: try format.text(schema, tables: TableFacts(options: options, schemaVersion: 4)) {
        _ in []
      }, as: UTF8.self)
  }

  /// Expects the lines in `text`, in this order.
  private func expect(_ lines: [String], in text: String) {
    var rest = text.split(separator: "\n").map { $0.drop { $0 == " " } }[...]
    for line in lines {
      let position = rest.firstIndex { $0 == line }
      #expect(position != nil, "\(line)\n\(text)")
      rest = rest[(position.map { $0 + 1 } ?? rest.startIndex)...]
    }
  }

  @Test("SQL")
  func sql() throws {
    #expect(
      try text(.sql) == """
        CREATE TABLE "Order item" (
          "_id" TEXT PRIMARY KEY NOT NULL,
          "class" TEXT NOT NULL,
          "next" TEXT REFERENCES "Order item"("_id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
          "nextId" INTEGER NOT NULL,
          "any",
          "any_type" TEXT,
          "nowhere" INTEGER
        );
        CREATE INDEX "Order item_class_index" ON "Order item" ("class");
        CREATE INDEX "Order item_next_index" ON "Order item" ("next");

        CREATE TABLE "Order item_lines" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "owner" TEXT NOT NULL REFERENCES "Order item"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "position" INTEGER NOT NULL,
          "value" INTEGER NOT NULL REFERENCES "Line"("_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
        );
        CREATE INDEX "Order item_lines_owner_position_index" ON "Order item_lines" ("owner", "position");
        CREATE INDEX "Order item_lines_value_index" ON "Order item_lines" ("value");

        CREATE TABLE "Line" (
          "_key" INTEGER PRIMARY KEY NOT NULL,
          "date" TEXT,
          "price" TEXT NOT NULL
        );

        CREATE TABLE "Maybe" (
          "_key" INTEGER PRIMARY KEY NOT NULL,
          "key" INTEGER
        );
        CREATE UNIQUE INDEX "Maybe_key_index" ON "Maybe" ("key");

        CREATE TABLE "Maybe_tags" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "owner" INTEGER NOT NULL REFERENCES "Maybe"("_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "value" TEXT
        );
        CREATE INDEX "Maybe_tags_owner_index" ON "Maybe_tags" ("owner");

        """)
  }

  @Test("GRDB")
  func grdb() throws {
    expect(
      [
        "struct Order_item: ExportedRecord {",
        "static let databaseTableName = \"Order item\"",
        "var _id: String", "var class_: String", "var nextId2: String?", "var nextId: Int",
        "var any: MixedValue?", "var any_type: String?", "var nowhere: Int?",
        "case class_ = \"class\"", "case nextId2 = \"next\"", "case nextId",
        "static let next = belongsTo(Order_item.self, key: \"nextLink\", using: ForeignKey([\"next\"], to: [\"_id\"]))",
        "static let lines = hasMany(Order_itemLines.self, key: \"lines\", using: ForeignKey([\"owner\"]))"
          + ".order(Order_itemLines.Columns.position)", "struct Line: ExportedRecord {",
        "var date: Date?", "var price: String", "struct Maybe: ExportedRecord {", "var _key: Int?",
        "struct MaybeTags: ExportedRecord {", "var id: Int?", "var ownerId: Int",
        "var value: String?",
        ".custom(exportedDate)",
      ], in: try text(.grdb))
    let blobs = try text(.grdb, TableOptions(dates: .unixMilliseconds, ids: .blob))
    expect(
      [
        "var _id: Data", ".millisecondsSince1970",
        ".custom { Int64(exactly: (1000 * $0.timeIntervalSince1970).rounded()) }",
        ".deferredToUUID",
      ], in: blobs)
  }

  /// Inside of a Swift type, such a name means the property.
  @Test("a class with the name of a property gets another one for GRDB, and keeps its table")
  func hiddenClass() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("user"),
        properties: [Property(name: Name("profile"), type: .link, isOptional: true, target: 1)]),
      ObjectClass(name: Name("profile"), properties: [Property(name: Name("age"), type: .int)]),
    ])
    let text = String(
      decoding: try SchemaTextFormat.grdb.text(
        schema, tables: TableFacts(options: TableOptions(), schemaVersion: 4)
      ) { _ in [] }, as: UTF8.self)
    expect(
      [
        "static let profile = belongsTo(profile2.self, key: \"profileLink\", "
          + "using: ForeignKey([\"profile\"], to: [\"_key\"]))",
        "struct profile2: ExportedRecord {",
        "static let databaseTableName = \"profile\"",
      ], in: text)
  }

  @Test("Room")
  func room() throws {
    expect(
      [
        "tableName = \"Order item\",",
        "Index(name = \"index_Order item_class\", value = [\"class\"]),",
        "ForeignKey(entity = Order_item::class, parentColumns = [\"_id\"], childColumns = [\"next\"], "
          + "onDelete = ForeignKey.SET_NULL),",
        "@PrimaryKey @ColumnInfo(name = \"_id\") val _id: String,",
        "@ColumnInfo(name = \"class\") val class_: String,",
        "@ColumnInfo(name = \"next\") val nextId2: String? = null,",
        "@ColumnInfo(name = \"any\") val any: String? = null,",
        "@PrimaryKey(autoGenerate = true) @ColumnInfo(name = \"id\") val id: Long = 0,",
        "@ColumnInfo(name = \"date\") val date: Instant? = null,", "version = 1,",
      ], in: try text(.room, TableOptions(dates: .unix, reader: .room)))
  }

  @Test("Drift")
  func drift() throws {
    expect(
      [
        "@DataClassName(\"Order_item\")",
        "@TableIndex(name: \"Order item_class_index\", columns: {#class_})",
        "class Order_itemTable extends Table {", "late final id = text().named(\"_id\")();",
        "late final class_ = text().named(\"class\")();",
        "late final nextId2 = text().named(\"next\").nullable().references(Order_itemTable, #id, "
          + "onDelete: KeyAction.setNull, initiallyDeferred: true)();",
        "late final any = sqliteAny().named(\"any\").nullable()();",
        "String get tableName => \"Order item\";", "Set<Column> get primaryKey => {id};",
        "late final key = integer().named(\"_key\").autoIncrement()();",
        "late final date = integer().named(\"date\").nullable().map(const DateConverter())();",
        "int get schemaVersion => 4;",
      ], in: try text(.drift, TableOptions(dates: .unixMilliseconds)))
  }

  @Test("SQLAlchemy")
  func sqlalchemy() throws {
    expect(
      [
        "class Order_item(Base):", "__tablename__ = \"Order item\"",
        "_id: Mapped[str] = mapped_column(\"_id\", Text, primary_key=True)",
        "class_: Mapped[str] = mapped_column(\"class\", Text)",
        "next_id: Mapped[Optional[str]] = mapped_column(\"next\", Text, ForeignKey(\"Order item._id\", "
          + "ondelete=\"SET NULL\", deferrable=True, initially=\"DEFERRED\"))",
        "any: Mapped[Optional[Any]] = mapped_column(\"any\", AnyValue)",
        "date: Mapped[Optional[datetime.datetime]] = mapped_column(\"date\", DateValue)",
        "price: Mapped[decimal.Decimal] = mapped_column(\"price\", DecimalText)",
        "owner: Mapped[\"Maybe\"] = relationship(primaryjoin=\"foreign(MaybeTags.owner_id) == remote(Maybe._key)\", "
          + "back_populates=\"tags\")",
      ], in: try text(.sqlalchemy))
  }

  @Test("SwiftData has both sides of each link, and keeps the order of lists")
  func swiftdata() throws {
    expect(
      [
        "final class Order_item {", "@Attribute(.unique) var id: String = \"\"",
        "var class_: String = \"\"", "var next: Order_item?",
        "@Relationship(deleteRule: .cascade, inverse: \\Line.order_itemLines)",
        "var lines: [Line] = []", "var any: String = \"null\"",
        "@Relationship(deleteRule: .nullify, inverse: \\Order_item.next)",
        "var order_itemNext: [Order_item] = []", "final class Line {",
        "var order_itemLines: Order_item?", "var positionInOwner: Int = 0", "final class Maybe {",
        "@Attribute(.unique) var key: Int?", "var tags: [String?] = []",
      ], in: try text(.swiftdata))
  }
}
