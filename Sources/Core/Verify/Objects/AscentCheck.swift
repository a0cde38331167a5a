import RealmModel

/// Checks whether values ascend in one of the orders in which libraries can have stored them.
struct AscentCheck {
  /// What breaks one order.
  struct Tally {
    let order: StoredOrder
    /// Number of adjacent values that are equal, and that descend.
    fileprivate(set) var (equal, descending) = (0, 0)
    /// How many of these pairs are two strings or binaries.
    fileprivate(set) var byteStrings = 0
    /// Position of the first value that is not greater than the one before.
    fileprivate(set) var firstWrong: Int?

    init(_ order: StoredOrder) { self.order = order }

    var isAscending: Bool { firstWrong == nil }
    fileprivate var wrongCount: Int { equal + descending }

    @inline(__always)
    fileprivate mutating func add(_ previous: MixedValue, _ value: MixedValue, at position: Int) {
      let result = order.compare(previous, value)
      guard result >= 0 else { return }
      if result == 0 { equal += 1 } else { descending += 1 }
      if previous.isByteString, value.isByteString { byteStrings += 1 }
      if firstWrong == nil { firstWrong = position }
    }
  }

  private(set) var first: Tally
  private(set) var second: Tally?
  private(set) var count = 0
  private var previous: MixedValue?

  init(_ first: StoredOrder, _ second: StoredOrder?) {
    (self.first, self.second) = (Tally(first), second.map(Tally.init))
  }

  mutating func add(_ value: MixedValue) {
    if let previous {
      first.add(previous, value, at: count)
      second?.add(previous, value, at: count)
    }
    previous = value
    count += 1
  }

  /// The order that fewer values break.
  var better: Tally {
    guard let second, second.wrongCount < first.wrongCount else { return first }
    return second
  }
}

extension MixedValue {
  /// Whether this is a string or a binary.
  var isByteString: Bool {
    switch self {
    case .string, .binary: true
    default: false
    }
  }
}
