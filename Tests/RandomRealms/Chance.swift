import TestSupport

/// Random choices that follow from a seed.
struct Chance {
  private var random: SplitMix64

  init(seed: Int) { random = SplitMix64(seed: UInt64(seed)) }

  mutating func bits() -> UInt64 { random.next() }

  /// A number in `range`.
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// True with probability 1 / `count`.
  mutating func once(in count: Int) -> Bool { number(1...count) == 1 }

  mutating func one<T>(of values: [T]) -> T { values[number(0...(values.count - 1))] }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
