/// The columns of a layout: boxes, and the places where lines pass through a column. Lines go only between neighbouring
/// columns.
struct LayeredColumns {
  /// A box, or a place where lines to one target pass.
  struct Item {
    /// Nil for a passage.
    let box: Int?
    let height: Int
    let column: Int
  }

  /// A piece of a line between an item of a column and one of the next column.
  struct Piece: Hashable {
    let left: Int
    let right: Int
    /// Where it touches the items, in pixels below their tops.
    let leftOffset: Int
    let rightOffset: Int
  }

  /// A line from left to right, as the items that it touches.
  struct Path {
    let items: [Int]
    let leftOffset: Int
    let rightOffset: Int
  }

  private(set) var items: [Item]
  /// The items of each column, from the top.
  var columns: [[Int]]
  /// The pieces between each column and the next, each once.
  private(set) var pieces: [[Piece]]
  /// The path of each line; nil if the line is not drawn.
  private(set) var paths: [Path?]

  /// The most passages and pieces of paths: lines beyond that would only make the picture black.
  private static let limit = 100_000

  /// - Parameters:
  ///   - columns: the column of each box.
  ///   - lines: between different columns.
  init(_ graph: LayeredGraph, columns places: [Int], count: Int) {
    items = graph.boxes.indices.map {
      Item(box: $0, height: graph.boxes[$0].height, column: places[$0])
    }
    columns = Array(repeating: [], count: count)
    for box in places.indices { columns[places[box]].append(box) }
    pieces = Array(repeating: [], count: max(0, count - 1))
    paths = Array(repeating: nil, count: graph.lines.count)

    var passages: [Passage: Int] = [:]
    var known: Set<Piece> = []
    var total = 0
    let lengths = graph.lines.map { abs(places[$0.source] - places[$0.target]) }
    // Short lines first, so that the limit leaves out the longest ones.
    for number in graph.lines.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
      total += lengths[number]
      guard total <= LayeredColumns.limit else { break }
      let line = graph.lines[number]
      let isForward = places[line.source] < places[line.target]
      let (left, right) = isForward ? (line.source, line.target) : (line.target, line.source)
      let passed = (places[left] + 1..<places[right]).map { column in
        passage(
          Passage(target: line.target, column: column, isForward: isForward), known: &passages)
      }
      let offsets =
        isForward
        ? (line.sourceOffset, line.targetOffset) : (line.targetOffset, line.sourceOffset)
      let path = Path(
        items: [left] + passed + [right], leftOffset: offsets.0, rightOffset: offsets.1)
      paths[number] = path
      for (i, (from, to)) in zip(path.items, path.items.dropFirst()).enumerated() {
        let piece = Piece(
          left: from, right: to, leftOffset: i == 0 ? path.leftOffset : 0,
          rightOffset: i == path.items.count - 2 ? path.rightOffset : 0)
        if known.insert(piece).inserted { pieces[items[from].column].append(piece) }
      }
    }
  }

  /// Lines to the same target from the same side join in each column that they pass.
  private struct Passage: Hashable {
    let target: Int
    let column: Int
    let isForward: Bool
  }

  private mutating func passage(_ passage: Passage, known: inout [Passage: Int]) -> Int {
    if let item = known[passage] { return item }
    known[passage] = items.count
    columns[passage.column].append(items.count)
    items.append(Item(box: nil, height: 0, column: passage.column))
    return items.count - 1
  }
}
