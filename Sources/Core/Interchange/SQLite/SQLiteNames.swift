import RealmModel

/// Makes unique names that SQLite allows: for tables and indexes, or for the columns of a table.
///
/// SQLite ignores the case of the letters A to Z in names, reserves names that start with `sqlite_`, and
/// allows no byte 0.
struct SQLiteNames {
  private static let reserved = Array("sqlite_".utf8)

  /// The names in use, in lower case, with the number for the next one of the same name.
  private var nextNumbers: [[UInt8]: Int] = [:]
  /// Number of names that differ from those in the realm.
  private(set) var changedCount = 0

  /// A free name: `name` itself if possible. Counts a change.
  mutating func name(for name: Name) -> String {
    let free = free(name.text)
    if !free.utf8.elementsEqual(name.bytes) { changedCount += 1 }
    return free
  }

  /// `wanted`, or a similar name if it is taken or impossible.
  mutating func free(_ wanted: String) -> String {
    var base = String(
      String.UnicodeScalarView(wanted.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    if base.isEmpty || SQLiteNames.folded(base).starts(with: SQLiteNames.reserved) {
      base = "_" + base
    }
    var candidate = base
    while !isFree(candidate) {
      let number = nextNumbers[SQLiteNames.folded(base), default: 2]
      nextNumbers[SQLiteNames.folded(base)] = number + 1
      candidate = "\(base)_\(number)"
    }
    nextNumbers[SQLiteNames.folded(candidate)] = 2
    return candidate
  }

  /// Whether `name` is not in use.
  func isFree(_ name: String) -> Bool { nextNumbers[SQLiteNames.folded(name)] == nil }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  /// `name` as an SQL identifier.
  static func quoted(_ name: String) -> String {
    var quoted = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
