import RealmModel

/// Tables for Dart's Drift 2. A generator makes the classes of rows from them.
struct DriftModels: TableLanguage {
  let linkEnding = "Id"
  let names = ModelNames(
    classWords: DartModels.words.union([
      "BigInt", "Column", "DataClassName", "DateConverter", "DateTime", "DriftAny", "DriftDatabase",
      "ExportedDatabase", "Expression", "KeyAction", "List", "Map", "MigrationStrategy", "Object",
      "Set", "String", "Table", "TableIndex", "TypeConverter", "Uint8List", "Value",
    ]),
    propertyWords: DartModels.words.union([
      "blob", "boolean", "copyWith", "customConstraints", "customType", "dateTime",
      "dontWriteConstraints", "fromJson", "hashCode", "int64", "intEnum", "integer", "isStrict",
      "noSuchMethod", "primaryKey", "real", "runtimeType", "sqliteAny", "tableName", "text",
      "textEnum", "toColumns", "toCompanion", "toJson", "toString", "uniqueKeys", "withoutRowId",
    ]), propertyStyle: .open)

  func text(_ model: TableModel) -> String {
    var source = ModelSource(indent: "  ")
    source.line("import 'package:drift/drift.dart';")
    source.line()
    source.line("part 'models.g.dart';")
    for entity in model.entities {
      source.line()
      append(entity, model, to: &source)
    }
    if model.stores(.date) {
      source.line()
      append(datesOf: model, to: &source)
    }
    source.line()
    append(databaseOf: model, to: &source)
    return source.text
  }

  private func append(
    _ entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    source.line("@DataClassName(\(quoted(entity.identifier)))")
    for index in entity.table.indexes {
      let columns = index.columns.compactMap { entity.field(ofColumn: $0)?.identifier }
      source.line(
        "@TableIndex(name: \(quoted(index.name)), columns: {\(columns.map { "#" + $0 }.joined(separator: ", "))}"
          + (index.isUnique ? ", unique: true)" : ")"))
    }
    source.block("class \(entity.identifier)Table extends Table") { source in
      for (i, field) in entity.fields.enumerated() {
        var builder = "\(self.builder(field.column.type, model))"
        builder += ".named(\(quoted(field.column.name)))"
        if field.isNumbered { builder += ".autoIncrement()" }
        if field.column.isNullable { builder += ".nullable()" }
        if let link = entity.links.first(where: { $0.field == i }) {
          let target = model.entities[link.target].identifier
          builder +=
            ".references(\(target)Table, #\(link.targetField), "
            + "onDelete: KeyAction.\(link.isCascade ? "cascade" : "setNull"), initiallyDeferred: true)"
        }
        if field.column.type == .date { builder += ".map(const DateConverter())" }
        source.line("late final \(field.identifier) = \(builder)();")
      }
      source.line()
      source.line("@override")
      source.line("String get tableName => \(quoted(entity.table.name));")
      if let key = entity.key, !key.isNumbered {
        source.line()
        source.line("@override")
        source.line("Set<Column> get primaryKey => {\(key.identifier)};")
      }
    }
  }

  private func builder(_ type: TableLayout.ValueType, _ model: TableModel) -> String {
    switch type {
    case .int: return "integer()"
    case .bool: return "boolean()"
    case .float, .double: return "real()"
    case .string, .decimal, .json, .typeName, .array: return "text()"
    case .binary: return "blob()"
    case .objectId, .uuid: return model.form.ids == .blob ? "blob()" : "text()"
    case .date:
      switch model.dates {
      case .iso: return "text()"
      case .unixMilliseconds: return "integer()"
      case .unix: return "real()"
      }
    case .any: return "sqliteAny()"
    }
  }

  private func append(datesOf model: TableModel, to source: inout ModelSource) {
    let (type, read, write) =
      switch model.dates {
      case .iso:
        (
          "String", "DateTime.parse(fromDb.substring(0, 26) + 'Z')",
          "_isoDate(value.toUtc())"
        )
      case .unixMilliseconds:
        (
          "int", "DateTime.fromMillisecondsSinceEpoch(fromDb, isUtc: true)",
          "value.millisecondsSinceEpoch"
        )
      case .unix:
        (
          "double", "DateTime.fromMicrosecondsSinceEpoch((fromDb * 1e6).round(), isUtc: true)",
          "value.microsecondsSinceEpoch / 1e6"
        )
      }
    source.line("/// The form of dates in the tables; `DateTime` has microseconds.")
    source.block("class DateConverter extends TypeConverter<DateTime, \(type)>") { source in
      source.line("const DateConverter();")
      source.line()
      source.line("@override")
      source.line("DateTime fromSql(\(type) fromDb) => \(read);")
      source.line()
      source.line("@override")
      source.line("\(type) toSql(DateTime value) => \(write);")
    }
    guard model.dates == .iso else { return }
    source.line()
    source.block("String _isoDate(DateTime date)") { source in
      source.line("final whole = date.toIso8601String().split('.').first.replaceAll('Z', '');")
      source.line("final micros = date.millisecond * 1000 + date.microsecond;")
      source.line("return '$whole.${micros.toString().padLeft(6, '0')}000Z';")
    }
  }

  private func append(databaseOf model: TableModel, to source: inout ModelSource) {
    let tables = model.entities.map { $0.identifier + "Table" }.joined(separator: ", ")
    source.line("@DriftDatabase(tables: [\(tables)])")
    source.block("class ExportedDatabase extends _$ExportedDatabase") { source in
      source.line("ExportedDatabase(super.e);")
      source.line()
      source.line("/// The `user_version` of the exported database.")
      source.line("@override")
      source.line("int get schemaVersion => \(model.version);")
      source.line()
      source.line("@override")
      source.line("MigrationStrategy get migration => MigrationStrategy(")
      source.line("      onCreate: (m) async {")
      source.line(
        "        // The export of a realm without a schema version has the tables already.")
      source.line(
        "        final tables = await customSelect(\"SELECT 1 FROM sqlite_master WHERE type = 'table'\").get();"
      )
      source.line("        if (tables.isEmpty) await m.createAll();")
      source.line("      },")
      source.line("      beforeOpen: (details) async {")
      source.line("        await customStatement('PRAGMA foreign_keys = ON');")
      source.line("      },")
      source.line("    );")
    }
  }

  private func quoted(_ text: String) -> String { ModelSource.quoted(text, dollar: "\\$") }
}
