import RealmModel
import RealmStorage

final class IntFiller: ColumnFiller {
  private var values: [Int64] = []
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.int(i))
  }
  override func appendNull() {
    nulls.insert(values.count)
    values.append(0)
  }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { (values, nulls) = ([], NullMask()) }
    return .scalar(.int(values, nulls))
  }
}

final class BoolFiller: ColumnFiller {
  private var values: [Bool] = []
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.bool(i))
  }
  override func appendNull() {
    nulls.insert(values.count)
    values.append(false)
  }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { (values, nulls) = ([], NullMask()) }
    return .scalar(.bool(values, nulls))
  }
}

final class FloatFiller: ColumnFiller {
  private var values: [Float] = []
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.float(i))
  }
  override func appendNull() {
    nulls.insert(values.count)
    values.append(0)
  }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { (values, nulls) = ([], NullMask()) }
    return .scalar(.float(values, nulls))
  }
}

final class DoubleFiller: ColumnFiller {
  private var values: [Double] = []
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.double(i))
  }
  override func appendNull() {
    nulls.insert(values.count)
    values.append(0)
  }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { (values, nulls) = ([], NullMask()) }
    return .scalar(.double(values, nulls))
  }
}

final class DecimalFiller: ColumnFiller {
  private var values: [Decimal128] = []

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.decimal(i))
  }
  override func appendNull() { values.append(.null) }
  override var count: Int { values.count }
  override func finish() -> ColumnValues {
    defer { values = [] }
    return .scalar(.decimal(values))
  }
}

final class DateFiller: ColumnFiller {
  private var seconds: [Int64] = []
  private var nanoseconds: [Int64] = []
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    let pair = try record.date(i)
    seconds.append(pair.seconds)
    nanoseconds.append(pair.nanoseconds)
  }
  override func appendNull() {
    nulls.insert(seconds.count)
    seconds.append(0)
    nanoseconds.append(0)
  }
  override var count: Int { seconds.count }
  override func finish() -> ColumnValues {
    defer { (seconds, nanoseconds, nulls) = ([], [], NullMask()) }
    return .scalar(.timestamp(seconds, nanoseconds, nulls))
  }
}

/// Strings, data and identifiers: slices of the text.
final class SliceFiller: ColumnFiller {
  enum Kind {
    case string, binary, objectId, uuid

    fileprivate var expected: String {
      switch self {
      case .string: "a string"
      case .binary: "data"
      case .objectId: "an ObjectId"
      case .uuid: "a UUID"
      }
    }
  }

  /// The most bytes of a string, and of data that is not in a mixed value (chapter 2, section 3.4).
  static let (stringLimit, binaryLimit) = (0xFF_FFF0 - 1, 0xFF_FFF0)

  private let kind: Kind
  private var slices: [ByteSlice?] = []

  init(_ kind: Kind, isOptional: Bool) {
    self.kind = kind
    super.init(isOptional: isOptional, expected: kind.expected)
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    switch kind {
    case .string:
      slices.append(try record.string(i).checked(SliceFiller.stringLimit, "a string", at: i))
    case .binary:
      slices.append(try record.binary(i).checked(SliceFiller.binaryLimit, "data", at: i))
    case .objectId: slices.append(try record.objectId(i))
    case .uuid: slices.append(try record.uuid(i))
    }
  }
  override func appendNull() { slices.append(nil) }
  override var count: Int { slices.count }
  override func finish() -> ColumnValues { .scalar(finishScalars()) }

  func finishScalars() -> ScalarColumn {
    defer { slices = [] }
    let column = SliceColumn(slices)
    return switch kind {
    case .string: .string(column)
    case .binary: .binary(column)
    case .objectId: .objectId(column)
    case .uuid: .uuid(column)
    }
  }
}

extension ByteSlice {
  /// The same bytes, where a realm has room for them.
  func checked(_ limit: Int, _ what: String, at token: Int) throws(ValueError) -> ByteSlice {
    guard count <= limit else {
      throw ValueError(.outOfRange(expected: "\(what) of up to \(limit) bytes"), at: token)
    }
    return self
  }
}
