import RealmModel

/// Converts values of queries and expressions to values of batches.
extension ScalarColumn {
  /// A column of `values`, which have type `type` or are null.
  init(_ values: [QueryValue], _ type: ValueType) {
    let nulls = NullMask(count: values.count) { values[$0].isNull }
    switch type {
    case .int:
      self = .int(values.map { if case .int(let number) = $0 { number } else { 0 } }, nulls)
    case .bool:
      self = .bool(values.map { if case .bool(let flag) = $0 { flag } else { false } }, nulls)
    case .float:
      self = .float(values.map { if case .float(let number) = $0 { number } else { 0 } }, nulls)
    case .double:
      self = .double(values.map { if case .double(let number) = $0 { number } else { 0 } }, nulls)
    case .decimal:
      self = .decimal(values.map { if case .decimal(let number) = $0 { number } else { .null } })
    case .date:
      self = .timestamp(
        values.map { if case .date(let seconds, _) = $0 { seconds } else { 0 } },
        values.map { if case .date(_, let nanoseconds) = $0 { nanoseconds } else { 0 } }, nulls)
    case .binary: self = .binary(SliceColumn(values.map(\.bytes)))
    case .objectId:
      self = .objectId(
        SliceColumn(values.map { if case .objectId(let bytes) = $0 { bytes } else { nil } }))
    case .uuid:
      self = .uuid(SliceColumn(values.map { if case .uuid(let bytes) = $0 { bytes } else { nil } }))
    case .typeName:
      self = .string(
        SliceColumn(
          copying: values.map {
            if case .type(let types) = $0 { Array(types.name.utf8) } else { nil }
          }))
    case .string, .null, .mixed, .link: self = .string(SliceColumn(values.map(\.bytes)))
    }
  }
}

extension BatchValue {
  /// A scalar; null for a link, a collection or a type.
  init(_ value: QueryValue) {
    self =
      switch value {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .float(let number): .float(number)
      case .double(let number): .double(number)
      case .string(let bytes): .string(bytes)
      case .binary(let bytes): .binary(bytes)
      case .date(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: nanoseconds)
      case .decimal(let number): .decimal(number)
      case .objectId(let bytes): .objectId(bytes)
      case .uuid(let bytes): .uuid(bytes)
      case .null, .link, .list, .dictionary, .type: .null
      }
  }
}

extension TypeSet {
  /// The name of a single type.
  fileprivate var name: String {
    let names: [(type: TypeSet, name: String)] = [
      (.null, "null"), (.int, "int"), (.bool, "bool"), (.string, "string"), (.binary, "binary"),
      (.date, "date"), (.float, "float"), (.double, "double"), (.decimal, "decimal128"),
      (.objectId, "objectId"), (.uuid, "uuid"), (.link, "link"), (.dictionary, "dictionary"),
    ]
    return names.first { $0.type == self }?.name ?? "list"
  }
}
