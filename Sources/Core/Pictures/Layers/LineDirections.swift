/// Decides which lines of a graph are reversed so that it has no cycles, with few reversed lines: the greedy heuristic
/// of Eades, Lin and Smyth (1993).
///
/// Boxes without lines to others go to the end of an order, those without lines from others to its start; if there are
/// neither, the box with the most outgoing in relation to incoming lines goes to the start. Lines against the order are
/// reversed. Takes time proportional to boxes and lines.
struct LineDirections {
  /// Whether the line at each position is reversed.
  let isReversed: [Bool]

  /// - Parameters:
  ///   - count: number of boxes.
  ///   - lines: pairs of different boxes.
  init(count: Int, lines: [(source: Int, target: Int)]) {
    var order = Order(count: count, lines: lines)
    let places = order.places()
    isReversed = lines.map { places[$0.source] > places[$0.target] }
  }

  private struct Order {
    private let outgoing: [[Int]]
    private let incoming: [[Int]]
    private var outgoingCount: [Int]
    private var incomingCount: [Int]
    private var isTaken: [Bool]
    private var sinks: [Int] = []
    private var sources: [Int] = []
    /// Boxes by the difference of their outgoing and incoming lines, with outdated entries.
    private var buckets: [[Int]]
    private var highest = 0

    init(count: Int, lines: [(source: Int, target: Int)]) {
      var (outgoing, incoming) = (
        Array(repeating: [Int](), count: count), Array(repeating: [Int](), count: count)
      )
      for line in lines {
        outgoing[line.source].append(line.target)
        incoming[line.target].append(line.source)
      }
      (self.outgoing, self.incoming) = (outgoing, incoming)
      (outgoingCount, incomingCount) = (outgoing.map(\.count), incoming.map(\.count))
      isTaken = Array(repeating: false, count: count)
      buckets = Array(repeating: [], count: 2 * lines.count + 1)
      // The first box of a bucket is taken last, so that lower positions win.
      for box in (0..<count).reversed() { note(box) }
    }

    /// The position of each box in the order.
    mutating func places() -> [Int] {
      var (first, last) = (0, outgoing.count - 1)
      var places = Array(repeating: 0, count: outgoing.count)
      while first <= last {
        if let box = takeFrom(\.sinks) {
          places[box] = last
          last -= 1
          remove(box)
        } else if let box = takeFrom(\.sources) ?? takeLargest() {
          places[box] = first
          first += 1
          remove(box)
        }
      }
      return places
    }

    private mutating func takeFrom(_ boxes: WritableKeyPath<Order, [Int]>) -> Int? {
      while let box = self[keyPath: boxes].popLast() {
        if !isTaken[box] { return box }
      }
      return nil
    }

    private mutating func takeLargest() -> Int? {
      while highest >= 0 {
        while let box = buckets[highest].popLast() {
          if !isTaken[box], bucket(of: box) == highest { return box }
        }
        highest -= 1
      }
      return nil
    }

    private mutating func remove(_ box: Int) {
      isTaken[box] = true
      for target in outgoing[box] where !isTaken[target] {
        incomingCount[target] -= 1
        note(target)
      }
      for source in incoming[box] where !isTaken[source] {
        outgoingCount[source] -= 1
        note(source)
      }
    }

    private func bucket(of box: Int) -> Int {
      outgoingCount[box] - incomingCount[box] + buckets.count / 2
    }

    /// Files a box under its number of lines to and from boxes that are left.
    private mutating func note(_ box: Int) {
      if outgoingCount[box] == 0 {
        sinks.append(box)
      } else if incomingCount[box] == 0 {
        sources.append(box)
      } else {
        let bucket = bucket(of: box)
        buckets[bucket].append(box)
        highest = max(highest, bucket)
      }
    }
  }
}
