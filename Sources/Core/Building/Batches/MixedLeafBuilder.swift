import RealmModel
import RealmStorage

/// Builds a mixed leaf (chapter 2, section 3.14).
struct MixedLeafBuilder {
  private var composites: [Int64] = []
  private var ints: [Int64] = []
  private var pairs = ElementList()
  private var strings: [ByteSlice?] = []
  private var roots = ElementList()
  private var keys: [Int64] = []
  /// Leaves of clusters have keys even if no value is a collection: otherwise the reference makes the array
  /// too short when it stores the first collection (chapter 2, section 11, D1).
  private let hasKeys: Bool
  private let slotCount: Int

  /// - Parameter isOfObjects: whether the values are those of objects, not elements of collections.
  init(_ format: FileFormat, isOfObjects: Bool) {
    (hasKeys, slotCount) = (isOfObjects, format.mixedSlotCount)
  }

  private mutating func append(_ type: Int, payload: Int, _ value: Int) {
    composites.append(MixedLeaf.Composite.raw(type, payload: payload, Int64(value)))
    keys.append(0)
  }

  private mutating func append(int number: Int64, _ type: ColumnType) {
    append(type.rawValue, payload: MixedLeaf.Slot.ints, ints.count)
    ints.append(number)
  }

  private mutating func append(pair first: Int64, _ second: Int64, _ type: ColumnType) {
    append(type.rawValue, payload: MixedLeaf.Slot.pairs, pairs.count / 2)
    pairs.append(first)
    pairs.append(second)
  }

  private mutating func append(bytes: ByteSlice, _ type: ColumnType) {
    append(type.rawValue, payload: MixedLeaf.Slot.strings, strings.count)
    strings.append(bytes)
  }

  /// Appends a scalar or null. Links and collections have their own methods.
  mutating func append(_ value: BatchValue) {
    switch value {
    case .int(let number):
      if Int32(exactly: number) == nil {
        append(int: number, .int)
      } else {
        append(ColumnType.int.rawValue, payload: 0, Int(number))
      }
    case .bool(let flag): append(ColumnType.bool.rawValue, payload: 0, flag ? 1 : 0)
    case .float(let number): append(int: Int64(number.bitPattern), .float)
    case .double(let number): append(int: Int64(bitPattern: number.bitPattern), .double)
    case .string(let bytes): append(bytes: bytes, .string)
    case .binary(let bytes): append(bytes: bytes, .binary)
    case .timestamp(let seconds, let nanoseconds): append(pair: seconds, nanoseconds, .timestamp)
    case .decimal(let number):
      append(pair: Int64(bitPattern: number.low), Int64(bitPattern: number.high), .decimal)
    case .objectId(let bytes): append(bytes: bytes, .objectId)
    case .uuid(let bytes): append(bytes: bytes, .uuid)
    case .null, .link, .list, .dictionary:
      composites.append(0)
      keys.append(0)
    }
  }

  /// Appends a link to the object with `key`.
  mutating func append(link key: ObjectKey, of table: TableKey) {
    append(pair: Int64(table.raw), key.raw, .typedLink)
  }

  /// Appends a link to an object whose key is not known yet.
  mutating func append(_ hole: ElementList.Hole, of table: TableKey) {
    append(ColumnType.typedLink.rawValue, payload: MixedLeaf.Slot.pairs, pairs.count / 2)
    pairs.append(Int64(table.raw))
    pairs.append(hole)
  }

  /// Appends a nested collection.
  ///
  /// - Parameter key: identifies the collection in its parent; not 0.
  mutating func append(_ root: NodePlace, isDictionary: Bool, key: Int) {
    append(
      isDictionary ? MixedLeaf.dictionaryCode : MixedLeaf.listCode, payload: MixedLeaf.Slot.refs,
      roots.count)
    roots.append(root)
    keys[keys.count - 1] = Int64(key)
  }

  /// Appends the leaf.
  func finish(into encoder: PendingEncoder) -> NodePlace {
    let nodes = encoder.nodes
    var slots = ElementList()
    slots.append(ref: nodes.append(integers: composites))
    slots.append(ref: ints.isEmpty ? 0 : nodes.append(integers: ints))
    // Only leaves of clusters always have keys.
    let options = hasKeys ? PendingProgram.Options.valuesOfObjects : []
    slots.append(pairs.count == 0 ? .placed(0) : encoder.append(pairs, options))
    slots.append(
      ref: strings.isEmpty
        ? 0 : StringLeaf.encode(strings: SliceColumn(strings), strings.indices, into: nodes))
    // The last two slots are those of collections, from format 24 on.
    guard slotCount > slots.count else { return encoder.append(slots, .refs) }
    slots.append(roots.count == 0 ? .placed(0) : encoder.append(roots, .refs))
    slots.append(ref: hasKeys || roots.count > 0 ? nodes.append(integers: keys) : 0)
    return encoder.append(slots, .refs)
  }
}
