/// The unfinished runs of a merge, with the run of the smallest record first.
package struct RunHeap {
  /// Numbers of the runs.
  private var runs: [Int]

  /// - Parameter precedes: whether the next record of one run comes before that of another.
  package init(_ runs: [Int], _ precedes: (Int, Int) -> Bool) {
    self.runs = runs
    for place in runs.indices.reversed() { sink(place, precedes) }
  }

  /// The run with the smallest record; nil if all runs are finished.
  package var first: Int? { runs.first }

  /// Must be called after a record of the first run was taken.
  ///
  /// - Parameter isFinished: whether the run has no further record.
  package mutating func update(isFinished: Bool, _ precedes: (Int, Int) -> Bool) {
    if isFinished, let last = runs.popLast(), !runs.isEmpty { runs[0] = last }
    sink(0, precedes)
  }

  /// Moves the run at `place` down, until no run is below one with a later record.
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
