import RealmModel
import RealmStorage

/// The runs of a large collection, redacted: a list, or a collection whose values are kept, except for the identities of
/// links. Used by one thread at a time.
final class RedactedRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let redaction: Redaction
  private let domain: MaskDomain?
  private var batches: BatchRedaction?

  init(_ runs: any CollectionRuns, _ redaction: Redaction, _ domain: MaskDomain?) {
    (self.runs, self.redaction, self.domain) = (runs, redaction, domain)
  }

  func restarted() -> any CollectionRuns { RedactedRuns(runs.restarted(), redaction, domain) }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    guard let run = try runs.next() else { return nil }
    return try makeBatches().redacted(run, domain, isSet: false)
  }

  /// Made on first use, by the thread that reads the runs.
  private func makeBatches() throws(RealmFileError) -> BatchRedaction {
    if let batches { return batches }
    let made = try BatchRedaction(redaction)
    batches = made
    return made
  }
}
