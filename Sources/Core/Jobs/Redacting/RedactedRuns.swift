import RealmModel
import RealmStorage

/// The runs of a large collection, redacted: a list, or a collection whose values are kept, except for the identities of
/// links. Used by one thread at a time.
final class RedactedRuns: CollectionRuns {
  private let runs: any CollectionRuns
  private let redaction: Redaction
  private let domain: MaskDomain?

  init(_ runs: any CollectionRuns, _ redaction: Redaction, _ domain: MaskDomain?) {
    (self.runs, self.redaction, self.domain) = (runs, redaction, domain)
  }

  func restarted() -> any CollectionRuns { RedactedRuns(runs.restarted(), redaction, domain) }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    guard let run = try runs.next() else { return nil }
    return try redaction.redacted(run, domain, isSet: false)
  }
}
