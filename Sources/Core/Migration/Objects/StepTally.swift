package import RealmModel
import Synchronization

/// Counts what the steps of a migration do to objects, and collects samples. Used by several threads.
package final class StepTally: Sendable {
  /// What a step did.
  package struct Count {
    /// Objects to which the step gave another value, or whose value it converted or removed.
    package var changed = 0
    package var deleted = 0
    /// Copies of objects with several links.
    package var copied = 0
    package var samples: [Sample] = []
    /// Keys of the changed or deleted objects, in any order; empty unless the tally lists keys.
    package var keys: [ObjectKey] = []
  }

  /// An object before and after a step.
  package struct Sample {
    /// The place of the object among all objects.
    let place: Place
    package let sample: MigrationSample
  }

  /// The place of an object: the part, and the number in the part.
  struct Place: Comparable {
    let part: Int
    let number: Int

    static func < (a: Place, b: Place) -> Bool { (a.part, a.number) < (b.part, b.number) }
  }

  private let counts: Mutex<[Int: Count]>
  /// Largest number of samples for a step.
  let sampleLimit: Int

  /// Whether to list the keys of all objects, 8 bytes each.
  let listsKeys: Bool

  package init(sampleLimit: Int, listsKeys: Bool = false) {
    (self.sampleLimit, self.listsKeys) = (sampleLimit, listsKeys)
    counts = Mutex([:])
  }

  func add(_ count: Count, to step: Int) {
    counts.withLock { counts in
      var sum = counts[step] ?? Count()
      sum.changed += count.changed
      sum.deleted += count.deleted
      sum.copied += count.copied
      sum.keys += count.keys
      if !count.samples.isEmpty {
        sum.samples = Array(
          (sum.samples + count.samples).sorted { $0.place < $1.place }.prefix(sampleLimit))
      }
      counts[step] = sum
    }
  }

  package func count(of step: Int) -> Count { counts.withLock { $0[step] ?? Count() } }
}

/// An object before and after a step of a migration.
public struct MigrationSample: Sendable {
  public struct Value: Sendable {
    public var property: String
    public var value: String
  }

  /// The primary key; the object key if the class has no primary key.
  public var identity: String
  public var before: [Value]
  public var after: [Value]
}
