import RealmSync

/// The classes and properties that changesets use, without those that later changesets erase.
struct ChangesetNames {
  /// The most names that are kept: more than a realm has classes and properties.
  private static let countLimit = 100_000
  /// The most bytes of a name that are kept: more than the longest name of a class or property has.
  private static let byteLimit = 64

  private var fields: [[UInt8]: Set<[UInt8]>] = [:]
  private var count = 0

  mutating func take(_ instruction: Instruction) {
    switch instruction {
    case .addTable(let name, _, let primaryKey):
      take(name)
      if let primaryKey, !primaryKey.name.bytes.isEmpty { take(name, primaryKey.name) }
    case .eraseTable(let name): fields[name.bytes] = nil
    case .createObject(let table, _), .eraseObject(let table, _): take(table)
    case .addColumn(let column): take(column.table, column.name)
    case .eraseColumn(let table, let field): fields[table.bytes]?.remove(field.bytes)
    case .update(let place, _, _), .addInteger(let place, _), .arrayInsert(let place, _, _),
      .arrayMove(let place, _, _), .arrayErase(let place, _), .clear(let place, _),
      .setInsert(let place, _), .setErase(let place, _):
      take(place.table, place.field)
    }
  }

  private mutating func take(
    _ table: Instruction.InternedName, _ field: Instruction.InternedName? = nil
  ) {
    guard count < ChangesetNames.countLimit else { return }
    let table = Array(table.bytes.prefix(ChangesetNames.byteLimit))
    if fields[table] == nil {
      fields[table] = []
      count += 1
    }
    guard let field else { return }
    let name = Array(field.bytes.prefix(ChangesetNames.byteLimit))
    if fields[table, default: []].insert(name).inserted { count += 1 }
  }

  /// Sorted by bytes.
  var sorted: [(table: [UInt8], fields: [[UInt8]])] {
    fields.map { ($0, $1.sorted { $0.lexicographicallyPrecedes($1) }) }
      .sorted { $0.0.lexicographicallyPrecedes($1.0) }
  }
}
