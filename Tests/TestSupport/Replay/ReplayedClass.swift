import RealmModel
import RealmStorage
import RealmSync

/// A class of replayed objects. It is not a struct, so that changing an object copies no others.
final class ReplayedClass {
  /// A replayed object.
  struct Object {
    /// The number of objects created before this one.
    let number: Int
    var fields: [Instruction.InternedName: ReplayedValue] = [:]
  }

  let kind: Instruction.TableKind
  /// Nil for embedded classes.
  let primaryKey: Instruction.PrimaryKeyColumn?
  /// In the order of their creation.
  private(set) var columns: [Instruction.NewColumn] = []
  private var positions: [Instruction.InternedName: Int] = [:]
  var objects: [Instruction.ObjectIdentity: Object] = [:]

  init(kind: Instruction.TableKind, primaryKey: Instruction.PrimaryKeyColumn?) {
    (self.kind, self.primaryKey) = (kind, primaryKey)
  }

  func column(named name: Instruction.InternedName) -> Instruction.NewColumn? {
    positions[name].map { columns[$0] }
  }

  func append(_ column: Instruction.NewColumn) {
    positions[column.name] = columns.count
    columns.append(column)
  }

  func removeColumn(named name: Instruction.InternedName) {
    columns.removeAll { $0.name == name }
    positions = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($0.element.name, $0.offset) })
    for key in objects.keys { objects[key]?.fields[name] = nil }
  }

  /// Whether an object can have the key `identity`.
  func accepts(_ identity: Instruction.ObjectIdentity) -> Bool {
    guard let primaryKey else { return false }
    return switch identity {
    case .null: primaryKey.isNullable
    case .int: primaryKey.type == .int
    case .string: primaryKey.type == .string
    case .globalKey: primaryKey.type == .globalKey
    case .objectId: primaryKey.type == .objectId
    case .uuid: primaryKey.type == .uuid
    }
  }

  /// The objects in the order of their creation.
  var sortedObjects: [(key: Instruction.ObjectIdentity, object: Object)] {
    objects.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value) }
  }
}
