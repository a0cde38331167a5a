import RealmModel
package import RealmStorage

/// A group of rules that `verify` checks. ``VerifyJob`` lists all groups.
package protocol VerifyCheck: Sendable {
  /// Pieces of work of about a megabyte, which threads do in parallel. What cannot be divided is one piece. All pieces
  /// together open each node once, so they open no more bytes than the file has. If they open more, ``VerifyRun`` leaves
  /// out the pieces that follow, and ``finish()`` of this check and of the checks behind it.
  ///
  /// - Throws: errors that say nothing about the file; damage in the file is a finding.
  func pieces() throws(RealmFileError) -> [VerifyPiece]

  /// The findings that need the results of all pieces of all checks.
  func finish() throws(RealmFileError) -> Findings
}

extension VerifyCheck {
  package func finish() throws(RealmFileError) -> Findings { Findings(limit: 0) }
}

/// A piece of work of a check.
package struct VerifyPiece: Sendable {
  /// What came of a piece.
  package struct Outcome: Sendable {
    let findings: Findings
    /// Keeps what else was found out, for ``VerifyCheck/finish()``. Called in the order of the pieces,
    /// one at a time.
    let keep: @Sendable () -> Void

    package init(_ findings: Findings, keep: @escaping @Sendable () -> Void = {}) {
      (self.findings, self.keep) = (findings, keep)
    }
  }

  /// The node that the work begins with, or 0, and the class that it is about.
  let ref: Ref
  let className: String?
  /// Does the work; throws errors that say nothing about the file.
  let run: @Sendable (VerifyWorker) throws(RealmFileError) -> Outcome

  package init(
    at ref: Ref = 0, className: String? = nil,
    _ run: @escaping @Sendable (VerifyWorker) throws(RealmFileError) -> Outcome
  ) {
    (self.ref, self.className, self.run) = (ref, className, run)
  }
}
