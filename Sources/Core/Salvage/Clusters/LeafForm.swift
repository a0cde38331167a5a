import RealmModel
import RealmStorage

/// The types that a leaf of a cluster can have, according to its form and its values alone.
///
/// Types with the same form are distinguished by their values if these leave no doubt: typical
/// numbers have different exponents as binary and as decimal numbers. Integers, bools and links can
/// look the same.
struct LeafForm: OptionSet {
  let rawValue: Int

  static let int = LeafForm(rawValue: 1 << 0)
  static let optionalInt = LeafForm(rawValue: 1 << 1)
  static let bool = LeafForm(rawValue: 1 << 2)
  static let string = LeafForm(rawValue: 1 << 3)
  static let binary = LeafForm(rawValue: 1 << 4)
  static let mixed = LeafForm(rawValue: 1 << 5)
  static let timestamp = LeafForm(rawValue: 1 << 6)
  static let float = LeafForm(rawValue: 1 << 7)
  static let double = LeafForm(rawValue: 1 << 8)
  static let decimal = LeafForm(rawValue: 1 << 9)
  static let objectId = LeafForm(rawValue: 1 << 10)
  static let uuid = LeafForm(rawValue: 1 << 11)
  /// Collections or backlinks.
  static let refs = LeafForm(rawValue: 1 << 12)
  static let all = LeafForm(rawValue: 1 << 13 - 1)

  /// The types of columns, and whether their values may be null.
  private static let types: [(form: LeafForm, type: ColumnType, isNullable: Bool)] = [
    (.int, .int, false), (.optionalInt, .int, true), (.bool, .bool, true),
    (.string, .string, true), (.binary, .binary, true), (.mixed, .mixed, true),
    (.timestamp, .timestamp, true), (.float, .float, true), (.double, .double, true),
    (.decimal, .decimal, true), (.objectId, .objectId, true), (.uuid, .uuid, true),
  ]

  /// The type of a column with these leaves, and whether its values may be null; nil if uncertain.
  var type: (type: ColumnType, isNullable: Bool)? {
    LeafForm.types.first { $0.form == self }.map { ($0.type, $0.isNullable) }
  }

  /// - Parameter rows: number of objects of the cluster.
  /// - Returns: nil for a leaf that every type could have: all its values are null or defaults.
  static func of(_ node: Node, rows: Int, _ nodes: NodeReader) -> LeafForm? {
    guard !node.isInner, rows > 0 else { return [] }
    if !node.hasRefs, node.header.widthType == .bits {
      let isBool =
        node.count == rows && (0..<rows).allSatisfy { [0, 1, 3].contains(node.integer(at: $0)) }
      if node.count == rows { return isBool ? [.int, .bool] : .int }
      return node.count == rows + 1 ? .optionalInt : []
    }
    var found: LeafForm = []
    for (form, type, isNullable) in types where ![.int, .bool].contains(type) {
      guard
        let values = try? Leaf.decode(
          node, type: type, isNullable: isNullable, isBiased: true, rows: rows, nodes: nodes)
      else { continue }
      guard let isPlausible = isPlausible(values) else { return nil }
      if isPlausible { found.insert(form) }
    }
    if node.hasRefs, !node.hasContext, node.count == rows {
      if (0..<rows).allSatisfy({ node.integer(at: $0) == 0 }) { return nil }
      found.insert(.refs)
    }
    return found
  }

  /// Whether the values are typical of their type; nil if they prove nothing.
  private static func isPlausible(_ values: LeafValues) -> Bool? {
    switch values {
    case .scalar(.string(let texts)):
      let known = (0..<texts.count).compactMap { texts[$0] }
      guard known.contains(where: { $0.count > 0 }) else { return nil }
      return known.allSatisfy { $0.isValidUTF8 && !$0.hasZero }
    case .scalar(.binary(let data)):
      let known = (0..<data.count).compactMap { data[$0] }.filter { $0.count > 0 }
      // Strings end with a zero byte, even if they are not UTF-8.
      return known.isEmpty ? nil : known.contains { $0[$0.count - 1] != 0 }
    case .scalar(.float(let numbers, let nulls)):
      return numbers.indices.allSatisfy {
        nulls[$0] || numbers[$0] == 0 || (1e-6...1e9).contains(abs(numbers[$0]))
      }
    case .scalar(.double(let numbers, let nulls)):
      return numbers.indices.allSatisfy {
        nulls[$0] || numbers[$0] == 0 || (1e-12...1e15).contains(abs(numbers[$0]))
      }
    case .scalar(.decimal(let numbers)):
      let known = numbers.filter { !$0.isNull }
      guard !known.isEmpty else { return nil }
      return known.allSatisfy { (-40...5).contains($0.exponent) }
    default: return true
    }
  }
}
