package import RealmStorage

/// Integers without null (chapter 2, section 3.1): element i is row i.
struct IntegerLeaf {
  let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  init(_ node: Node) throws(RealmFileError) {
    guard node.isIntegers else { throw Leaf.kindError(node, expected: "packed integers") }
    self.node = node
  }

  /// All rows.
  ///
  /// - Parameter rows: the number of rows that the leaf must have; nil if only the leaf knows it.
  func values(rows: Int?) throws(RealmFileError) -> [Int64] {
    try Leaf.check(node.count, rows: rows, at: node)
    return node.integers()
  }

  /// Sets `out`, which has room for them, to all rows.
  @unsafe
  func decode(
    rows: Int, to out: UnsafeMutableBufferPointer<Int64>
  ) throws(RealmFileError) {
    try Leaf.check(node.count, rows: rows, at: node)
    unsafe node.decode(from: 0, to: out)
  }

  func value(at row: Int) throws(RealmFileError) -> Int64 {
    try Leaf.check(row: row, of: node.count, at: node)
    return node.integer(at: row)
  }

  /// Appends a leaf of the values in `rows`.
  static func encode(_ values: [Int64], _ rows: Range<Int>, into nodes: NodeBuffer) -> Ref {
    nodes.append(integers: values, rows: rows)
  }
}

/// Integers with null (chapter 2, section 3.2): element 0 is the value that means null in this leaf,
/// element i + 1 is row i.
package struct NullableIntegerLeaf {
  package let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  package init(_ node: Node) throws(RealmFileError) {
    guard node.isIntegers, node.count >= 1 else {
      throw Leaf.kindError(node, expected: "packed integers with a null value in front")
    }
    self.node = node
  }

  func values(rows: Int?) throws(RealmFileError) -> ([Int64], NullMask) {
    try Leaf.check(node.count - 1, rows: rows, at: node)
    let null = node.integer(at: 0)
    let values = node.integers(from: 1)
    return (values, NullMask(count: values.count) { values[$0] == null })
  }

  /// Sets `out`, which has room for them, to all rows.
  ///
  /// - Returns: the value that means null.
  @unsafe
  func decode(
    rows: Int, to out: UnsafeMutableBufferPointer<Int64>
  ) throws(RealmFileError) -> Int64 {
    try Leaf.check(node.count - 1, rows: rows, at: node)
    unsafe node.decode(from: 1, to: out)
    return node.integer(at: 0)
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> Int64? {
    try Leaf.check(row: row, of: node.count - 1, at: node)
    let value = node.integer(at: row + 1)
    return value == node.integer(at: 0) ? nil : value
  }

  /// The largest value of an element of `width` bits, less than 64. Leaves of this width use it for null.
  package static func largest(width: Int) -> Int64 {
    switch width {
    case 0: 0
    case 1: 1
    case 2: 3
    case 4: 15
    default: (1 << Int64(width - 1)) - 1
    }
  }

  /// Appends a leaf of the values in `rows`, with the smallest width whose largest value no row has. This value
  /// then means null.
  static func encode(
    _ values: [Int64], _ nulls: NullMask, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    // A null row counts as the smallest value, 0.
    var elements = [Int64](repeating: 0, count: rows.count + 1)
    for (i, row) in rows.enumerated() where !nulls[row] { elements[i + 1] = values[row] }
    var code = NodeEncoder.widthCode(of: elements)
    let isTaken = { (null: Int64) in
      rows.enumerated().contains { i, row in elements[i + 1] == null && !nulls[row] }
    }
    let wideCode: UInt8 = 7
    while code < wideCode, isTaken(largest(width: (1 << Int(code)) >> 1)) { code += 1 }
    var null = code < wideCode ? largest(width: (1 << Int(code)) >> 1) : Int64.max
    // The loop ends because there are more numbers than rows.
    while code == wideCode, isTaken(null) { null -= 1 }
    elements[0] = null
    if !nulls.isEmpty {
      for (i, row) in rows.enumerated() where nulls[row] { elements[i + 1] = null }
    }
    return nodes.append(integers: elements, widthCode: code)
  }
}

/// Booleans (chapter 2, section 3.3): 0 is false, 3 is null, every other value is true.
package struct BoolLeaf {
  package static let null: Int64 = 3

  package let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  package init(_ node: Node) throws(RealmFileError) {
    guard node.isIntegers else { throw Leaf.kindError(node, expected: "packed booleans") }
    self.node = node
  }

  func values(rows: Int?) throws(RealmFileError) -> ([Bool], NullMask) {
    try Leaf.check(node.count, rows: rows, at: node)
    let values = node.integers()
    return (
      values.map { $0 != 0 },
      NullMask(count: values.count) { values[$0] == BoolLeaf.null }
    )
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> Bool? {
    try Leaf.check(row: row, of: node.count, at: node)
    let value = node.integer(at: row)
    return value == BoolLeaf.null ? nil : value != 0
  }

  /// Appends a leaf of the values in `rows`.
  static func encode(
    _ values: [Bool], _ nulls: NullMask, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    nodes.append(integers: rows.map { nulls[$0] ? null : values[$0] ? 1 : 0 })
  }
}

/// Links of link columns (chapter 2, section 3.13): in clusters the object key plus one, in collections
/// the object key itself.
package struct LinkLeaf {
  let node: Node
  /// Whether this is a leaf of a cluster, instead of a collection.
  let isBiased: Bool

  /// - Throws: `damaged` with rule `leaf.kind`.
  init(_ node: Node, isBiased: Bool) throws(RealmFileError) {
    guard node.isIntegers else { throw Leaf.kindError(node, expected: "packed object keys") }
    (self.node, self.isBiased) = (node, isBiased)
  }

  func values(rows: Int?) throws(RealmFileError) -> [ObjectKey] {
    try Leaf.check(node.count, rows: rows, at: node)
    let (count, bias) = (node.count, bias)
    return unsafe [ObjectKey](unsafeUninitializedCapacity: count) { out, initialized in
      // An object key is a 64-bit integer.
      unsafe out.withMemoryRebound(to: Int64.self) { out in
        unsafe node.decode(from: 0, to: out)
        for row in 0..<count { unsafe out[row] &-= bias }
      }
      initialized = count
    }
  }

  func value(at row: Int) throws(RealmFileError) -> ObjectKey {
    try Leaf.check(row: row, of: node.count, at: node)
    return ObjectKey(node.integer(at: row) &- bias)
  }

  /// What elements are more than the keys. Subtracting wraps: no object has the smallest key, so none has the one
  /// before it.
  private var bias: Int64 { isBiased ? 1 : 0 }

  /// The element of a link to the object with `key`. Wraps as decoding does.
  package static func element(_ key: ObjectKey, isBiased: Bool) -> Int64 {
    isBiased ? key.raw &+ 1 : key.raw
  }
}

/// Typed links in a column of their own, which no SDK writes (chapter 2, section 3.13): pairs of table
/// key and object key, each plus one; both 0 for null.
struct TypedLinkLeaf {
  let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  init(_ node: Node) throws(RealmFileError) {
    guard node.isIntegers, node.count & 1 == 0 else {
      throw Leaf.kindError(node, expected: "pairs of packed integers")
    }
    self.node = node
  }

  func values(rows: Int?) throws(RealmFileError) -> [MixedValue] {
    try Leaf.check(node.count / 2, rows: rows, at: node)
    let values = node.integers()
    return stride(from: 0, to: values.count, by: 2).map {
      TypedLinkLeaf.link(values[$0], values[$0 + 1])
    }
  }

  func value(at row: Int) throws(RealmFileError) -> MixedValue {
    try Leaf.check(row: row, of: node.count / 2, at: node)
    return TypedLinkLeaf.link(node.integer(at: row * 2), node.integer(at: row * 2 + 1))
  }

  private static func link(_ table: Int64, _ key: Int64) -> MixedValue {
    guard table != 0 else { return .null }
    return .typedLink(TableKey(Int((table &- 1) & 0x7FFF_FFFF)), ObjectKey(key &- 1))
  }
}
