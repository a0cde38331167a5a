import RealmStorage

/// The result of `body`; nil if what it reads is damaged.
///
/// - Throws: errors that are not damage.
func undamaged<R>(_ body: @autoclosure () throws(RealmFileError) -> R) throws(RealmFileError) -> R?
{
  do throws(RealmFileError) {
    return try body()
  } catch {
    guard error.isDamage else { throw error }
    return nil
  }
}

extension Array {
  /// The position behind the elements for which `isInPrefix` holds. They come first.
  func prefixEnd(where isInPrefix: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInPrefix(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
