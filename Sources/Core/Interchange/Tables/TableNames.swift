import RealmModel

/// Makes unique names that a database allows: for tables and indexes, or for the columns of a table.
struct TableNames {
  /// What a database allows.
  struct Rules: Sendable {
    /// Whether the case of the letters A to Z does not matter.
    var ignoresCase = true
    /// Start of names that are reserved, in lower case.
    var reservedPrefix: String?
    /// Reserved names of tables, in lower case.
    var reservedTables: Set<String> = []
    /// Reserved names of columns.
    var reservedColumns: Set<String> = []
    /// Characters that a name cannot have, besides the byte 0.
    var forbidden: Set<Unicode.Scalar> = []
    /// Largest size of a name in bytes.
    var byteLimit = Int.max

    static let sqlite = Rules(reservedPrefix: "sqlite_")

    /// Those of SQLite and Android: Room puts names in backticks, and keeps tables of its own.
    static let room = Rules(
      reservedPrefix: "sqlite_", reservedTables: ["android_metadata", "room_master_table"],
      forbidden: ["`", "\""])

    /// PostgreSQL cuts longer names, and each table has some columns of the system.
    static let postgres = Rules(
      ignoresCase: false,
      reservedColumns: ["cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"], byteLimit: 63)
  }

  private let rules: Rules
  private let reserved: Set<String>
  /// The names in use, folded, with the number for the next one of the same name.
  private var nextNumbers: [[UInt8]: Int] = [:]
  /// Number of names that differ from those in the realm.
  private(set) var changedCount = 0

  /// Names of tables and indexes.
  static func tables(_ rules: Rules) -> TableNames {
    TableNames(rules: rules, reserved: rules.reservedTables)
  }

  /// Names of the columns of a table.
  static func columns(_ rules: Rules) -> TableNames {
    TableNames(rules: rules, reserved: rules.reservedColumns)
  }

  private init(rules: Rules, reserved: Set<String>) {
    (self.rules, self.reserved) = (rules, reserved)
  }

  /// A free name: `name` itself if possible. Counts a change.
  mutating func name(for name: Name) -> String {
    let free = free(name.text)
    if !free.utf8.elementsEqual(name.bytes) { changedCount += 1 }
    return free
  }

  /// `wanted`, or a similar name if it is taken or impossible.
  mutating func free(_ wanted: String) -> String {
    var base = String(
      String.UnicodeScalarView(
        wanted.unicodeScalars.map {
          $0 == "\0" ? "\u{FFFD}" : rules.forbidden.contains($0) ? "_" : $0
        }))
    if base.isEmpty || isReserved(base) { base = "_" + base }
    base = TableNames.cut(base, to: rules.byteLimit)
    var candidate = base
    while !isFree(candidate) {
      let number = nextNumbers[folded(base), default: 2]
      nextNumbers[folded(base)] = number + 1
      let ending = "_\(number)"
      candidate = TableNames.cut(base, to: rules.byteLimit - ending.utf8.count) + ending
    }
    nextNumbers[folded(candidate)] = 2
    return candidate
  }

  /// Whether `name` is not in use.
  func isFree(_ name: String) -> Bool { nextNumbers[folded(name)] == nil }

  private func isReserved(_ name: String) -> Bool {
    let folded = folded(name)
    return rules.reservedPrefix.map { folded.starts(with: $0.utf8) } ?? false
      || reserved.contains(String(decoding: folded, as: UTF8.self))
  }

  private func folded(_ name: String) -> [UInt8] {
    guard rules.ignoresCase else { return Array(name.utf8) }
    return name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  /// The first characters of `name`, in at most `byteLimit` bytes.
  private static func cut(_ name: String, to byteLimit: Int) -> String {
    guard name.utf8.count > byteLimit else { return name }
    var (cut, byteCount) = ("", 0)
    for scalar in name.unicodeScalars {
      byteCount += scalar.utf8.count
      guard byteCount <= byteLimit else { break }
      cut.unicodeScalars.append(scalar)
    }
    return cut
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
