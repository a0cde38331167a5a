import RealmModel
import RealmStorage

/// The runs of a large collection, redacted. Used by one thread at a time.
final class RedactedRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let redaction: Redaction
  private let domain: MaskDomain?
  private let isSet: Bool
  private var batches: BatchRedaction?
  /// The masks in this pass over the keys, or over the elements.
  private var used = UsedTexts()

  init(
    _ runs: any CollectionRuns, _ redaction: Redaction, _ domain: MaskDomain?, isSet: Bool
  ) {
    (self.runs, self.redaction, self.domain, self.isSet) = (runs, redaction, domain, isSet)
  }

  func restarted() -> any CollectionRuns {
    RedactedRuns(runs.restarted(), redaction, domain, isSet: isSet)
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? {
    guard let keys = try runs.nextKeys() else {
      used = UsedTexts()
      return nil
    }
    guard domain != nil else { return keys }
    return try makeBatches().redacted(keys: keys, [keys.count], &used)
  }

  func next() throws(RealmFileError) -> CollectionColumn? {
    guard let run = try runs.next() else {
      used = UsedTexts()
      return nil
    }
    return try makeBatches().redacted(run, domain, isSet: isSet, &used)
  }

  /// Made on first use, by the thread that reads the runs.
  private func makeBatches() throws(RealmFileError) -> BatchRedaction {
    if let batches { return batches }
    let made = try BatchRedaction(redaction)
    batches = made
    return made
  }
}
