import RealmModel
import RealmStorage

/// Checks whether the members of a set ascend (chapter 2, sections 6.3 and 8.3).
struct SetOrderCheck {
  private let type: ColumnType
  private let format: FileFormat
  private var previous: MixedValue?
  private var hasNaN = false
  /// Number of members so far.
  private var count = 0
  /// Number of adjacent members that are equal, and that descend.
  private var (equal, descending) = (0, 0)
  /// Descending pairs that are wrong in both character orders.
  private var disordered = 0

  init(_ column: Column, format: FileFormat) { (type, self.format) = (column.type, format) }

  mutating func check(_ batch: LeafValues) {
    count += batch.count
    for row in 0..<batch.count {
      let value = batch.member(at: row)
      if value.isNaN { hasNaN = true }
      if let previous {
        let order = StoredOrder.current.compare(previous, value)
        if order == 0 { equal += 1 }
        if order > 0 {
          descending += 1
          if !CharacterOrder.precedes(previous, value) { disordered += 1 }
        }
      }
      previous = value
    }
  }

  /// Adds the finding about the order of the set at `root`, if the order is wrong.
  func report(at root: Ref, _ findings: inout Findings) {
    guard equal > 0 || descending > 0 else { return }
    let hasBytes = type == .string || type == .binary
    // Before format 24, the platform determined whether characters were signed.
    let isOld = format.byteOrder == .characters
    if isOld, hasBytes, equal == 0, disordered == 0 { return }
    let isExpected =
      hasNaN || isOld && type == .mixed
      || descending == 0 && (hasBytes || type == .mixed)
    findings.add(
      .setOrder, isExpected ? .warning : .error, at: root,
      "\(descending) of \(count) members are smaller than the one before, \(equal) are equal to it")
  }
}

/// The order of strings and binaries before format 24 on platforms with signed characters.
enum CharacterOrder {
  /// Whether `a` comes before `b`; both are of one type.
  static func precedes(_ a: MixedValue, _ b: MixedValue) -> Bool {
    switch (a, b) {
    case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)):
      for i in 0..<min(x.count, y.count) where x[i] != y[i] {
        return Int8(bitPattern: x[i]) < Int8(bitPattern: y[i])
      }
      return x.count < y.count
    default: return StoredOrder.current.compare(a, b) < 0
    }
  }
}

extension MixedValue {
  fileprivate var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .decimal(let value): value.isNaN && !value.isNull
    default: false
    }
  }
}
