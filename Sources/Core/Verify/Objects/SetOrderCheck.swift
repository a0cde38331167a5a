import RealmModel
import RealmStorage

/// Checks whether the members of a set ascend in the order of their format (chapter 2, sections 6.3 and 8.3).
struct SetOrderCheck {
  private let type: ColumnType
  private let format: FileFormat
  private var ascent: AscentCheck
  private var hasNaN = false
  // Of sets of mixed values before format 24.
  private var (hasStrings, hasBinaries, hasMalformedStrings) = (false, false, false)
  /// The members of a set of mixed values before format 23.
  private var members: [MixedValue] = []

  init(_ column: Column, format: FileFormat) {
    (type, self.format) = (column.type, format)
    let orders = StoredOrder.possible(format, column.type == .mixed ? .mixedSet : .values)
    ascent = AscentCheck(orders.first, orders.second)
  }

  private var order: StoredOrder { ascent.first.order }

  mutating func check(_ batch: LeafValues) {
    for row in 0..<batch.count {
      let value = batch.member(at: row)
      if value.isNaN { hasNaN = true }
      if order.isCollated { look(at: value) }
      ascent.add(value)
    }
  }

  private mutating func look(at value: MixedValue) {
    switch value {
    case .string(let text):
      hasStrings = true
      if !text.isValidUTF8 { hasMalformedStrings = true }
    case .binary: hasBinaries = true
    default: break
    }
    if order.isInconsistent { members.append(value) }
  }

  /// Adds the findings about the order of the set at `root`.
  func report(at root: Ref, _ findings: inout Findings) {
    var (equal, descending) = (ascent.better.equal, ascent.better.descending)
    let isMixture = hasStrings && hasBinaries
    if order.isInconsistent, isMixture {
      // Strings and binaries have no consistent order. Libraries find a member only if their search passes by it.
      let others = equal + descending - ascent.first.byteStrings
      guard others == 0 else {
        return findings.add(
          .setOrder, hasNaN ? .warning : .error, at: root,
          "\(others) of \(ascent.count) members are not greater than the one before")
      }
      (equal, descending) = (0, 0)
      let lost = members.indices.count { !isFound($0) }
      if lost > 0 {
        findings.add(
          .setOrder, .warning, at: root,
          "\(lost) of \(ascent.count) members are not where libraries look for them")
      }
    }
    guard equal > 0 || descending > 0 else { return }
    // The reference's upgrade keeps duplicates of strings and binaries, and in format 23 the order of strings among binaries.
    let isUpgraded =
      format.byteOrder == .bytes
      ? descending == 0 && (type == .string || type == .binary || type == .mixed) : isMixture
    let isExpected = hasNaN || hasMalformedStrings || isUpgraded
    findings.add(
      .setOrder, isExpected ? .warning : .error, at: root,
      "\(descending) of \(ascent.count) members are smaller than the one before, \(equal) are equal to it"
    )
  }

  /// Whether a binary search for a member ends at the member.
  private func isFound(_ position: Int) -> Bool {
    var (low, count) = (0, members.count)
    while count > 0 {
      let half = count / 2
      if order.compare(members[low + half], members[position]) < 0 {
        low += half + 1
        count -= half + 1
      } else {
        count = half
      }
    }
    return low == position
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
