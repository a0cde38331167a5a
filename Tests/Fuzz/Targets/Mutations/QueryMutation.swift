import TestSupport

/// One to four changes of a query, which follow from the seed: most of them exchange words
/// and symbols, because the parser refuses most random changes at once.
struct QueryMutation {
  private var tokens: [[UInt8]]
  private var random: SplitMix64
  /// Words and symbols of other queries.
  private let pool: [[UInt8]]

  /// Rare words and symbols.
  private static let rare = [
    "-1", "+1", ".5", "7f", "1e308", "1e999", "08", "0x1f", "9223372036854775808", "NaN", "-inf",
    "T0:1", "T1:-1", "2001-13-40@25:61:61", "1899-01-01@0:0:0", "O1", "L1:2", "L99999999999:1",
    "$99999999999999999999", "$K0", "B64\"QQ\"", "B64\"Q\"", "[c]", "[SIZE]", "[LAST]", "[*]",
    "[0]",
    ".@count", ".@type", ".@max", "@values", "@links", "!", "(", ")", "{", "}", ",", "&&", "||",
    "null",
    "'a\nb'", "\"", "'", "\\", "\\ ", "\u{1F600}", "é", "SUBQUERY(dogs, $d, ", ").@count > 0",
    "geoBox([1, 2], [3.5, 4])", "LIMIT(1)", "SORT(age DESC)", "DISTINCT(name)", "{1, null, 'a'}",
    "NOT ", "ALL ", " AND ", " OR ", " == ", " IN ", " BETWEEN {1, 2}", "obj('Dog', 'rex')",
  ].map { Array($0.utf8) }

  init(of text: [UInt8], pool: [[UInt8]], seed: UInt64) {
    tokens = QueryMutation.tokens(of: text)
    self.pool = pool
    random = SplitMix64(seed: seed)
  }

  /// The changed query.
  mutating func make() -> [UInt8] {
    for _ in 0..<(1 + below(4)) { change() }
    return Array(tokens.joined())
  }

  private mutating func below(_ limit: Int) -> Int {
    limit <= 1 ? 0 : Int(random.next() % UInt64(limit))
  }

  private mutating func token() -> [UInt8] {
    below(2) == 0
      ? QueryMutation.rare[below(QueryMutation.rare.count)] : pool[below(pool.count)]
  }

  private mutating func change() {
    guard !tokens.isEmpty else {
      tokens = [token()]
      return
    }
    let place = below(tokens.count)
    switch below(12) {
    case 0...3: tokens[place] = token()
    case 4, 5: tokens.insert(token(), at: place)
    case 6: tokens.remove(at: place)
    case 7: tokens.swapAt(place, below(tokens.count))
    case 8: tokens.insert(contentsOf: tokens[..<place], at: below(tokens.count))
    case 9: nest()
    case 10: if !tokens[place].isEmpty { tokens[place].remove(at: below(tokens[place].count)) }
    default: tokens[place].insert(UInt8(0x20 + below(0x5F)), at: below(tokens[place].count + 1))
    }
  }

  /// Parentheses, negations, sums or chains, as deep as a query may be or deeper.
  private mutating func nest() {
    let depths = [2, 50, 99, 100, 101, 1000, 10_000]
    let depth = depths[below(depths.count)]
    let pairs = [
      ("(", ")"), ("!", ""), ("NOT (", ")"), ("", " + 1"), ("", " && age == 1"), ("1 * ", ""),
      ("SUBQUERY(friends, $f, ", ").@count > 0"), ("boss.", ""),
    ]
    let (open, close) = pairs[below(pairs.count)]
    tokens.insert(Array(String(repeating: open, count: depth).utf8), at: 0)
    tokens.append(Array(String(repeating: close, count: depth).utf8))
  }

  /// The words, strings, spaces and symbols of a query.
  static func tokens(of text: [UInt8]) -> [[UInt8]] {
    func kind(_ byte: UInt8) -> Int {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
        UInt8(ascii: "@"), 0x80...:
        0
      case UInt8(ascii: " "): 1
      case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "!"),
        UInt8(ascii: "&"), UInt8(ascii: "|"):
        2
      default: 3
      }
    }
    var tokens: [[UInt8]] = []
    for byte in text {
      if let last = tokens.last?.last, kind(last) == kind(byte), kind(byte) < 3 {
        tokens[tokens.count - 1].append(byte)
      } else {
        tokens.append([byte])
      }
    }
    return tokens
  }
}
