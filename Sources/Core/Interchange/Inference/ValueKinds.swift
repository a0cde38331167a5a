import RealmStorage

/// The kinds of the values of one property so far.
struct ValueKinds: OptionSet {
  let rawValue: UInt32

  static let null = ValueKinds(rawValue: 1 << 0)
  static let bool = ValueKinds(rawValue: 1 << 1)
  static let int = ValueKinds(rawValue: 1 << 2)
  /// An integer beyond 64 bits that a decimal128 can hold.
  static let largeInt = ValueKinds(rawValue: 1 << 3)
  static let double = ValueKinds(rawValue: 1 << 4)
  static let decimal = ValueKinds(rawValue: 1 << 5)
  static let string = ValueKinds(rawValue: 1 << 6)
  static let date = ValueKinds(rawValue: 1 << 7)
  static let objectId = ValueKinds(rawValue: 1 << 8)
  static let uuid = ValueKinds(rawValue: 1 << 9)
  static let binary = ValueKinds(rawValue: 1 << 10)
  static let list = ValueKinds(rawValue: 1 << 11)
  static let object = ValueKinds(rawValue: 1 << 12)
  /// A value that only a mixed property can hold, such as a link to any class.
  static let mixed = ValueKinds(rawValue: 1 << 13)
  /// A CSV field of two quotes: an empty string, or no value.
  static let emptyField = ValueKinds(rawValue: 1 << 14)
  /// With another kind: a number that a double would round.
  static let beyondDouble = ValueKinds(rawValue: 1 << 15)
  /// With another kind: a number that a decimal128 does not hold, or not in this form.
  static let beyondDecimal = ValueKinds(rawValue: 1 << 16)
}

/// The types that fit a string.
struct StringForms: OptionSet {
  let rawValue: UInt8

  static let bool = StringForms(rawValue: 1 << 0)
  static let int = StringForms(rawValue: 1 << 1)
  static let largeInt = StringForms(rawValue: 1 << 2)
  static let double = StringForms(rawValue: 1 << 3)
  static let date = StringForms(rawValue: 1 << 4)
  static let objectId = StringForms(rawValue: 1 << 5)
  static let uuid = StringForms(rawValue: 1 << 6)
  static let decimal = StringForms(rawValue: 1 << 7)

  static let all = StringForms(rawValue: 0xFF)

  /// Largest size in bytes of a string that fits another type: a date with nanoseconds has 35, a UUID 36.
  /// Numbers are limited by their digits.
  private static let byteLimit = 64

  private static func isHex(_ text: ByteSlice, count: Int, hyphens: [Int]) -> Bool {
    guard text.count == count else { return false }
    return (0..<count).allSatisfy { i in
      guard !hyphens.contains(i) else { return text[i] == UInt8(ascii: "-") }
      switch text[i] {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: return true
      default: return false
      }
    }
  }

  /// The kind that fits all strings; a string if no other kind does.
  var kind: ValueKinds {
    let order: [(StringForms, ValueKinds)] = [
      (.bool, .bool), (.int, .int), (.largeInt, .largeInt), (.double, .double),
      (.decimal, .decimal), (.date, .date), (.objectId, .objectId), (.uuid, .uuid),
    ]
    return order.first { contains($0.0) }?.1 ?? .string
  }
}

extension StringForms {
  /// The types that fit `text`.
  ///
  /// - Parameters:
  ///   - isField: whether `text` is a CSV field, which has no type.
  ///   - infersStrings: whether to look for dates and identifiers.
  init(_ text: ByteSlice, isField: Bool, infersStrings: Bool) {
    self = []
    guard text.count <= StringForms.byteLimit else { return }
    if isField {
      if CSVRecords.bool(text) != nil { insert(.bool) }
      if let number = NumberForm(text) { formUnion(StringForms(text.text, number)) }
    }
    guard infersStrings else { return }
    if DateText.parse(text) != nil { insert(.date) }
    if StringForms.isHex(text, count: 24, hyphens: []) { insert(.objectId) }
    if StringForms.isHex(text, count: 36, hyphens: [8, 13, 18, 23]) { insert(.uuid) }
  }

  /// The types that hold a number without rounding. A number outside the range of doubles is a string: an
  /// identifier such as `12e4567` looks like one.
  private init(_ text: String, _ number: NumberForm) {
    self = []
    let fit = NumberFit(text)
    guard Double(text)?.isFinite == true else { return }
    if fit.fitsDouble { insert(.double) }
    guard fit.fitsDecimal else { return }
    insert(.decimal)
    guard number == .integer else { return }
    insert(.largeInt)
    if Int64(text) != nil { insert(.int) }
  }
}
