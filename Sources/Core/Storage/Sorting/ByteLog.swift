/// A log of byte entries: they are appended, and later read by position, mostly in order. Entries that do
/// not fit in memory move to an unlinked file. Used by one thread at a time.
///
/// Invariant 1: the first `filed` bytes are in the file, all others in `memory`. No entry is split.
package final class ByteLog {
  private let budget: MemoryBudget
  /// Bytes read from the file at once, unless an entry is longer.
  private let windowByteCount: Int
  private let memory = ByteStore()
  private var file: SpillFile?
  /// The part of the file that was read last, and its position.
  private let window = ByteStore()
  private var windowStart = 0

  /// - Parameter windowByteCount: bytes read from the file at once, unless an entry is longer.
  package init(budget: MemoryBudget, windowByteCount: Int = 1 << 18) {
    (self.budget, self.windowByteCount) = (budget, windowByteCount)
    budget.join()
  }

  deinit {
    budget.add(-memory.count)
    budget.leave()
  }

  private var filed: Int { file?.byteCount ?? 0 }

  /// Bytes in the log; also the position of the next entry.
  package var byteCount: Int { filed + memory.count }

  /// Appends whole entries.
  ///
  /// - Throws: `cannotCreate` or `inputOutput`, for the file.
  package func append(_ entries: ByteStore) throws(RealmFileError) {
    memory.append(entries)
    budget.add(entries.count)
    guard budget.isExceeded(by: memory.count) else { return }
    let target = if let file { file } else { try SpillFile(isEncrypted: budget.encryptsFiles) }
    file = target
    let count = memory.count
    try target.append(memory)
    budget.add(-count)
    memory.removeAll(keepingMemory: false)
  }

  /// The `count` bytes at `position`, which must lie in one entry; readable until the next call of any method.
  ///
  /// - Throws: `inputOutput`, for the file.
  package func slice(at position: Int, count: Int) throws(RealmFileError) -> ByteSlice {
    guard position < filed, let file else {
      return memory.slice(at: position - filed, count: count)
    }
    if position < windowStart || position + count > windowStart + window.count {
      precondition(position + count <= filed, "an entry is in the file or in memory")
      let room = min(max(count, windowByteCount), filed - position)
      try file.read(at: position, count: room, into: window)
      windowStart = position
    }
    return window.slice(at: position - windowStart, count: count)
  }

  /// The number whose eight bytes are at `position`.
  ///
  /// - Throws: same as ``slice(at:count:)``.
  package func number(at position: Int) throws(RealmFileError) -> UInt64 {
    try slice(at: position, count: 8).littleEndian(at: 0)
  }
}
