import RealmModel
import RealmStorage

/// Pairs objects that have different object keys on both sides, by digests of their primary keys or values.
///
/// A record is the first 16 bytes of the digest, and the object key. Records that do not fit in memory go to unlinked
/// files.
final class IdentityJoin {
  let old: SortedRuns
  let new: SortedRuns
  /// The keys of paired objects, in the order of the old ones.
  let pairs: SortedRuns
  /// The keys of objects that only one side has, each followed by 0.
  let (removed, added): (SortedRuns, SortedRuns)

  init(_ budget: MemoryBudget) {
    old = SortedRuns(width: 3, budget: budget)
    new = SortedRuns(width: 3, budget: budget)
    pairs = SortedRuns(width: 2, budget: budget)
    removed = SortedRuns(width: 2, budget: budget)
    added = SortedRuns(width: 2, budget: budget)
  }

  /// Pairs the objects after all records were added.
  ///
  /// - Parameter areUnique: whether two objects of one side must not have equal digests.
  /// - Throws: `damaged` with rule `key.duplicate` for two objects of a class with the same primary key; the errors of
  ///   temporary files.
  func run(areUnique: Bool) throws(RealmFileError) {
    try old.finish()
    try new.finish()
    var a = Records(old, areUnique: areUnique)
    var b = Records(new, areUnique: areUnique)
    var (x, y) = (try a.next(), try b.next())
    while x != nil || y != nil {
      if let one = x, let other = y, one.digest == other.digest {
        try pairs.append([one.key, other.key])
        (x, y) = (try a.next(), try b.next())
      } else if let one = x, y.map({ one.digest < $0.digest }) ?? true {
        try removed.append([one.key, 0])
        x = try a.next()
      } else if let other = y {
        try added.append([other.key, 0])
        y = try b.next()
      }
    }
    try pairs.finish()
    try removed.finish()
    try added.finish()
  }

  /// The records of one side, in the order of their digests.
  private struct Records {
    private let runs: SortedRuns
    private let areUnique: Bool
    private var words: [UInt64] = []
    private var position = 0
    private var last: (UInt64, UInt64)?

    init(_ runs: SortedRuns, areUnique: Bool) { (self.runs, self.areUnique) = (runs, areUnique) }

    mutating func next() throws(RealmFileError) -> (digest: (UInt64, UInt64), key: UInt64)? {
      if position == words.count { (words, position) = (try runs.next(), 0) }
      guard position < words.count else { return nil }
      defer { position += 3 }
      let digest = (words[position], words[position + 1])
      if areUnique, let last, last == digest {
        throw RealmFileError(
          .damaged(.keyDuplicate), objectKey: Int64(bitPattern: words[position + 2]),
          detail: "another object of the class has the same primary key")
      }
      last = digest
      return (digest, words[position + 2])
    }
  }
}
