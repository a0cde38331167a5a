/// The unfinished runs of a merge; the run with the smallest record is first.
package struct RunHeap {
  /// The numbers of the runs, as a binary heap.
  private var runs: [Int]

  /// - Parameter precedes: whether the next record of the first run comes before the next record of the second.
  package init(_ runs: [Int], _ precedes: (Int, Int) -> Bool) {
    self.runs = runs
    for place in runs.indices.reversed() { sink(place, precedes) }
  }

  /// The number of the run with the smallest record; nil if all runs are finished.
  package var first: Int? { runs.first }

  /// Restores the order after a record of the first run was taken.
  ///
  /// - Parameter isFinished: whether that run has no more records.
  package mutating func update(isFinished: Bool, _ precedes: (Int, Int) -> Bool) {
    if isFinished, let last = runs.popLast(), !runs.isEmpty { runs[0] = last }
    sink(0, precedes)
  }

  /// Removes the run with the smallest record.
  ///
  /// - Returns: its number; nil if all runs are removed.
  package mutating func removeFirst(_ precedes: (Int, Int) -> Bool) -> Int? {
    guard let first else { return nil }
    update(isFinished: true, precedes)
    return first
  }

  /// Adds an unfinished run.
  package mutating func insert(_ run: Int, _ precedes: (Int, Int) -> Bool) {
    runs.append(run)
    var place = runs.count - 1
    while place > 0, precedes(runs[place], runs[(place - 1) / 2]) {
      runs.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Moves the run at `place` down until its record comes before those of the runs below it.
  private mutating func sink(_ place: Int, _ precedes: (Int, Int) -> Bool) {
    var place = place
    while 2 * place + 1 < runs.count {
      var child = 2 * place + 1
      if child + 1 < runs.count, precedes(runs[child + 1], runs[child]) { child += 1 }
      guard precedes(runs[child], runs[place]) else { return }
      runs.swapAt(child, place)
      place = child
    }
  }
}
