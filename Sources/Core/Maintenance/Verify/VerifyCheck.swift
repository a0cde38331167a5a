import RealmModel
package import RealmStorage

/// A group of rules that `verify` checks. Those there are stand in ``VerifyJob/checks(_:)``.
package protocol VerifyCheck: Sendable {
  /// Pieces of work of about a megabyte, done side by side by changing threads. What cannot be taken
  /// apart is one piece.
  ///
  /// - Throws: errors that say nothing about the file; what the file breaks is a finding.
  func pieces() throws(RealmFileError) -> [VerifyPiece]

  /// What can only be told when all pieces of all checks are done.
  func finish() throws(RealmFileError) -> Findings
}

extension VerifyCheck {
  package func finish() throws(RealmFileError) -> Findings { Findings(limit: 0) }
}

/// A piece of work of a check.
package struct VerifyPiece: Sendable {
  /// Does the work; throws errors that say nothing about the file.
  package let run: @Sendable (VerifyWorker) throws(RealmFileError) -> Findings

  package init(_ run: @escaping @Sendable (VerifyWorker) throws(RealmFileError) -> Findings) {
    self.run = run
  }
}
