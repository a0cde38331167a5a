import RealmModel
import Synchronization

/// Counts what the steps of a migration do to objects, and collects samples. Several threads may use it.
package final class StepTally: Sendable {
  /// What a step did.
  package struct Count {
    /// Objects whose values the step set, converted or removed.
    package var changed = 0
    package var deleted = 0
    /// Copies of objects that several links led to.
    package var copied = 0
    package var samples: [Sample] = []
  }

  /// An object before and after a step.
  package struct Sample {
    /// Where the object is in the order of the objects.
    let place: Place
    package let sample: MigrationSample
  }

  /// The order of objects: by part, then by number in the part.
  struct Place: Comparable {
    let part: Int
    let number: Int

    static func < (a: Place, b: Place) -> Bool { (a.part, a.number) < (b.part, b.number) }
  }

  private let counts: Mutex<[Int: Count]>
  /// The most samples of a step.
  let sampleLimit: Int

  package init(sampleLimit: Int) {
    self.sampleLimit = sampleLimit
    counts = Mutex([:])
  }

  func add(_ count: Count, to step: Int) {
    counts.withLock { counts in
      var sum = counts[step] ?? Count()
      sum.changed += count.changed
      sum.deleted += count.deleted
      sum.copied += count.copied
      if !count.samples.isEmpty {
        sum.samples = Array(
          (sum.samples + count.samples).sorted { $0.place < $1.place }.prefix(sampleLimit))
      }
      counts[step] = sum
    }
  }

  package func count(of step: Int) -> Count { counts.withLock { $0[step] ?? Count() } }
}
