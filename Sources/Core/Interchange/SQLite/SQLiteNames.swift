import RealmModel

/// Gives names that SQLite can have, each once: the names of tables and indexes, or those of the columns
/// of a table.
///
/// SQLite ignores the case of the letters A to Z in names, reserves names that start with `sqlite_`, and
/// takes no name with a byte 0.
struct SQLiteNames {
  private static let reserved = Array("sqlite_".utf8)

  /// The names that were given, with small letters, each with the number that the next of that name gets.
  private var nextNumbers: [[UInt8]: Int] = [:]
  /// Number of names that differ from those in the realm.
  private(set) var changedCount = 0

  /// A free name, which is `name` itself if it can be. A change is counted.
  mutating func name(for name: Name) -> String {
    let free = free(name.text)
    if !free.utf8.elementsEqual(name.bytes) { changedCount += 1 }
    return free
  }

  /// `wanted`, or a name like it where that is taken or impossible.
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

  /// Whether nothing has the name `name`.
  func isFree(_ name: String) -> Bool { nextNumbers[SQLiteNames.folded(name)] == nil }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  /// `name` as SQL writes it.
  static func quoted(_ name: String) -> String {
    var quoted = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
