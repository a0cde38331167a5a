import RealmStorage
import Synchronization

/// Checks every node, every free byte and, in an encrypted file, every page (chapter 1, section 8).
final class SpaceChecks: VerifyCheck {
  /// Number of pages in one piece of work: a megabyte.
  private static let pagesPerPiece = 256

  private struct State {
    var nodeCount = 0
    var byteCount = 0
    /// For checking pages: the space of nodes; below, the free chunks if they are known.
    var map: SpaceMap?
    var free: [Range<Int>]?
    /// Conditions of the pages, by the first page of a piece.
    var conditions: [Int: [PageCheck.Condition]] = [:]
  }

  private let context: VerifyContext
  /// Whether to check pages that hold no node.
  private let checksPages: Bool
  private let state = Mutex(State())

  init(_ context: VerifyContext, isQuick: Bool) {
    self.context = context
    checksPages = context.snapshot.isEncrypted && !isQuick
  }

  /// Number of reachable nodes, and their bytes.
  var reached: (nodes: Int, bytes: Int) { state.withLock { ($0.nodeCount, $0.byteCount) } }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    var pieces = [
      VerifyPiece { [self] (worker) throws(RealmFileError) in try walk(worker.nodes) }
    ]
    guard checksPages else { return pieces }
    let pageCount = PageCheck.pageCount(of: context.snapshot)
    for first in stride(from: 0, to: pageCount, by: SpaceChecks.pagesPerPiece) {
      let pages = first..<min(first + SpaceChecks.pagesPerPiece, pageCount)
      pieces.append(
        VerifyPiece { [self] (worker) throws(RealmFileError) in
          let conditions = try PageCheck.conditions(of: pages, nodes: worker.nodes)
          state.withLock { $0.conditions[pages.lowerBound] = conditions }
          return Findings(limit: 0)
        })
    }
    return pieces
  }

  private func walk(_ nodes: NodeReader) throws(RealmFileError) -> Findings {
    let top = context.snapshot.top
    guard top.ref != 0 else { return Findings(limit: 0) }
    let names = context.classNames
    var walk = NodeWalk(top, nodes: nodes, limit: context.limit) { names[$0] }
    try walk.run()
    let pageMap = checksPages ? walk.map : nil
    var space = FreeSpaceCheck(top, nodes: nodes, map: walk.takeMap(), limit: context.limit)
    try space.run()
    state.withLock { state in
      (state.nodeCount, state.byteCount) = (walk.nodeCount, walk.byteCount)
      (state.map, state.free) = (pageMap, pageMap == nil ? nil : space.chunks)
    }
    var findings = walk.findings
    findings.add(contentsOf: space.findings)
    return findings
  }

  func finish() throws(RealmFileError) -> Findings {
    state.withLock { state in
      guard checksPages else { return Findings(limit: 0) }
      let conditions = state.conditions.sorted { $0.key < $1.key }.flatMap(\.value)
      let map = state.map ?? SpaceMap(byteCount: context.snapshot.top.logicalSize)
      return PageCheck.findings(
        of: conditions, in: context.snapshot, map: map, free: state.free, limit: context.limit)
    }
  }
}
