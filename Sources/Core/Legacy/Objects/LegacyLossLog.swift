import RealmModel
import RealmStorage

/// Collects what the batches of a damaged realm lack. Losses of one property for one reason become one.
struct LegacyLossLog {
  private struct Entry {
    let loss: LostValues
    var keys: [ObjectKey]
  }

  private var entries: [Entry] = []

  /// A state that ``forget(since:)`` returns to.
  struct Mark {
    fileprivate let entryCount: Int
    fileprivate let keyCount: Int
  }

  var mark: Mark { Mark(entryCount: entries.count, keyCount: entries.last?.keys.count ?? 0) }

  /// Removes what was added since `mark`, before the same values are read again.
  mutating func forget(since mark: Mark) {
    entries.removeSubrange(mark.entryCount...)
    if let last = entries.indices.last {
      entries[last].keys.removeSubrange(mark.keyCount...)
    }
  }

  /// - Parameters:
  ///   - finding: about a value of the object `key`.
  ///   - isPart: whether only a part of the value is lost.
  mutating func add(_ finding: Finding, of key: ObjectKey, isPart: Bool) {
    if let last = entries.last?.loss, last.className == finding.className,
      last.property == finding.property, last.rule == finding.rule, last.offset == finding.offset,
      (last.extent == .parts) == isPart
    {
      if entries[entries.count - 1].keys.last != key { entries[entries.count - 1].keys.append(key) }
      return
    }
    let loss = LostValues(
      isPart ? .parts : .values, finding.className, finding.property, [], finding.rule,
      at: finding.offset, finding.message)
    entries.append(Entry(loss: loss, keys: [key]))
  }

  /// The losses since the last call.
  mutating func take() -> [LostValues] {
    defer { entries = [] }
    return entries.map { $0.loss.with($0.keys, from: .lost) }
  }
}
