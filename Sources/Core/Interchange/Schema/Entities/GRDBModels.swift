import RealmModel

/// Records for GRDB 7.
struct GRDBModels: TableLanguage {
  let linkEnding = "Id"
  let names = ModelNames(
    classWords: SwiftModels.words.union([
      "Any", "Array", "Association", "BelongsToAssociation", "Bool", "Codable", "CodingKey",
      "CodingKeys", "Column", "Columns", "Data", "Database", "DatabaseValue",
      "DatabaseValueConvertible", "Date", "Decodable", "Double", "Encodable", "Error",
      "ExportedRecord", "FetchableRecord", "Float", "ForeignKey", "GRDB",
      "HasManyAssociation", "InsertionSuccess", "Int", "MixedValue", "MutablePersistableRecord",
      "Optional", "PersistableRecord", "QueryInterfaceRequest", "Row", "Set", "String", "UUID",
    ]),
    propertyWords: SwiftModels.words.union([
      "CodingKeys", "Columns", "databaseDateDecodingStrategy", "databaseDateEncodingStrategy",
      "databaseSelection", "databaseTableName", "databaseUUIDEncodingStrategy", "debugDescription",
      "description", "didInsert", "encode", "hashValue", "intValue", "persistenceConflictPolicy",
      "rawValue", "record", "request", "stringValue", "withRelations",
    ]), membersHideClasses: true)

  func text(_ model: TableModel) -> String {
    var source = ModelSource(indent: "    ")
    source.line("import Foundation")
    source.line("import GRDB")
    for entity in model.entities {
      source.line()
      append(entity, model, to: &source)
      append(relationsOf: entity, model, to: &source)
    }
    source.line()
    append(conversionsOf: model, to: &source)
    return source.text
  }

  private func append(
    _ entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    source.block("struct \(entity.identifier): ExportedRecord") { source in
      source.line("static let databaseTableName = \(ModelSource.quoted(entity.table.name))")
      source.line()
      for field in entity.fields {
        source.line("var \(field.identifier): \(type(of: field, model))")
      }
      source.line()
      source.block("enum CodingKeys: String, CodingKey") { source in
        for field in entity.fields {
          let name = ModelSource.quoted(field.column.name)
          source.line(
            field.identifier == field.column.name
              ? "case \(field.identifier)" : "case \(field.identifier) = \(name)")
        }
      }
      source.line()
      source.block("enum Columns") { source in
        for field in entity.fields {
          source.line("static let \(field.identifier) = Column(CodingKeys.\(field.identifier))")
        }
      }
      if let key = entity.key, key.isNumbered {
        source.line()
        source.block("mutating func didInsert(_ inserted: InsertionSuccess)") { source in
          source.line("\(key.identifier) = Int(inserted.rowID)")
        }
      }
      append(associationsOf: entity, model, to: &source)
    }
  }

  private func append(
    associationsOf entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    if !entity.links.isEmpty || !entity.collections.isEmpty { source.line() }
    for link in entity.links {
      let column = entity.fields[link.field].column
      guard let reference = column.reference else { continue }
      source.line(
        "static let \(link.identifier) = belongsTo(\(model.entities[link.target].identifier).self, "
          + "key: \(ModelSource.quoted(key(of: link.identifier, in: entity))), "
          + "using: ForeignKey([\(ModelSource.quoted(column.name))], "
          + "to: [\(ModelSource.quoted(reference.column))]))")
    }
    for collection in entity.collections {
      let rows = model.entities[collection.rows]
      let order = (rows.order ?? rows.key).map {
        ".order(\(rows.identifier).Columns.\($0.identifier))"
      }
      source.line(
        "static let \(collection.identifier) = hasMany(\(rows.identifier).self, "
          + "key: \(ModelSource.quoted(key(of: collection.identifier, in: entity))), "
          + "using: ForeignKey([\"owner\"]))"
          + (order ?? ""))
    }
  }

  /// The key of an association, by which GRDB finds its rows if no column has the same name.
  private func key(of identifier: String, in entity: TableModel.Entity) -> String {
    var key = identifier
    let columns = Set(entity.table.columns.map { $0.name.lowercased() })
    while columns.contains(key.lowercased()) { key += "Link" }
    return key
  }

  /// A record with the objects of its links and the rows of its collections.
  private func append(
    relationsOf entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    guard case .objects = entity.table.content,
      !entity.links.isEmpty || !entity.collections.isEmpty
    else { return }
    source.line()
    source.block("extension \(entity.identifier)") { source in
      source.line("/// An object with those that it links to, and its collections.")
      source.block("struct WithRelations: Codable, FetchableRecord") { source in
        source.line("var record: \(entity.identifier)")
        for link in entity.links {
          source.line("var \(link.identifier): \(model.entities[link.target].identifier)?")
        }
        for collection in entity.collections {
          source.line(
            "var \(collection.identifier): [\(model.entities[collection.rows].identifier)]")
        }
        source.line()
        source.block("enum CodingKeys: String, CodingKey") { source in
          source.line("case record")
          for identifier in entity.links.map(\.identifier) + entity.collections.map(\.identifier) {
            let key = key(of: identifier, in: entity)
            source.line("case \(identifier)" + (key == identifier ? "" : " = \"\(key)\""))
          }
        }
      }
      source.line()
      source.block("static func withRelations() -> QueryInterfaceRequest<WithRelations>") {
        source in
        let requests =
          entity.links.map { ".including(optional: \($0.identifier))" }
          + entity.collections.map { ".including(all: \($0.identifier))" }
        source.line("all()\(requests.joined()).asRequest(of: WithRelations.self)")
      }
    }
  }

  private func type(of field: TableModel.Field, _ model: TableModel) -> String {
    let type =
      switch field.column.type {
      case .int: "Int"
      case .bool: "Bool"
      case .float: "Float"
      case .double: "Double"
      case .string, .decimal, .json, .typeName, .array: "String"
      case .binary: "Data"
      case .date: "Date"
      case .objectId: model.form.ids == .blob ? "Data" : "String"
      case .uuid: "UUID"
      case .any: "MixedValue"
      }
    return type + (field.column.isNullable || field.isNumbered ? "?" : "")
  }

  private func append(conversionsOf model: TableModel, to source: inout ModelSource) {
    source.line("/// How dates and UUIDs are stored in the tables.")
    source.line("protocol ExportedRecord: Codable, FetchableRecord, MutablePersistableRecord {}")
    source.line()
    source.block("extension ExportedRecord") { source in
      if model.stores(.date) { append(dateStrategyOf: model, to: &source) }
      source.block(
        "static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy"
      ) { $0.line(model.form.ids == .blob ? ".deferredToUUID" : ".lowercaseString") }
    }
    if model.dates == .iso, model.stores(.date) {
      source.lines(GRDBModels.isoDates)
      source.lines(SwiftDates.secondsSince1970)
    }
    if model.stores(.any) { source.lines(GRDBModels.mixedValue) }
  }

  private func append(dateStrategyOf model: TableModel, to source: inout ModelSource) {
    let (read, write) =
      switch model.dates {
      case .iso: ("custom(exportedDate)", "custom(exportedText)")
      // GRDB's own strategy would round down, so that a date that was read could be written a millisecond earlier.
      case .unixMilliseconds:
        (
          "millisecondsSince1970",
          "custom { Int64(exactly: (1000 * $0.timeIntervalSince1970).rounded()) }"
        )
      case .unix: ("timeIntervalSince1970", "timeIntervalSince1970")
      }
    source.block(
      "static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy"
    ) { $0.line(".\(read)") }
    source.line()
    source.block(
      "static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy"
    ) { $0.line(".\(write)") }
    source.line()
  }

  private static let isoDates = #"""

    /// Reads dates such as 2023-11-14T22:13:20.123456789Z.
    @Sendable private func exportedDate(_ value: DatabaseValue) -> Date? {
        guard let text = String.fromDatabaseValue(value), text.utf8.count > 20,
            let seconds = secondsSince1970(text.prefix(19)),
            let fraction = Double("0" + text.dropFirst(19).dropLast())
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    @Sendable private func exportedText(_ date: Date) -> (any DatabaseValueConvertible)? {
        let (time, secondsPerDay) = (date.timeIntervalSince1970, 86_400)
        guard time.magnitude < 3e11 else { return nil }
        let seconds = Int(time.rounded(.down))
        let nanoseconds = min(Int((time - time.rounded(.down)) * 1e9), 999_999_999)
        let second = (seconds % secondsPerDay + secondsPerDay) % secondsPerDay
        // Days since 0000-03-01, in cycles of 400 years.
        let days = (seconds - second) / secondsPerDay + 719_468
        let cycle = (days >= 0 ? days : days - 146_096) / 146_097
        let day = days - cycle * 146_097
        let yearOfCycle = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * marchMonth + 2) / 5 + 1, second / 3600, second / 60 % 60, second % 60, nanoseconds)
    }
    """#

  private static let mixedValue = #"""

    /// A value of any type. The column after it has the name of the type.
    enum MixedValue: Hashable, Sendable {
        case integer(Int64), real(Double), text(String), blob(Data)
    }

    extension MixedValue: DatabaseValueConvertible {
        var databaseValue: DatabaseValue {
            switch self {
            case .integer(let value): value.databaseValue
            case .real(let value): value.databaseValue
            case .text(let value): value.databaseValue
            case .blob(let value): value.databaseValue
            }
        }

        static func fromDatabaseValue(_ value: DatabaseValue) -> MixedValue? {
            switch value.storage {
            case .null: nil
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let value): .blob(value)
            }
        }
    }

    extension MixedValue: Codable {
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let integer = try? value.decode(Int64.self) {
                self = .integer(integer)
            } else if let real = try? value.decode(Double.self) {
                self = .real(real)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .integer(let value): try container.encode(value)
            case .real(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .blob(let value): try container.encode(value)
            }
        }
    }
    """#
}
