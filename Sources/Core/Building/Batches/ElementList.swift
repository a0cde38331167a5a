import RealmModel
import RealmStorage

/// The place of an encoded node.
enum NodePlace {
  /// The node is at this ref of the buffer; 0 for no node.
  case placed(Ref)
  /// The node waits for keys; its number in the program.
  case pending(Int)
}

/// The elements of a node of integers or refs, some of which may still be unknown.
struct ElementList {
  /// An unknown element.
  enum Hole {
    /// The key of the object of class `target` with this primary key; or `key`, if it is known but must be
    /// sorted together with unknown keys.
    case link(
      target: Int, identity: BatchValue, isUnresolved: Bool, row: Int, key: ObjectKey? = nil)
    /// The key of the embedded object of class `target` with this number in the piece.
    case embedded(target: Int, number: Int, row: Int)
    /// The ref of a node that waits for keys.
    case child(Int)
  }

  private(set) var values: [Int64] = []
  /// The unknown elements, sorted by index.
  private(set) var holes: [(index: Int, hole: Hole)] = []

  var count: Int { values.count }

  mutating func append(_ value: Int64) { values.append(value) }
  mutating func append(ref: Ref) { values.append(Int64(ref)) }

  mutating func append(_ hole: Hole) {
    holes.append((values.count, hole))
    values.append(0)
  }

  mutating func append(_ place: NodePlace) {
    switch place {
    case .placed(let ref): append(ref: ref)
    case .pending(let number): append(.child(number))
    }
  }
}
