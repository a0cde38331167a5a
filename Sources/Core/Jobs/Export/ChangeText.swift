import RealmInterchange
import RealmModel
import RealmStorage
import RealmSync

/// Writes the instructions of changesets as JSON, one object per line.
struct ChangeText: ~Copyable {
  private var text = RealmJSONValueText()

  init() {}

  var byteCount: Int { text.byteCount }

  /// Returns the lines so far, and removes them.
  mutating func take() -> [UInt8] { text.take() }

  mutating func append(_ instruction: Instruction, version: Int) {
    begin(version)
    switch instruction {
    case .addTable(let name, let kind, let primaryKey):
      change("addClass", name)
      member("kind", kind == .topLevel ? "class" : kind == .embedded ? "embedded" : "asymmetric")
      if let primaryKey, !primaryKey.name.bytes.isEmpty { member("primaryKey", primaryKey.name) }
      if let primaryKey { member("keyType", "\(primaryKey.type)") }
    case .eraseTable(let name): change("removeClass", name)
    case .createObject(let table, let key):
      change("create", table)
      identity(key)
    case .eraseObject(let table, let key):
      change("delete", table)
      identity(key)
    case .update(let place, .erased, _): change("remove", place)
    case .update(let place, let payload, _):
      change("set", place)
      value(payload)
    case .addInteger(let place, let delta):
      change("increment", place)
      begin(member: "by")
      text.append("\(delta)")
    case .addColumn(let column): add(column)
    case .eraseColumn(let table, let field):
      change("removeProperty", table)
      member("property", field)
    case .arrayInsert(let place, let payload, _):
      change("insert", place)
      value(payload)
    case .arrayMove(let place, let destination, _):
      change("move", place)
      begin(member: "to")
      text.append("\(destination)")
    case .arrayErase(let place, _): change("remove", place)
    case .clear(let place, _): change("clear", place)
    case .setInsert(let place, let payload):
      change("addMember", place)
      value(payload)
    case .setErase(let place, let payload):
      change("removeMember", place)
      value(payload)
    }
    text.append("}\n")
  }

  /// A line for a changeset, or the rest of one, that cannot be decoded.
  ///
  /// - Parameter byteCount: nil if it is unknown.
  mutating func append(undecoded reason: String, byteCount: Int?, version: Int) {
    begin(version)
    member("change", "notDecoded")
    begin(member: "bytes")
    text.append(byteCount.map { "\($0)" } ?? "null")
    member("reason", reason)
    text.append("}\n")
  }

  // MARK: Parts

  private mutating func begin(_ version: Int) {
    text.append("{\"version\":\(version)")
  }

  private mutating func begin(member name: String) { text.append(",\"\(name)\":") }

  private mutating func member(_ name: String, _ value: String) {
    begin(member: name)
    text.append(Name(value))
  }

  private mutating func member(_ name: String, _ value: Instruction.InternedName) {
    begin(member: name)
    text.append(Name(value.bytes))
  }

  private mutating func change(_ name: String, _ table: Instruction.InternedName) {
    member("change", name)
    member("class", table)
  }

  private mutating func change(_ name: String, _ place: Instruction.Place) {
    change(name, place.table)
    identity(place.key)
    begin(member: "path")
    text.append("[")
    text.append(Name(place.field.bytes))
    for step in place.path {
      text.append(",")
      switch step {
      case .index(let index): text.append("\(index)")
      case .name(let name): text.append(Name(name.bytes))
      }
    }
    text.append("]")
  }

  private mutating func identity(_ key: Instruction.ObjectIdentity) {
    begin(member: "id")
    append(key)
  }

  private mutating func append(_ key: Instruction.ObjectIdentity) {
    guard case .globalKey(let high, let low) = key else { return append(key.payload) }
    text.append("{\"$globalKey\":[\(high),\(low)]}")
  }

  private mutating func value(_ payload: Instruction.Payload) {
    switch payload {
    case .newObject: member("new", "object")
    case .newList: member("new", "list")
    case .newSet: member("new", "set")
    case .newDictionary: member("new", "dictionary")
    case .link(let table, let key):
      begin(member: "value")
      text.append("{\"$link\":{\"class\":")
      text.append(Name(table.bytes))
      text.append(",\"id\":")
      append(key)
      text.append("}}")
    default:
      begin(member: "value")
      append(payload)
    }
  }

  private mutating func append(_ payload: Instruction.Payload) {
    let (arena, slices) = ByteArena.copy([payload.bytes])
    text.append(BatchValue(payload, slices[0]))
    withExtendedLifetime(arena) {}
  }

  private mutating func add(_ column: Instruction.NewColumn) {
    change("addProperty", column.table)
    member("property", column.name)
    // Mixed properties have the type null.
    member("type", column.type == .null ? "mixed" : "\(column.type)")
    begin(member: "optional")
    text.append(column.isNullable ? "true" : "false")
    if column.collection != .none { member("collection", "\(column.collection)") }
    if let target = column.target { member("target", target) }
  }
}
