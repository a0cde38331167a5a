/// A bitmap of the space of a snapshot: one bit for each unit of eight bytes, set if the unit is taken. It
/// takes a 64th of the file size.
package struct SpaceMap: Sendable {
  private static let unitByteCount = 8

  private var taken: BitSet
  private let unitCount: Int

  /// - Parameter byteCount: logical size of the snapshot.
  package init(byteCount: Int) {
    unitCount = byteCount / SpaceMap.unitByteCount
    taken = BitSet(count: unitCount)
  }

  private func units(_ bytes: Range<Int>) -> Range<Int> {
    let end = min(unitCount, (bytes.upperBound + 7) / SpaceMap.unitByteCount)
    return min(end, max(0, bytes.lowerBound / SpaceMap.unitByteCount))..<end
  }

  /// Marks the units of `bytes` as taken, except those past the end of the snapshot.
  ///
  /// - Returns: false if one of them was already taken.
  package mutating func take(_ bytes: Range<Int>) -> Bool { taken.insert(units(bytes)) }

  /// Whether any unit of `bytes` is taken.
  package func isTaken(anyOf bytes: Range<Int>) -> Bool { taken.contains(anyOf: units(bytes)) }

  /// Whether every unit of `bytes` is taken.
  package func isTaken(allOf bytes: Range<Int>) -> Bool { taken.contains(allOf: units(bytes)) }

  /// The ranges of bytes from `start` on that are not taken, in ascending order.
  package func gaps(from start: Int) -> [Range<Int>] {
    taken.gaps(in: min(unitCount, start / SpaceMap.unitByteCount)..<unitCount).map {
      $0.lowerBound * SpaceMap.unitByteCount..<$0.upperBound * SpaceMap.unitByteCount
    }
  }
}
