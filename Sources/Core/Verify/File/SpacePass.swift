import RealmStorage
import Synchronization

/// Checks every node, all free space and, in an encrypted file, every page (chapter 1, section 8).
final class SpacePass: VerifyPass {
  /// Number of pages in one piece of work: a megabyte.
  private static let pagesPerPiece = 256

  private struct State {
    var nodeCount = 0
    var byteCount = 0
    /// The space of the nodes; kept only to check pages.
    var map: SpaceMap?
    /// The free chunks; nil if they are unknown.
    var free: [Range<Int>]?
    /// The conditions of the pages so far, in order.
    var conditions: [PageCondition] = []
  }

  private let context: VerifyContext
  /// Whether to check all pages: the walk over the nodes reads only pages that hold nodes.
  private let checksPages: Bool
  private let state = Mutex(State())

  init(_ context: VerifyContext, isQuick: Bool) {
    self.context = context
    checksPages = context.snapshot.isEncrypted && !isQuick
  }

  /// Number and bytes of the reachable nodes.
  var reached: (nodes: Int, bytes: Int) { state.withLock { ($0.nodeCount, $0.byteCount) } }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    var pieces = [
      VerifyPiece { [self] (worker) throws(RealmFileError) in try walk(worker.nodes) }
    ]
    guard checksPages else { return pieces }
    let pageCount = PageCheck.pageCount(of: context.snapshot)
    for first in stride(from: 0, to: pageCount, by: SpacePass.pagesPerPiece) {
      let pages = first..<min(first + SpacePass.pagesPerPiece, pageCount)
      pieces.append(
        VerifyPiece { [self] (worker) throws(RealmFileError) in
          let conditions = try PageCheck.conditions(of: pages, nodes: worker.nodes)
          return VerifyPiece.Outcome(Findings(limit: 0)) { [self] in
            state.withLock { $0.conditions += conditions }
          }
        })
    }
    return pieces
  }

  private func walk(_ nodes: NodeReader) throws(RealmFileError) -> VerifyPiece.Outcome {
    let top = context.snapshot.top
    guard top.ref != 0 else { return VerifyPiece.Outcome(Findings(limit: 0)) }
    let names = context.classNames
    var walk = NodeWalk(
      top, nodes: nodes, limit: context.limit, isLegacy: context.snapshot.isLegacy
    ) { names[$0] }
    try walk.run()
    let pageMap = checksPages ? walk.map : nil
    var space = FreeSpaceCheck(
      top, nodes: nodes, map: walk.takeMap(), limit: context.limit,
      isLegacy: context.snapshot.isLegacy)
    try space.run()
    var findings = walk.findings
    findings.add(contentsOf: space.findings)
    let (nodeCount, byteCount) = (walk.nodeCount, walk.byteCount)
    let free = pageMap == nil ? nil : space.chunks
    return VerifyPiece.Outcome(findings) { [self] in
      state.withLock { state in
        (state.nodeCount, state.byteCount) = (nodeCount, byteCount)
        (state.map, state.free) = (pageMap, free)
      }
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    state.withLock { state in
      guard checksPages else { return Findings(limit: 0) }
      let map = state.map ?? SpaceMap(byteCount: context.snapshot.top.logicalSize)
      return PageCheck.findings(
        of: state.conditions, in: context.snapshot, map: map, free: state.free, limit: context.limit
      )
    }
  }
}
