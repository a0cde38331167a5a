extension Array {
  /// The number of elements for which `isInPrefix` holds, found by a binary search. They must come
  /// before all others.
  func prefixEnd(where isInPrefix: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInPrefix(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
