/// The carriage returns before line feeds, in a file in which each line feed has one.
///
/// Takes eight bytes for each.
struct LineEnds {
  let bytes: ByteSlice
  /// The offsets of the carriage returns, ascending.
  let places: [Int]

  /// A place in the file, and where it was before the change.
  struct Position {
    /// Offset before the change.
    var original: Int
    /// Offset in the file.
    var changed: Int
    /// Index of the first carriage return from here on.
    var index: Int
  }

  /// - Returns: nil if there are no line feeds, or if one has no carriage return before it.
  init?(in bytes: ByteSlice) {
    var places: [Int] = []
    var last: UInt8 = 0
    for offset in 0..<bytes.count {
      let byte = bytes[offset]
      if byte == 0x0A {
        guard last == 0x0D else { return nil }
        places.append(offset - 1)
      }
      last = byte
    }
    guard !places.isEmpty else { return nil }
    (self.bytes, self.places) = (bytes, places)
  }

  /// The index of the first carriage return that is not before `offset`, at least `index`.
  func index(from offset: Int, atLeast index: Int = 0) -> Int {
    var (low, high) = (index, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The place `count` original bytes after `position`.
  ///
  /// - Parameter kept: number of the carriage returns in between that were there before.
  /// - Returns: nil if the file ends earlier, or if there are not that many.
  func position(_ count: Int, after position: Position, keeping kept: Int) -> Position? {
    var (end, next) = (position.changed + count, position.index)
    while true {
      next = index(from: end, atLeast: next)
      // Each carriage return in the range that was not there before moves the end by one.
      let moved = position.changed + count + max(0, next - position.index - kept)
      guard moved <= bytes.count else { return nil }
      if moved == end {
        guard next - position.index >= kept else { return nil }
        return Position(original: position.original + count, changed: moved, index: next)
      }
      end = moved
    }
  }

  /// The `count` original bytes from `position` on, of whose carriage returns the last `kept` ones were there before.
  func original(_ count: Int, from position: Position, keeping kept: Int) -> [UInt8]? {
    guard let end = self.position(count, after: position, keeping: kept) else { return nil }
    let removed = places[position.index..<(end.index - kept)]
    var result: [UInt8] = []
    result.reserveCapacity(count)
    for offset in position.changed..<end.changed where !removed.contains(offset) {
      result.append(bytes[offset])
    }
    return result
  }
}
