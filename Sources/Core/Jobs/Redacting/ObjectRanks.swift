import RealmModel
import RealmStorage

/// The positions of objects among those of their class, by object key: the keys that a builder gives to objects with a
/// primary key (chapter 3, section 4.2). Takes 16 bytes for each gap between keys.
struct ObjectRanks: Sendable {
  /// Objects with consecutive keys.
  struct Run: Sendable {
    let start: Int64
    var count: Int

    /// Adds `keys`, which ascend, to the runs before them.
    static func add(_ keys: [ObjectKey], to runs: inout [Run]) {
      for key in keys {
        if let last = runs.last, key.raw == last.start + Int64(last.count) {
          runs[runs.count - 1].count += 1
        } else {
          runs.append(Run(start: key.raw, count: 1))
        }
      }
    }
  }

  /// The first key of each run, and the position of its object.
  private var starts: [Int64] = []
  private var ranks: [Int] = []
  private var count = 0

  /// Adds objects, whose keys follow those before.
  mutating func append(_ runs: [Run]) {
    for run in runs {
      let next = starts.last.map { $0 + Int64(count - ranks[ranks.count - 1]) }
      if run.start != next {
        starts.append(run.start)
        ranks.append(count)
      }
      count += run.count
    }
  }

  /// The position of the object with `key`; nil if there is none.
  subscript(key: ObjectKey) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= key.raw { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let rank = ranks[low - 1] + Int(key.raw - starts[low - 1])
    return rank < (low < ranks.count ? ranks[low] : count) ? rank : nil
  }
}
