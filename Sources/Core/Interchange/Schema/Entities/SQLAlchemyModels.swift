import RealmModel

/// Declarative classes for SQLAlchemy 2.0.
struct SQLAlchemyModels: TableLanguage {
  let linkEnding = "_id"
  let names = ModelNames(
    classWords: SQLAlchemyModels.words.union(SQLAlchemyModels.imported),
    propertyWords: SQLAlchemyModels.words.union(SQLAlchemyModels.imported).union([
      "metadata", "registry",
    ]), propertyStyle: .python)

  private static let words: Set<String> = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
  ]

  /// Names that the file uses: a member of the same name would hide them in its class.
  private static let imported: Set<String> = [
    "Any", "AnyValue", "Base", "BigInteger", "Boolean", "DateValue", "DecimalText",
    "DeclarativeBase", "ForeignKey", "Index", "Integer", "LargeBinary", "List", "Mapped",
    "Optional",
    "REAL", "Text", "TypeDecorator", "UUIDValue", "UserDefinedType", "bool", "bytes", "datetime",
    "decimal", "float", "int", "mapped_column", "relationship", "str", "uuid",
  ]

  func text(_ model: TableModel) -> String {
    var source = ModelSource(indent: "    ")
    source.lines(SQLAlchemyModels.head)
    append(conversionsOf: model, to: &source)
    for entity in model.entities {
      source.line()
      source.line()
      append(entity, model, to: &source)
    }
    return source.text
  }

  private func append(
    _ entity: TableModel.Entity, _ model: TableModel, to source: inout ModelSource
  ) {
    source.indented("class \(entity.identifier)(Base):") { source in
      source.line("__tablename__ = \(quoted(entity.table.name))")
      if !entity.table.indexes.isEmpty {
        let indexes = entity.table.indexes.map { index in
          let columns = ([index.name] + index.columns).map(quoted).joined(separator: ", ")
          return "Index(\(columns)\(index.isUnique ? ", unique=True" : "")),"
        }
        source.line("__table_args__ = (")
        for index in indexes { source.line("    \(index)") }
        source.line(")")
      }
      source.line()
      for field in entity.fields { append(field, model, to: &source) }
      for link in entity.links { append(link, of: entity, model, to: &source) }
      for collection in entity.collections { append(collection, of: entity, model, to: &source) }
    }
  }

  private func append(
    _ field: TableModel.Field, _ model: TableModel, to source: inout ModelSource
  ) {
    let (annotation, type) = types(of: field.column.type, model)
    let value = field.column.isNullable ? "Optional[\(annotation)]" : annotation
    var arguments = [quoted(field.column.name), type]
    // A name with a point cannot be written as a reference.
    if let reference = field.column.reference, !reference.table.contains("."),
      !reference.column.contains(".")
    {
      let target = quoted("\(reference.table).\(reference.column)")
      arguments.append(
        "ForeignKey(\(target), ondelete=\"\(reference.isCascade ? "CASCADE" : "SET NULL")\""
          + (model.form.defersKeys ? ", deferrable=True, initially=\"DEFERRED\")" : ")"))
    }
    if field.column.isPrimaryKey { arguments.append("primary_key=True") }
    source.line(
      "\(field.identifier): Mapped[\(value)] = mapped_column(\(arguments.joined(separator: ", ")))")
  }

  private func append(
    _ link: TableModel.Link, of entity: TableModel.Entity, _ model: TableModel,
    to source: inout ModelSource
  ) {
    let target = model.entities[link.target]
    let join =
      "foreign(\(entity.identifier).\(entity.fields[link.field].identifier)) == "
      + "remote(\(target.identifier).\(link.targetField))"
    var arguments = ["primaryjoin=\(quoted(join))"]
    // The owner of an element knows its collection.
    if entity.fields[link.field].column.role == .owner,
      let collection = target.collections.first(where: {
        model.entities[$0.rows].identifier == entity.identifier
      })
    {
      arguments.append("back_populates=\(quoted(collection.identifier))")
    }
    let type =
      entity.fields[link.field].column.isNullable
      ? "Optional[\(quoted(target.identifier))]" : quoted(target.identifier)
    source.line(
      "\(link.identifier): Mapped[\(type)] = relationship(\(arguments.joined(separator: ", ")))")
  }

  private func append(
    _ collection: TableModel.Collection, of entity: TableModel.Entity, _ model: TableModel,
    to source: inout ModelSource
  ) {
    let rows = model.entities[collection.rows]
    guard let owner = rows.links.first(where: { rows.fields[$0.field].column.role == .owner }),
      let order = rows.order ?? rows.key
    else { return }
    let join =
      "remote(foreign(\(rows.identifier).\(rows.fields[owner.field].identifier))) == "
      + "\(entity.identifier).\(owner.targetField)"
    source.line(
      "\(collection.identifier): Mapped[List[\(quoted(rows.identifier))]] = relationship("
        + "primaryjoin=\(quoted(join)), back_populates=\(quoted(owner.identifier)), "
        + "order_by=\(quoted("\(rows.identifier).\(order.identifier)")), "
        + "cascade=\"all, delete-orphan\", passive_deletes=True)")
  }

  private func quoted(_ text: String) -> String { ModelSource.quoted(text) }

  /// The annotation and the type of a column.
  private func types(
    of type: TableLayout.ValueType, _ model: TableModel
  ) -> (annotation: String, type: String) {
    switch type {
    case .int: ("int", "Integer")
    case .bool: ("bool", "Boolean")
    case .float, .double: ("float", "REAL")
    case .string, .json, .typeName, .array: ("str", "Text")
    case .binary: ("bytes", "LargeBinary")
    case .date: ("datetime.datetime", "DateValue")
    case .decimal: ("decimal.Decimal", "DecimalText")
    case .objectId: model.form.ids == .blob ? ("bytes", "LargeBinary") : ("str", "Text")
    case .uuid: ("uuid.UUID", "UUIDValue")
    case .any: ("Any", "AnyValue")
    }
  }

  private func append(conversionsOf model: TableModel, to source: inout ModelSource) {
    if model.stores(.date) {
      switch model.dates {
      case .iso: source.lines(SQLAlchemyModels.isoDates)
      case .unixMilliseconds:
        source.lines(
          SQLAlchemyModels.numberDates(
            "Integer", "milliseconds", "* 1000 + date.microsecond // 1000"))
      case .unix:
        source.lines(SQLAlchemyModels.numberDates("REAL", "seconds", "+ date.microsecond / 1e6"))
      }
    }
    if model.stores(.decimal) { source.lines(SQLAlchemyModels.decimals) }
    if model.stores(.uuid) {
      let isBlob = model.form.ids == .blob
      source.lines(
        SQLAlchemyModels.uuids(
          isBlob ? "LargeBinary" : "Text", to: isBlob ? "value.bytes" : "str(value)",
          from: isBlob ? "uuid.UUID(bytes=value)" : "uuid.UUID(value)"))
    }
    if model.stores(.any) { source.lines(SQLAlchemyModels.anyValue) }
  }

  private static let head = #"""
    import datetime
    import decimal
    import uuid
    from typing import Any, List, Optional

    from sqlalchemy import REAL, Boolean, ForeignKey, Index, Integer, LargeBinary, Text
    from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
    from sqlalchemy.types import TypeDecorator, UserDefinedType


    class Base(DeclarativeBase):
        pass
    """#

  private static let isoDates = #"""


    class DateValue(TypeDecorator):
        """Dates such as 2023-11-14T22:13:20.123456789Z, read to the microsecond."""

        impl = Text
        cache_ok = True

        def process_bind_param(self, value, dialect):
            if value is None:
                return None
            date = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            return date.isoformat(timespec="microseconds") + "000Z"

        def process_result_value(self, value, dialect):
            if value is None:
                return None
            date = datetime.datetime.fromisoformat(value[:26])
            return date.replace(tzinfo=datetime.timezone.utc)
    """#

  /// - Parameters:
  ///   - unit: the argument of `timedelta`.
  ///   - rest: what the whole seconds get, to be a number of the unit.
  private static func numberDates(_ type: String, _ unit: String, _ rest: String) -> String {
    #"""


    class DateValue(TypeDecorator):
        """Dates as \#(unit) since 1970. A date outside of the years 1 to 9999 is read as its number."""

        impl = \#(type)
        cache_ok = True
        start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

        def process_bind_param(self, value, dialect):
            if not isinstance(value, datetime.datetime):
                return value
            date = value.astimezone(datetime.timezone.utc)
            seconds = (date.replace(microsecond=0) - self.start) // datetime.timedelta(seconds=1)
            return seconds \#(rest)

        def process_result_value(self, value, dialect):
            try:
                return None if value is None else self.start + datetime.timedelta(\#(unit)=value)
            except OverflowError:
                return value
    """#
  }

  private static let decimals = #"""


    class DecimalText(TypeDecorator):
        impl = Text
        cache_ok = True

        def process_bind_param(self, value, dialect):
            return None if value is None else str(value)

        def process_result_value(self, value, dialect):
            return None if value is None else decimal.Decimal(value)
    """#

  private static func uuids(_ type: String, to: String, from: String) -> String {
    #"""


    class UUIDValue(TypeDecorator):
        impl = \#(type)
        cache_ok = True

        def process_bind_param(self, value, dialect):
            return None if value is None else \#(to)

        def process_result_value(self, value, dialect):
            return None if value is None else \#(from)
    """#
  }

  private static let anyValue = #"""


    class AnyValue(UserDefinedType):
        """A value of any type. The column after it has the name of the type."""

        cache_ok = True

        def get_col_spec(self, **kw):
            return ""
    """#
}
