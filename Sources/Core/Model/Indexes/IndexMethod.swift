package import RealmStorage

/// What the sums over an index and over the objects of its table are made of, besides the keys of the
/// objects. Both find the same objects wrong; which of them needs fewer look-ups of values depends on the
/// form that the index has.
package enum IndexMethod: Equatable, Sendable {
  /// The chunks 0 to `level`. An object that is alone under chunks up to this level is not looked up: its
  /// place in the index says these chunks, and it needs no others. All others are looked up.
  case prefix(level: Int)
  /// All bytes. Only the first object of a list is looked up: the others must have the same bytes.
  case whole
  /// The words of texts and of lists of strings.
  case words

  /// What the value of an object adds to a sum.
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

  /// The same for an object that is alone under the chunks of `path` and then `last`.
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

  /// The method for the index of `column`, from a look at some of its entries. It depends on the file
  /// alone.
  package init(for column: Column, _ nodes: NodeReader) {
    guard !column.isIndexedByWords else {
      self = .words
      return
    }
    var sample = Sample()
    sample.add(column.index, level: 0, nodes)
    // Mixed values that differ can have the same bytes: in a list their order tells.
    self =
      sample.listed > sample.single.values.reduce(0, +) && column.type != .mixed
      ? .whole
      : .prefix(level: sample.single.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0)
  }

  /// Some entries of an index.
  private struct Sample {
    /// Entries of one node that are looked at, of the first level and of others.
    private static let (topLimit, limit) = (32, 4)

    /// Objects that are alone under a chunk, by its level.
    var single: [Int: Int] = [:]
    /// Objects in lists.
    var listed = 0
    /// Nodes that may still be opened: levels of a damaged index can lead back to themselves.
    private var budget = 512

    private mutating func open(_ ref: Ref, _ nodes: NodeReader) -> Node? {
      budget -= 1
      return budget < 0 ? nil : try? nodes.lookUp(ref)
    }

    /// Looks at the first entries of the level at `ref`. What cannot be read is told elsewhere.
    mutating func add(_ ref: Ref, level: Int, _ nodes: NodeReader) {
      guard level < SearchIndexReader.levelLimit, var node = open(ref, nodes) else { return }
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
