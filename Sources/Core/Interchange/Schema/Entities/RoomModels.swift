import RealmModel

/// Entities for Android's Room 2.5 and later, whose tables are those of `export --format sqlite --for room`.
struct RoomModels: TableLanguage {
  let linkEnding = "Id"
  let names = ModelNames(
    classWords: KotlinModels.words.union([
      "Any", "Boolean", "ByteArray", "ColumnInfo", "Converters", "Dao", "Database", "Delete",
      "Double", "Embedded", "Entity", "ExportedDatabase", "Float", "ForeignKey", "Index", "Insert",
      "Instant", "Int", "List", "Long", "OnConflictStrategy", "PrimaryKey", "Query", "Relation",
      "RoomDatabase", "String", "Transaction", "TypeConverter", "TypeConverters", "UUID", "Unit",
      "Update",
    ]),
    propertyWords: KotlinModels.words.union(["copy", "equals", "hashCode", "record", "toString"]))

  func text(_ model: TableModel) -> String {
    var source = ModelSource(indent: "    ")
    for line in ["androidx.room.*", "java.time.Instant", "java.util.UUID"] {
      source.line("import \(line)")
    }
    for entity in model.entities {
      source.line()
      append(entity, model, to: &source)
    }
    for entity in model.entities {
      append(relationsOf: entity, model, to: &source)
      append(accessTo: entity, to: &source)
    }
    source.line()
    append(converters: model, to: &source)
    source.line()
    append(databaseOf: model, to: &source)
    return source.text
  }

  private func append(
    _ entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    source.line("@Entity(")
    source.line("    tableName = \(quoted(entity.table.name)),")
    if !entity.table.indexes.isEmpty {
      source.line("    indices = [")
      for index in entity.table.indexes {
        let columns = index.columns.map(quoted).joined(separator: ", ")
        source.line(
          "        Index(name = \(quoted(index.name)), value = [\(columns)]"
            + (index.isUnique ? ", unique = true)," : "),"))
      }
      source.line("    ],")
    }
    if !entity.links.isEmpty {
      source.line("    foreignKeys = [")
      for link in entity.links {
        let column = entity.fields[link.field].column
        guard let reference = column.reference else { continue }
        source.line(
          "        ForeignKey(entity = \(model.entities[link.target].identifier)::class, "
            + "parentColumns = [\(quoted(reference.column))], childColumns = [\(quoted(column.name))], "
            + "onDelete = ForeignKey.\(link.isCascade ? "CASCADE" : "SET_NULL")),")
      }
      source.line("    ],")
    }
    source.line(")")
    source.line("data class \(entity.identifier)(")
    for field in entity.fields {
      let type = type(of: field.column.type, model)
      let key =
        field.column.isPrimaryKey
        ? field.isNumbered ? "@PrimaryKey(autoGenerate = true) " : "@PrimaryKey " : ""
      let end = field.isNumbered ? " = 0," : field.column.isNullable ? "? = null," : ","
      source.line(
        "    \(key)@ColumnInfo(name = \(quoted(field.column.name))) val \(field.identifier): \(type)\(end)"
      )
    }
    source.line(")")
  }

  /// An object with the objects of its links and the rows of its collections.
  private func append(
    relationsOf entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    guard hasRelations(entity) else { return }
    source.line()
    source.line("data class \(entity.identifier)WithRelations(")
    source.line("    @Embedded val record: \(entity.identifier),")
    for link in entity.links {
      let column = entity.fields[link.field].column
      guard let reference = column.reference else { continue }
      source.line(
        "    @Relation(parentColumn = \(quoted(column.name)), entityColumn = \(quoted(reference.column))) "
          + "val \(link.identifier): \(model.entities[link.target].identifier)?,")
    }
    for collection in entity.collections {
      let rows = model.entities[collection.rows]
      let key = entity.key.map { quoted($0.column.name) } ?? ""
      source.line(
        "    @Relation(parentColumn = \(key), entityColumn = \"owner\") "
          + "val \(collection.identifier): List<\(rows.identifier)>,")
    }
    source.line(")")
  }

  private func hasRelations(_ entity: TableModel.Entity) -> Bool {
    guard case .objects = entity.table.content else { return false }
    return !entity.links.isEmpty || !entity.collections.isEmpty
  }

  private func append(accessTo entity: TableModel.Entity, to source: inout ModelSource) {
    guard case .objects = entity.table.content else { return }
    let query = quoted("SELECT * FROM `\(entity.table.name)`")
    source.line()
    source.line("@Dao")
    source.block("interface \(entity.identifier)Dao") { source in
      source.line("@Query(\(query))")
      source.line("suspend fun all(): List<\(entity.identifier)>")
      if hasRelations(entity) {
        source.line()
        source.line("@Transaction")
        source.line("@Query(\(query))")
        source.line("suspend fun allWithRelations(): List<\(entity.identifier)WithRelations>")
      }
      for (annotation, name) in [("Insert", "insert"), ("Update", "update"), ("Delete", "delete")] {
        source.line()
        source.line("@\(annotation)")
        source.line("suspend fun \(name)(record: \(entity.identifier))")
      }
    }
  }

  private func type(of type: TableLayout.ValueType, _ model: TableModel) -> String {
    switch type {
    case .int: "Long"
    case .bool: "Boolean"
    case .float: "Float"
    case .double: "Double"
    case .string, .decimal, .json, .typeName, .array, .any: "String"
    case .binary: "ByteArray"
    case .date: "Instant"
    case .objectId: model.form.ids == .blob ? "ByteArray" : "String"
    case .uuid: "UUID"
    }
  }

  private func append(converters model: TableModel, to source: inout ModelSource) {
    let (dateType, read, write) =
      switch model.dates {
      case .iso: ("String", "Instant.parse(it)", "isoDate.format(it)")
      case .unixMilliseconds: ("Long", "Instant.ofEpochMilli(it)", "it.toEpochMilli()")
      case .unix:
        (
          "Double",
          "Instant.EPOCH.plusNanos(Math.round(it % 1 * 1e6) * 1000).plusSeconds(it.toLong())",
          "it.epochSecond + it.nano / 1e9"
        )
      }
    let isBlob = model.form.ids == .blob
    let idType = isBlob ? "ByteArray" : "String"
    source.line("/// The forms of dates and UUIDs in the tables.")
    source.block("class Converters") { source in
      if model.dates == .iso {
        source.line("private val isoDate = java.time.format.DateTimeFormatterBuilder()")
        source.line("    .appendInstant(9).toFormatter()")
        source.line()
      }
      func converter(_ name: String, _ from: String, _ to: String, _ body: String) {
        source.line("@TypeConverter")
        source.line("fun \(name)(value: \(from)?): \(to)? = value?.let { \(body) }")
        source.line()
      }
      converter("toInstant", dateType, "Instant", read)
      converter("fromInstant", "Instant", dateType, write)
      converter(
        "toUUID", idType, "UUID",
        isBlob
          ? "java.nio.ByteBuffer.wrap(it).let { bytes -> UUID(bytes.long, bytes.long) }"
          : "UUID.fromString(it)")
      source.line("@TypeConverter")
      let bytes =
        "java.nio.ByteBuffer.allocate(16).putLong(it.mostSignificantBits).putLong(it.leastSignificantBits).array()"
      source.line(
        "fun fromUUID(value: UUID?): \(idType)? = value?.let { \(isBlob ? bytes : "it.toString()") }"
      )
    }
  }

  private func append(databaseOf model: TableModel, to source: inout ModelSource) {
    source.line("@Database(")
    source.line("    entities = [")
    for entity in model.entities { source.line("        \(entity.identifier)::class,") }
    source.line("    ],")
    source.line("    version = 1,")
    source.line(")")
    source.line("@TypeConverters(Converters::class)")
    source.block("abstract class ExportedDatabase : RoomDatabase()") { source in
      for entity in model.entities {
        guard case .objects = entity.table.content else { continue }
        source.line("abstract fun dao\(entity.identifier)(): \(entity.identifier)Dao")
      }
    }
  }

  private func quoted(_ text: String) -> String { ModelSource.quoted(text, dollar: "\\$") }
}
