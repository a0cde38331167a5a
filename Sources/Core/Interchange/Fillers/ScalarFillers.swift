import RealmModel
import RealmStorage

/// A scalar stored in an array, with a separate mask of nulls.
protocol PlainScalar {
  /// The array element of a null.
  static var placeholder: Self { get }
  /// Reads the value of token `i`.
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Self
  static func column(_ values: [Self], _ nulls: NullMask) -> ScalarColumn
}

extension Int64: PlainScalar {
  static var placeholder: Int64 { 0 }
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Int64 {
    try record.int(i)
  }
  static func column(_ values: [Int64], _ nulls: NullMask) -> ScalarColumn { .int(values, nulls) }
}

extension Bool: PlainScalar {
  static var placeholder: Bool { false }
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Bool {
    try record.bool(i)
  }
  static func column(_ values: [Bool], _ nulls: NullMask) -> ScalarColumn { .bool(values, nulls) }
}

extension Float: PlainScalar {
  static var placeholder: Float { 0 }
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Float {
    try record.float(i)
  }
  static func column(_ values: [Float], _ nulls: NullMask) -> ScalarColumn {
    .float(values, nulls)
  }
}

extension Double: PlainScalar {
  static var placeholder: Double { 0 }
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Double {
    try record.double(i)
  }
  static func column(_ values: [Double], _ nulls: NullMask) -> ScalarColumn {
    .double(values, nulls)
  }
}

/// Collects integers, booleans, floats and doubles.
final class PlainFiller<Value: PlainScalar>: ColumnFiller {
  private let values = ValueBuffer<Value>()
  private var nulls = NullMask()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try Value.read(record, i))
  }
  override func appendNull() {
    nulls.insert(values.count)
    values.append(Value.placeholder)
  }
  override var count: Int { values.count }
  override func finish() -> ColumnValues { .scalar(finishScalars()) }

  func finishScalars() -> ScalarColumn {
    defer { nulls = NullMask() }
    return Value.column(values.take(), nulls)
  }
}

final class DecimalFiller: ColumnFiller {
  private let values = ValueBuffer<Decimal128>()

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    values.append(try record.decimal(i))
  }
  override func appendNull() { values.append(.null) }
  override var count: Int { values.count }
  override func finish() -> ColumnValues { .scalar(.decimal(values.take())) }
}

final class DateFiller: ColumnFiller {
  private let seconds = ValueBuffer<Int64>()
  private let nanoseconds = ValueBuffer<Int64>()
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
    defer { nulls = NullMask() }
    return .scalar(.timestamp(seconds.take(), nanoseconds.take(), nulls))
  }
}

/// Collects strings, binaries and identifiers as slices of the input.
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

  private let kind: Kind
  private let context: FillContext
  private let slices = ValueBuffer<ByteSlice?>()

  init(_ kind: Kind, _ context: FillContext, isOptional: Bool) {
    (self.kind, self.context) = (kind, context)
    super.init(isOptional: isOptional, expected: kind.expected)
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    switch kind {
    case .string:
      slices.append(try record.string(i).checked(BlobLimits.string, "a string", at: i))
    case .binary:
      slices.append(try record.binary(i, context).checked(BlobLimits.binary, "data", at: i))
    case .objectId: slices.append(try record.objectId(i))
    case .uuid: slices.append(try record.uuid(i))
    }
  }
  override func appendNull() { slices.append(nil) }
  override var count: Int { slices.count }
  override func finish() -> ColumnValues { .scalar(finishScalars()) }

  func finishScalars() -> ScalarColumn {
    let column = SliceColumn(slices.take())
    return switch kind {
    case .string: .string(column)
    case .binary: .binary(column)
    case .objectId: .objectId(column)
    case .uuid: .uuid(column)
    }
  }
}

extension ByteSlice {
  /// The bytes, if a realm can store that many.
  func checked(_ limit: Int, _ what: String, at token: Int) throws(ValueError) -> ByteSlice {
    guard count <= limit else {
      throw ValueError(.outOfRange(expected: "\(what) of up to \(limit) bytes"), at: token)
    }
    return self
  }
}
