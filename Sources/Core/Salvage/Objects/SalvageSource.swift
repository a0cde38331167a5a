package import RealmModel
package import RealmStorage
import Synchronization

/// The objects of a damaged realm, as far as they can be read, for a new realm.
///
/// Objects whose primary key is lost, or is that of another object too, come as objects of a class of their
/// own, which has no primary key (``SalvageSchema``). Links to objects that are not in their class are null.
///
/// If that is asked for, lost values and objects come from older versions, and objects in freed space come in
/// classes of their own (``OlderObjects``).
package final class SalvageSource: ObjectSource {
  package typealias Failure = RealmFileError

  /// What is not in the result although the realm had it.
  package struct Outcome: Sendable {
    /// Losses one by one, up to a limit, in the order of the objects.
    package var losses: [LostValues] = []
    /// Number of losses that are not in `losses`.
    package var furtherLosses = 0
    /// Objects that lack a value, by class in the schema of the result.
    package var partial: [Int: Int] = [:]
    /// Values that are lost or incomplete, by class in the schema of the result.
    package var values: [Int: Int] = [:]
    /// Links that are null because their target is lost.
    package var links = 0
    /// Values from older versions, by class.
    package var filledValues: [Int: Int] = [:]
    /// Lost objects from older versions, by class.
    package var filledObjects: [Int: Int] = [:]
    /// Objects in freed space, by class in the schema of the result; and those of them that lack a value.
    package var freed: [Int: (objects: Int, partial: Int)] = [:]
  }

  /// What a part reads.
  enum Content {
    /// Clusters of the salvaged version.
    case clusters
    /// Objects that the salvaged version lost.
    case filled(ArraySlice<OlderObjects.Entry>)
    /// Objects in freed space.
    case freed(ArraySlice<OlderObjects.Entry>)
  }

  /// The most losses that are told one by one.
  package static let lossLimit = 100_000

  package let salvageSchema: SalvageSchema
  let base: RealmSource
  let isDamaged: Bool
  /// Objects that are not in their class, because they lost their primary key.
  let lostKeys: [Int: Set<ObjectKey>]
  /// What comes from older versions; nil for nothing.
  let older: OlderObjects?
  /// Values that a new realm cannot hold, by class and property of the realm.
  let refused: [RefusedValue]
  private let outcomeState: Mutex<Outcome>
  private let contents = Mutex<[Content]>([])

  /// A value that the builder of the new realm refused.
  package struct RefusedValue: Hashable, Sendable {
    package let className: String
    package let property: String
    package let key: ObjectKey
    package let rule: Rule

    package init(className: String, property: String, key: ObjectKey, _ rule: Rule) {
      (self.className, self.property) = (className, property)
      (self.key, self.rule) = (key, rule)
    }
  }

  /// - Parameters:
  ///   - isDamaged: whether something is known to be wrong with the realm, so that odd values are doubtful.
  ///   - keys: the objects that lost their primary key.
  ///   - older: what comes from older versions.
  ///   - refused: values that are taken for lost.
  package init(
    _ salvaged: SalvagedRealm, isDamaged: Bool, _ keys: SalvageKeys, older: OlderObjects? = nil,
    refused: [RefusedValue] = []
  ) {
    self.isDamaged = isDamaged
    (self.older, self.refused) = (older, refused)
    lostKeys = keys.lost
    let withLostObjects = Set(keys.lost.keys).union(older?.freed.keys ?? [:].keys)
    salvageSchema = SalvageSchema(
      salvaged.realm.schema.objects, withLostObjects: withLostObjects.sorted())
    var request = SalvageSource.request
    for (position, kept) in salvageSchema.properties.enumerated()
    where position < salvaged.realm.schema.tables.count {
      request.properties[position] = Set(kept)
    }
    base = RealmSource(salvaged.realm, request, classes: salvageSchema.classes)
    outcomeState = Mutex(Outcome())
  }

  /// What is read of a damaged realm.
  static var request: ObjectRequest {
    var request = ObjectRequest()
    request.links = .keys
    request.damage = .leaveOut
    // ``DamageWalk`` made sure of that.
    request.isProvenTree = true
    request.lossLimit = lossLimit
    return request
  }

  package var schema: ObjectSchema { salvageSchema.objects }
  package var classes: [Int] { salvageSchema.classes + salvageSchema.lostClasses.values.sorted() }
  package var objectCount: Int {
    // A damaged realm can state any count.
    base.objectCount
      &+ (older.map { $0.filled.values.joined().count + $0.freed.values.joined().count } ?? 0)
  }
  package var duplicateMembers: Int { base.duplicateMembers }
  package var outcome: Outcome { outcomeState.withLock { $0 } }

  /// The class of the realm that the class of the result gets its objects from.
  func origin(of position: Int) -> Int {
    salvageSchema.lostClasses.first { $0.value == position }?.key ?? position
  }

  package func parts() throws(RealmFileError) -> [ObjectPart] {
    let clusters = Dictionary(grouping: try base.parts(), by: \.classPosition)
    for loss in base.lost + (older?.losses ?? []) { note(loss) }
    var plan = SalvagePlan()
    for position in salvageSchema.classes {
      plan.add(clusters[position] ?? [], ofClass: position, older)
    }
    for (origin, position) in salvageSchema.lostClasses.sorted(by: { $0.value < $1.value }) {
      if lostKeys[origin] != nil {
        for part in clusters[origin] ?? [] { plan.add(part.clusters, ofClass: position) }
      }
      plan.add(freed: older?.freed[origin] ?? [], ofClass: position)
    }
    contents.withLock { $0 = plan.contents }
    return plan.parts
  }

  func content(of part: ObjectPart) -> Content { contents.withLock { $0[part.number] } }

  package func makeCursor() throws(RealmFileError) -> SalvageCursor { try SalvageCursor(self) }

  package func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    // The objects without primary key are read once more; what they own was counted with the others. What
    // objects of older versions own is not in the same tree.
    if case .clusters = content(of: part), origin(of: part.classPosition) == part.classPosition {
      try base.accept(report, of: part)
    }
    for loss in report.lost { note(loss) }
    outcomeState.withLock {
      $0.partial[part.classPosition, default: 0] += report.partialObjects
      $0.values[part.classPosition, default: 0] += report.lostValues
      $0.links += report.lostLinks
      $0.filledValues[part.classPosition, default: 0] += report.filledValues
      $0.filledObjects[part.classPosition, default: 0] += report.filledObjects
      let freed = $0.freed[part.classPosition] ?? (0, 0)
      $0.freed[part.classPosition] = (
        freed.objects + report.freedObjects, freed.partial + report.freedPartial
      )
    }
  }

  private func note(_ loss: LostValues) {
    outcomeState.withLock {
      if $0.losses.count < SalvageSource.lossLimit {
        $0.losses.append(loss)
      } else {
        $0.furtherLosses += 1
      }
    }
  }
}
