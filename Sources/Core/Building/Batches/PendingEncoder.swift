import RealmModel
import RealmStorage

/// Appends the nodes of a leaf to a piece: at once, or as steps of a program if object keys are missing.
final class PendingEncoder {
  let nodes: NodeBuffer
  /// Nil for nodes that never wait for keys.
  private let piece: BuildPiece?
  private var program = PendingProgram()

  init(_ piece: BuildPiece) { (self.piece, nodes) = (piece, piece.nodes) }
  init(_ nodes: NodeBuffer) { (self.nodes, piece) = (nodes, nil) }

  /// Appends a node.
  func append(
    _ elements: ElementList, _ options: PendingProgram.Options = PendingProgram.Options(kind: 0)
  ) -> NodePlace {
    guard !elements.holes.isEmpty else {
      return .placed(
        options.kind & NodeEncoder.hasRefs != 0
          ? nodes.append(refs: elements.values, kind: options.kind)
          : nodes.append(integers: elements.values, kind: options.kind))
    }
    var links: [BuildPiece.IdentityLink] = []
    for (_, hole) in elements.holes {
      guard case .link(let target, let identity, let isUnresolved, _, let key) = hole else {
        continue
      }
      let hash = key == nil ? identity.linkHash : 0
      links.append(BuildPiece.IdentityLink(target: target, hash: hash, key: key))
      piece?.identities.append(
        key == nil ? identity : .null, target: target, isUnresolved: isUnresolved)
    }
    piece?.identityLinks += links
    return .pending(program.append(elements, options))
  }

  /// Adds a step that sorts links of the object in `row` by key once their keys are known.
  ///
  /// - Parameter start: number of further links before the first one to sort.
  func appendSort(from start: Int, count: Int, row: Int) {
    if count > 1 { program.append(sortFrom: start, count: count, row: row) }
  }

  /// Runs `body`, which encodes other leaves in the middle of this one.
  func interrupted<R>(by body: () throws(BuildError) -> R) throws(BuildError) -> R {
    let outer = program
    program = PendingProgram()
    defer { program = outer }
    return try body()
  }

  /// Ends a leaf.
  ///
  /// - Returns: the ref of the leaf; 0 if it waits for keys.
  func finish(_ place: NodePlace, classPosition: Int, cluster: Int, leafIndex: Int) -> Ref {
    defer { program = PendingProgram() }
    guard case .placed(let ref) = place else {
      piece?.pendingByteCount += 8 * program.words.count
      piece?.pending.append(
        BuildPiece.PendingLeaf(
          classPosition: classPosition, cluster: cluster, leafIndex: leafIndex, program: program))
      return 0
    }
    return ref
  }
}
