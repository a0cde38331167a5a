import RealmModel
package import RealmStorage

/// A group of rules that `verify` checks. ``VerifyJob/checks(_:)`` lists all groups.
package protocol VerifyCheck: Sendable {
  /// Pieces of work of about a megabyte, which threads run concurrently. Work that cannot be split
  /// is one piece.
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
  /// Runs the piece. Throws only errors that say nothing about the file.
  package let run: @Sendable (VerifyWorker) throws(RealmFileError) -> Findings

  package init(_ run: @escaping @Sendable (VerifyWorker) throws(RealmFileError) -> Findings) {
    self.run = run
  }
}
