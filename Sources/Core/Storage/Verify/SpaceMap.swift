/// Which units of eight bytes of a snapshot are taken: a bit a unit, a 64th of the file.
package struct SpaceMap: Sendable {
  private static let unitByteCount = 8

  private var words: [UInt64]
  private let unitCount: Int

  /// - Parameter byteCount: logical size of the snapshot.
  package init(byteCount: Int) {
    unitCount = byteCount / SpaceMap.unitByteCount
    words = Array(repeating: 0, count: unitCount / 64 + 1)
  }

  /// Calls `body` with each word that has units of `range`, and the bits of those.
  private static func eachWord(of range: Range<Int>, _ body: (Int, UInt64) -> Void) {
    var unit = range.lowerBound
    while unit < range.upperBound {
      let bit = unit & 63
      let count = min(64 - bit, range.upperBound - unit)
      let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(bit)
      body(unit >> 6, mask)
      unit += count
    }
  }

  private func units(_ bytes: Range<Int>) -> Range<Int> {
    let end = min(unitCount, (bytes.upperBound + 7) / SpaceMap.unitByteCount)
    return min(end, max(0, bytes.lowerBound / SpaceMap.unitByteCount))..<end
  }

  /// Takes the units of `bytes`, of which those behind the snapshot are left out.
  ///
  /// - Returns: false where one of them was taken already.
  package mutating func take(_ bytes: Range<Int>) -> Bool {
    let units = units(bytes)
    // Nearly every node lies in one word of the map.
    if units.lowerBound >> 6 == (units.upperBound - 1) >> 6, !units.isEmpty {
      let mask = (UInt64.max >> UInt64(64 - units.count)) << UInt64(units.lowerBound & 63)
      let word = units.lowerBound >> 6
      let isFree = words[word] & mask == 0
      words[word] |= mask
      return isFree
    }
    let isFree = !isTaken(units: units)
    SpaceMap.eachWord(of: units) { words[$0] |= $1 }
    return isFree
  }

  /// True where a unit of `bytes` is taken.
  package func isTaken(anyOf bytes: Range<Int>) -> Bool { isTaken(units: units(bytes)) }

  private func isTaken(units: Range<Int>) -> Bool {
    var found = false
    SpaceMap.eachWord(of: units) { word, mask in
      if words[word] & mask != 0 { found = true }
    }
    return found
  }

  /// True where every unit of `bytes` is taken.
  package func isTaken(allOf bytes: Range<Int>) -> Bool {
    var isTaken = true
    SpaceMap.eachWord(of: units(bytes)) { word, mask in
      if words[word] & mask != mask { isTaken = false }
    }
    return isTaken
  }

  /// The runs of bytes from `start` on that nothing took, in ascending order.
  package func gaps(from start: Int) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var unit = start / SpaceMap.unitByteCount
    while unit < unitCount {
      let rest = words[unit >> 6] >> UInt64(unit & 63)
      if rest & 1 != 0 {
        // On to the next unit that is free, or to the next word.
        unit += min((~rest).trailingZeroBitCount, 64 - unit & 63)
        continue
      }
      let first = unit
      while unit < unitCount {
        let rest = words[unit >> 6] >> UInt64(unit & 63)
        if rest & 1 != 0 { break }
        unit += min(rest.trailingZeroBitCount, 64 - unit & 63)
      }
      let end = min(unit, unitCount)
      gaps.append(first * SpaceMap.unitByteCount..<end * SpaceMap.unitByteCount)
    }
    return gaps
  }
}
