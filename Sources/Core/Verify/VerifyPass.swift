import RealmModel
import RealmStorage

/// Checks one group of rules, in pieces that threads run in parallel. ``Verification`` lists all passes.
protocol VerifyPass: Sendable {
  /// Pieces of work of about a megabyte each; work that cannot be divided is one piece.
  ///
  /// The pieces of a pass together open each node once, so they open no more bytes than the file has. If
  /// they open more, ``VerifyRun`` skips the remaining pieces of this pass, and ``finish()`` of this pass
  /// and all later ones.
  ///
  /// - Throws: errors other than damage; damage is a finding.
  func pieces() throws(RealmFileError) -> [VerifyPiece]

  /// The findings that need the results of all pieces of all passes.
  ///
  /// - Throws: errors other than damage.
  func finish() throws(RealmFileError) -> Findings
}

extension VerifyPass {
  func finish() -> Findings { Findings(limit: 0) }
}

/// A piece of work of a pass.
struct VerifyPiece: Sendable {
  /// The result of a piece.
  struct Outcome: Sendable {
    let findings: Findings
    /// Stores further results for ``VerifyPass/finish()``. Called in the order of the pieces, one at a
    /// time.
    let keep: @Sendable () -> Void

    init(_ findings: Findings, keep: @escaping @Sendable () -> Void = {}) {
      (self.findings, self.keep) = (findings, keep)
    }
  }

  /// The node that the work begins with, or 0.
  let ref: Ref
  /// The class that the work is about, if any.
  let className: String?
  /// Does the work. Throws errors other than damage.
  let run: @Sendable (VerifyWorker) throws(RealmFileError) -> Outcome

  init(
    at ref: Ref = 0, className: String? = nil,
    _ run: @escaping @Sendable (VerifyWorker) throws(RealmFileError) -> Outcome
  ) {
    (self.ref, self.className, self.run) = (ref, className, run)
  }
}

/// The readers of one worker thread.
final class VerifyWorker {
  let reader: RealmReader
  /// The indexed column that was read last; consecutive parts of an index use the same one.
  private var indexedColumn: (index: Ref, values: IndexedColumn)?

  init(_ realm: Realm) throws(RealmFileError) { reader = try RealmReader(realm) }

  var nodes: NodeReader { reader.nodes }

  /// The values of an indexed column for the objects of `clusters`.
  func values(of column: Column, in clusters: [ClusterPosition]) -> IndexedColumn {
    if let indexedColumn, indexedColumn.index == column.index { return indexedColumn.values }
    let values = IndexedColumn(column, clusters, failure: nil, reader: reader)
    indexedColumn = (column.index, values)
    return values
  }
}
