import RealmModel
import RealmStorage

/// The part of a value that goes, with the object key, into the sums over an index and over the objects of
/// its table. All methods find the same differences. The structure of the index decides which of them looks
/// up the fewest values.
enum IndexMethod: Equatable, Sendable {
  /// The chunks 0 to `level`. The values of objects that are alone under exactly these chunks need no
  /// look-up: their path in the index has the chunks. All other values are looked up.
  case prefix(level: Int)
  /// All bytes. In a list, only the first value is looked up: the others must have the same bytes.
  case whole
  /// The words of a string or of a list of strings.
  case words

  /// The number that represents the value of an object in a sum.
  @inline(__always)
  func number(of data: IndexData) -> UInt64 {
    switch self {
    case .prefix(level: 0): return IndexMethod.next(0, data.chunk(at: 0))
    case .prefix(let level):
      var hash: UInt64 = 0
      for i in 0...level { hash = IndexMethod.next(hash, data.chunk(at: i * 4)) }
      return hash
    case .whole, .words: return data.hash
    }
  }

  /// The number of an object that is alone under the chunks of `path` and then `last`.
  @inline(__always)
  static func number(path: [Int32], _ last: Int32) -> UInt64 {
    var hash: UInt64 = 0
    for chunk in path { hash = next(hash, chunk) }
    return next(hash, last)
  }

  @inline(__always)
  private static func next(_ hash: UInt64, _ chunk: Int32) -> UInt64 {
    mixed(hash ^ UInt64(UInt32(bitPattern: chunk))) &+ 1
  }

  // MARK: Choosing

  /// Chooses the method for the index of `column` from a sample of its entries. The choice depends only
  /// on the file.
  init(for column: Column, _ nodes: NodeReader) {
    guard !column.isIndexedByWords else {
      self = .words
      return
    }
    var sample = Sample()
    sample.add(column.index, level: 0, nodes)
    // `whole` does not suit mixed values: different ones can have the same bytes, and lists are ordered by
    // value.
    self =
      sample.listed > sample.single.values.reduce(0, +) && column.type != .mixed
      ? .whole
      : .prefix(level: sample.single.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0)
  }

  /// A sample of the entries of an index.
  private struct Sample {
    /// The most entries that are sampled in one node: on the first level, and on other levels.
    private static let (topLimit, limit) = (32, 4)

    /// Number of objects that are alone under a chunk, by level.
    var single: [Int: Int] = [:]
    /// Number of objects in lists.
    var listed = 0
    /// Number of nodes that may still be opened. The levels of a damaged index can form a cycle.
    private var budget = 512

    /// The node; nil if it cannot be read, or if the budget is used up. A sample leaves out such nodes; the
    /// check of the index reports them.
    private mutating func open(_ ref: Ref, _ nodes: NodeReader) -> Node? {
      budget -= 1
      return budget < 0 ? nil : try? nodes.lookUp(ref)
    }

    /// Adds the first entries of the level at `ref`.
    mutating func add(_ ref: Ref, level: Int, _ nodes: NodeReader) {
      guard level < SearchIndexNode.levelLimit, var node = open(ref, nodes) else { return }
      while node.isInner {
        guard node.count > 1, case .ref(let ref) = node.element(at: 1),
          let child = open(ref, nodes)
        else { return }
        node = child
      }
      guard node.hasRefs else { return }
      for i in 1..<max(1, min(node.count, level == 0 ? Sample.topLimit : Sample.limit)) {
        switch node.element(at: i) {
        case .tagged: single[level, default: 0] += 1
        case .null: continue
        case .ref(let ref):
          guard let child = open(ref, nodes) else { continue }
          if child.hasContext {
            add(ref, level: level + 1, nodes)
          } else {
            listed += child.isInner ? Leaf.capacity : child.count
          }
        }
      }
    }
  }
}
