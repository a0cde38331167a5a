import RealmModel
import RealmStorage
import RealmSync

/// Makes batches of replayed objects.
struct ReplayedColumns: Sendable {
  private let schema: ObjectSchema
  private let positions: [Instruction.InternedName: Int]
  /// The identities of the objects that exist, by the position of their class.
  private let identities: [Int: Set<Instruction.ObjectIdentity>]
  /// The default values of all properties but the primary key, by the position of their class.
  private let defaults: [Int: [ReplayedValue]]

  init(
    _ schema: ObjectSchema, _ positions: [Instruction.InternedName: Int], _ replay: ChangesetReplay
  ) {
    (self.schema, self.positions) = (schema, positions)
    var identities: [Int: Set<Instruction.ObjectIdentity>] = [:]
    var defaults: [Int: [ReplayedValue]] = [:]
    for (name, position) in positions {
      identities[position] = Set(replay.classes[name]?.objects.keys.map { $0 } ?? [])
      defaults[position] = replay.classes[name]?.columns.map(\.defaultValue) ?? []
    }
    (self.identities, self.defaults) = (identities, defaults)
  }

  /// A batch of objects of one class.
  ///
  /// - Parameter rows: the values of the properties of each object.
  func batch(of position: Int, _ rows: [[ReplayedValue]]) -> ObjectBatch {
    let columns = schema.classes[position].properties.enumerated().map { i, property in
      // An embedded class may contain itself, which ends with a batch without objects.
      rows.isEmpty ? nil : column(property, rows.map { $0[i] })
    }
    return ObjectBatch(
      classPosition: position, count: rows.count, keys: [], columns: columns, owner: nil)
  }

  private func column(_ property: Property, _ values: [ReplayedValue]) -> ColumnValues {
    guard property.collection != nil else { return elements(property, values) }
    var ends: [Int] = []
    var keys: [[UInt8]] = []
    var all: [ReplayedValue] = []
    for value in values {
      switch value {
      case .list(let some): all += some.filter { !isDangling($0, property) }
      case .set(let some):
        all += some.members.map { ReplayedValue.scalar($0) }.filter { !isDangling($0, property) }
      case .dictionary(let entries):
        for (key, value) in sorted(entries) {
          keys.append(key.bytes)
          all.append(value)
        }
      case .scalar, .object: break
      }
      ends.append(all.count)
    }
    let column = CollectionColumn(
      ends: ends, elements: elements(property, all),
      keys: property.collection == .dictionary ? .string(SliceColumn(copying: keys)) : nil)
    return .collection(column)
  }

  private func sorted(
    _ entries: [Instruction.InternedName: ReplayedValue]
  ) -> [(Instruction.InternedName, ReplayedValue)] {
    entries.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
      .map { ($0.key, $0.value) }
  }

  /// Whether `value` is an element of a collection of links whose target does not exist.
  private func isDangling(_ value: ReplayedValue, _ property: Property) -> Bool {
    guard property.type == .link, case .scalar(.link) = value else { return false }
    return target(of: value) == nil
  }

  /// The class and key of the target of a link; nil if it does not exist.
  private func target(
    of value: ReplayedValue
  ) -> (position: Int, key: Instruction.ObjectIdentity)? {
    guard case .scalar(.link(let table, let key)) = value, let position = positions[table],
      identities[position]?.contains(key) == true
    else { return nil }
    return (position, key)
  }

  /// The values of a property that is no collection, or the elements of collections.
  private func elements(_ property: Property, _ values: [ReplayedValue]) -> ColumnValues {
    switch property.type {
    case .mixed, .typedLink: return .mixed(mixed(values))
    case .link:
      guard let position = property.target else { return .mixed(mixed(values)) }
      return schema.classes[position].kind == .embedded
        ? .embedded(embedded(position, values)) : .link(links(to: position, values))
    default: return .scalar(scalars(property.type, values))
    }
  }

  private func embedded(_ position: Int, _ values: [ReplayedValue]) -> EmbeddedColumn {
    var rows: [Int] = []
    var objects: [[ReplayedValue]] = []
    // Embedded classes have no primary key, so there is a default for each property.
    let properties = zip(schema.classes[position].properties, defaults[position] ?? [])
    for value in values {
      guard case .object(let fields) = value else {
        rows.append(-1)
        continue
      }
      rows.append(objects.count)
      objects.append(
        properties.map { fields[Instruction.InternedName($0.name.bytes)] ?? $1 })
    }
    return EmbeddedColumn(rows: rows, objects: batch(of: position, objects))
  }

  private func links(to position: Int, _ values: [ReplayedValue]) -> LinkColumn {
    let targets = values.map { target(of: $0) }
    let primaryKey = schema.classes[position].primaryKey.map {
      schema.classes[position].properties[$0].type
    }
    return LinkColumn(
      target: position, count: values.count,
      nulls: NullMask(count: values.count) { targets[$0] == nil },
      identities: scalars(
        primaryKey ?? .int, targets.map { .scalar($0?.key.payload ?? .null) }))
  }

  private func mixed(_ values: [ReplayedValue]) -> MixedColumn {
    let (arena, slices) = ByteArena.copy(
      values.map { value in
        if let target = target(of: value) { return target.key.payload.bytes }
        if case .scalar(let payload) = value { return payload.bytes }
        return nil
      })
    var column = MixedColumn(values: [], arena: arena)
    var lists: [[ReplayedValue]] = []
    var dictionaries: [[(Instruction.InternedName, ReplayedValue)]] = []
    for (value, slice) in zip(values, slices) {
      switch value {
      case .list(let elements):
        column.values.append(.list(lists.count))
        lists.append(elements)
      case .dictionary(let entries):
        column.values.append(.dictionary(dictionaries.count))
        dictionaries.append(sorted(entries))
      case .scalar(.link):
        guard let target = target(of: value) else {
          column.values.append(.null)
          continue
        }
        column.values.append(.link(column.links.count))
        column.links.append(
          MixedColumn.Link(
            target: target.position, key: nil,
            identity: BatchValue(target.key.payload, slice), isUnresolved: false))
      case .scalar(let payload): column.values.append(BatchValue(payload, slice))
      case .object, .set: column.values.append(.null)
      }
    }
    if !lists.isEmpty {
      column.lists = CollectionColumn(
        ends: ends(of: lists), elements: .mixed(mixed(lists.flatMap { $0 })))
    }
    if !dictionaries.isEmpty {
      let keys = dictionaries.flatMap { $0.map(\.0.bytes) }
      column.dictionaries = CollectionColumn(
        ends: ends(of: dictionaries),
        elements: .mixed(mixed(dictionaries.flatMap { $0.map(\.1) })),
        keys: .string(SliceColumn(copying: keys)))
    }
    return column
  }

  private func ends<Element>(of rows: [[Element]]) -> [Int] {
    var end = 0
    return rows.map {
      end += $0.count
      return end
    }
  }

  /// Scalars of one type; other values become null.
  private func scalars(_ type: PropertyType, _ values: [ReplayedValue]) -> ScalarColumn {
    let payloads = values.map { value -> Instruction.Payload in
      if case .scalar(let payload) = value { payload } else { .null }
    }
    let nulls = NullMask(count: values.count) { payloads[$0] == .null }
    func map<T>(_ none: T, _ body: (Instruction.Payload) -> T?) -> [T] {
      payloads.map { body($0) ?? none }
    }
    func slices() -> SliceColumn { SliceColumn(copying: payloads.map(\.bytes)) }
    switch type {
    case .bool:
      return .bool(map(false) { if case .bool(let flag) = $0 { flag } else { nil } }, nulls)
    case .float:
      return .float(
        map(0) { if case .float(let bits) = $0 { Float(bitPattern: bits) } else { nil } }, nulls)
    case .double:
      return .double(
        map(0) { if case .double(let bits) = $0 { Double(bitPattern: bits) } else { nil } }, nulls)
    case .timestamp:
      return .timestamp(
        map(0) { if case .timestamp(let seconds, _) = $0 { seconds } else { nil } },
        map(0) { if case .timestamp(_, let part) = $0 { Int64(part) } else { nil } }, nulls)
    case .decimal: return .decimal(map(.null) { $0.decimal })
    case .string: return .string(slices())
    case .binary: return .binary(slices())
    case .objectId: return .objectId(slices())
    case .uuid: return .uuid(slices())
    case .int, .mixed, .link, .typedLink:
      return .int(map(0) { if case .int(let number) = $0 { number } else { nil } }, nulls)
    }
  }
}

extension Instruction.Payload {
  fileprivate var decimal: Decimal128? {
    guard case .decimal(let coefficient, let exponent, let isNegative) = self else { return nil }
    return Decimal128(coefficient: coefficient, exponent: exponent, isNegative: isNegative)
  }
}
