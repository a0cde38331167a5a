/// Finds the longest common subsequence of two sequences.
///
/// Keeps a bit for each pair of elements: bit j of row i is 0 if the longest common subsequence of the first i+1 old
/// and first j+1 new elements is longer than without the new element j. A row follows from the one before with four
/// operations on words (Crochemore, Iliopoulos, Pinzon, Reid: A fast and practical bit-vector algorithm for the longest
/// common subsequence problem, 2001).
enum CommonSubsequence {
  /// Elements between two common ones, or before the first or after the last.
  struct Gap {
    let old: Range<Int>
    let new: Range<Int>
  }

  /// The elements that are not part of the longest common subsequence.
  ///
  /// Time and memory: a bit for each pair of elements, without equal elements at both ends.
  static func gaps<Element: Hashable>(_ old: [Element], _ new: [Element]) -> [Gap] {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
    guard start < oldEnd, start < newEnd else {
      return start < oldEnd || start < newEnd
        ? [Gap(old: start..<oldEnd, new: start..<newEnd)] : []
    }
    let (a, b) = (Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
    let rows = Rows(a, b)
    var gaps: [Gap] = []
    var (i, j) = (a.count, b.count)
    // The gap that ends here.
    var (oldLimit, newLimit) = (i, j)
    func close() {
      guard i < oldLimit || j < newLimit else { return }
      gaps.append(Gap(old: (start + i)..<(start + oldLimit), new: (start + j)..<(start + newLimit)))
    }
    while i > 0, j > 0 {
      if a[i - 1] == b[j - 1] {
        close()
        (i, j) = (i - 1, j - 1)
        (oldLimit, newLimit) = (i, j)
      } else if rows.grows(row: i - 1, at: j - 1) {
        // The old element is not needed for a subsequence of this length that needs the new one.
        i -= 1
      } else {
        j -= 1
      }
    }
    (i, j) = (0, 0)
    close()
    return gaps.reversed()
  }

  private struct Rows {
    private let width: Int
    private var words: [UInt64] = []

    init<Element: Hashable>(_ old: [Element], _ new: [Element]) {
      width = (new.count + 63) / 64
      var places: [Element: [UInt64]] = [:]
      for (j, element) in new.enumerated() {
        places[element, default: Array(repeating: 0, count: width)][j >> 6] |= 1 << UInt64(j & 63)
      }
      var row = Array(repeating: UInt64.max, count: width)
      words.reserveCapacity(width * old.count)
      for element in old {
        if let matches = places[element] {
          var carry: UInt64 = 0
          for k in 0..<width {
            let common = row[k] & matches[k]
            let (sum, isOver) = row[k].addingReportingOverflow(common)
            let (total, isOverToo) = sum.addingReportingOverflow(carry)
            carry = isOver || isOverToo ? 1 : 0
            row[k] = total | (row[k] & ~matches[k])
          }
        }
        words += row
      }
    }

    /// Whether the longest common subsequence of the old elements up to `row` and the new ones up to `column` is
    /// longer than without the new element.
    func grows(row: Int, at column: Int) -> Bool {
      words[row * width + column >> 6] >> UInt64(column & 63) & 1 == 0
    }
  }
}
