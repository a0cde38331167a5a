import RealmModel
import RealmStorage

extension FormulaRun {
  /// The results of a function, one for each of `rows`.
  func call(
    _ function: FormulaFunction, _ arguments: [FormulaNode], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    switch function {
    case .now:
      let now = QueryValue.date(seconds: context.now.seconds, nanoseconds: context.now.nanoseconds)
      return Array(repeating: now, count: rows.count)
    case .newObjectId:
      return keep(rows.map { _ in context.makeObjectId() }).map {
        $0.map { .objectId($0) } ?? .null
      }
    case .newUUID:
      return keep(rows.map { _ in context.makeUUID() }).map { $0.map { .uuid($0) } ?? .null }
    case .coalesce: return try coalesce(arguments, rows)
    case .string, .int, .float, .double, .decimal, .date, .objectId, .uuid:
      return try converted(
        try values(arguments[0], rows), to: FormulaConversion.target(of: function), rows: rows)
    case .lower: return try strings(arguments, rows) { Array($0.lowercased().utf8) }
    case .upper: return try strings(arguments, rows) { Array($0.uppercased().utf8) }
    case .trim: return try strings(arguments, rows) { Array(FormulaRun.trimmed($0).utf8) }
    case .length: return try lengths(try values(arguments[0], rows), rows)
    case .substring: return try substrings(arguments, rows)
    case .replace: return try replaced(arguments, rows)
    }
  }

  /// The first argument of each object that is not null; later arguments are not evaluated.
  private func coalesce(
    _ arguments: [FormulaNode], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    var result = Array(repeating: QueryValue.null, count: rows.count)
    var open = Array(rows.indices)
    for argument in arguments {
      for (value, i) in zip(try values(argument, open.map { rows[$0] }), open) { result[i] = value }
      open = open.filter { result[$0].isNull }
    }
    return result
  }

  /// Converts values as the function of the target type does.
  func converted(
    _ values: [QueryValue], to target: ValueType, rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    var result = values
    var made: [[UInt8]?] = []
    for (i, row) in rows.enumerated() {
      let value = try converting(row) { () throws(FormulaConversion.Failure) in
        try conversion.converted(values[i], to: target)
      }
      switch value {
      case .value(let value): result[i] = value
      case .bytes(let bytes):
        if made.isEmpty { made = Array(repeating: nil, count: rows.count) }
        made[i] = bytes
      }
    }
    for (i, slice) in keep(made).enumerated() {
      guard let slice else { continue }
      switch target {
      case .objectId: result[i] = .objectId(slice)
      case .uuid: result[i] = .uuid(slice)
      default: result[i] = .string(slice)
      }
    }
    return result
  }

  // MARK: Strings

  /// Applies a function to the strings of the first argument.
  private func strings(
    _ arguments: [FormulaNode], _ rows: [Int], _ body: (String) -> [UInt8]
  ) throws(FormulaFailure) -> [QueryValue] {
    let values = try values(arguments[0], rows)
    var made: [[UInt8]?] = []
    for (i, row) in rows.enumerated() { made.append(try string(values[i], row).map(body)) }
    return keep(made).map { $0.map { .string($0) } ?? .null }
  }

  /// A string; nil for null.
  private func string(_ value: QueryValue, _ row: Int) throws(FormulaFailure) -> String? {
    guard !value.isNull else { return nil }
    guard case .string(let bytes) = value else {
      throw .value(row: row, message: "\(conversion.text(of: value)) is not a string")
    }
    guard let text = bytes.validText else {
      throw .value(
        row: row, message: "the string \(conversion.text(of: value)) is not valid UTF-8")
    }
    return text
  }

  private func lengths(
    _ values: [QueryValue], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    var result: [QueryValue] = []
    for (i, row) in rows.enumerated() {
      if case .binary(let bytes) = values[i] {
        result.append(.int(Int64(bytes.count)))
      } else {
        result.append(try string(values[i], row).map { .int(Int64($0.count)) } ?? .null)
      }
    }
    return result
  }

  private func substrings(
    _ arguments: [FormulaNode], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    let strings = try values(arguments[0], rows)
    let starts = try values(arguments[1], rows)
    let counts = arguments.count > 2 ? try values(arguments[2], rows) : nil
    var made: [[UInt8]?] = []
    for (i, row) in rows.enumerated() {
      guard let text = try string(strings[i], row), let start = try natural(starts[i], row) else {
        made.append(nil)
        continue
      }
      var rest = text.dropFirst(start)
      if let counts {
        guard let count = try natural(counts[i], row) else {
          made.append(nil)
          continue
        }
        rest = rest.prefix(count)
      }
      made.append(Array(rest.utf8))
    }
    return keep(made).map { $0.map { .string($0) } ?? .null }
  }

  /// An integer that is not negative; nil for null.
  private func natural(_ value: QueryValue, _ row: Int) throws(FormulaFailure) -> Int? {
    switch value {
    case .null: return nil
    case .int(let number) where number >= 0: return Int(number)
    default:
      throw .value(
        row: row,
        message: "substring takes positions and counts of 0 or more, not "
          + conversion.text(of: value))
    }
  }

  private func replaced(
    _ arguments: [FormulaNode], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    let strings = try values(arguments[0], rows)
    let parts = try values(arguments[1], rows)
    let replacements = try values(arguments[2], rows)
    var made: [[UInt8]?] = []
    for (i, row) in rows.enumerated() {
      let found = try string(strings[i], row)
      let (old, new) = (try string(parts[i], row), try string(replacements[i], row))
      guard let found, let old, let new
      else {
        made.append(nil)
        continue
      }
      guard !old.isEmpty else {
        throw .value(row: row, message: "replace cannot look for an empty string")
      }
      made.append(
        FormulaRun.replacing(Array(old.utf8), in: Array(found.utf8), by: Array(new.utf8)))
    }
    return keep(made).map { $0.map { .string($0) } ?? .null }
  }

  private static func replacing(
    _ part: [UInt8], in text: [UInt8], by replacement: [UInt8]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == part[0], text[index...].starts(with: part) {
        result += replacement
        index += part.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  /// The string without the white space around it.
  private static func trimmed(_ text: String) -> Substring {
    var rest = text.drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
