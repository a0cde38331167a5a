package import RealmModel
package import RealmStorage
import Synchronization

/// The readable objects of a damaged realm, for a new realm.
///
/// Objects that lost their primary key, or have the same one as another object, are in a class of
/// their own without primary key (``SalvageSchema``). Links to objects that are not in their class
/// are null.
///
/// If requested, older versions replace lost values and objects, and objects in freed space are in
/// classes of their own (``OlderObjects``).
package final class SalvageSource: ObjectSource {
  package typealias Failure = RealmFileError

  /// What the result lacks, and what it has from older versions.
  struct Outcome: Sendable {
    /// The losses, up to a limit, in the order of the objects.
    var losses: [LostValues] = []
    /// Number of losses that are not in `losses`.
    var furtherLosses = 0
    /// Links that are null because their target is lost.
    var links = 0
    /// By class in the schema of the result.
    var classes: [Int: Counts] = [:]
  }

  /// What the objects of a class lack, and what they have from older versions.
  struct Counts: Sendable {
    /// Objects that lack a value.
    var partial = 0
    /// Values that are lost or incomplete.
    var lostValues = 0
    /// Values from older versions.
    var filledValues = 0
    /// Lost objects from older versions.
    var filledObjects = 0
    /// Values that are kept although bytes near them are damaged.
    var doubtfulValues = 0
    /// Objects that are kept although bytes near them are damaged.
    var doubtfulObjects = 0
    /// Objects in freed space.
    var freedObjects = 0
    /// Objects in freed space that lack a value.
    var freedPartial = 0
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

  /// The most losses to keep one by one.
  static let lossLimit = 100_000

  let salvageSchema: SalvageSchema
  /// What the realm lacks because it was made from one of formats 2 to 9.
  let conversion: ConversionLosses?
  let base: RealmSource
  let isDamaged: Bool
  let isDoubtful: Bool
  /// The nodes that can be read although bytes near them are damaged; nil for none.
  let doubtful: DoubtfulNodes?
  /// Objects that are not in their class, because they lost their primary key.
  let lostKeys: [Int: Set<ObjectKey>]
  /// The first key given to objects that lost theirs, by slot of their table.
  let firstNewKeys: [Int: UInt64]
  /// What older versions add; nil for nothing.
  let older: OlderObjects?
  /// The values that the builder refused.
  let refused: [RefusedValue]
  private let outcomeState: Mutex<Outcome>
  private let contents = Mutex<[Content]>([])

  /// A value that the builder of the new realm refused, with class and property of the result.
  struct RefusedValue: Hashable, Sendable {
    let className: String
    let property: String
    let key: ObjectKey
    let rule: Rule
  }

  /// - Parameters:
  ///   - isDamaged: whether bytes of the realm are known to be wrong, so that odd values are doubtful.
  ///   - isDoubtful: whether values can be wrong, so that backlinks must confirm links.
  ///   - doubtful: the nodes that can be read although bytes near them are damaged.
  ///   - keys: the objects that lost their primary key.
  ///   - firstNewKeys: the first key given to objects that lost theirs, by slot of their table.
  ///   - older: what older versions add.
  ///   - refused: values to leave out.
  init(
    _ salvaged: SalvagedRealm, isDamaged: Bool, isDoubtful: Bool,
    doubtful: DoubtfulNodes?, _ keys: SalvageKeys, firstNewKeys: [Int: UInt64],
    older: OlderObjects?, refused: [RefusedValue]
  ) {
    (self.isDamaged, self.isDoubtful, conversion) = (isDamaged, isDoubtful, salvaged.conversion)
    (self.doubtful, self.older, self.refused) = (doubtful, older, refused)
    (lostKeys, self.firstNewKeys) = (keys.lost, firstNewKeys)
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

  /// How a damaged realm is read.
  static var request: ObjectRequest {
    var request = ObjectRequest()
    request.links = .keys
    request.damage = .leaveOut
    // ``DamageWalk`` checked that.
    request.isProvenTree = true
    request.lossLimit = lossLimit
    return request
  }

  package var schema: ObjectSchema { salvageSchema.objects }
  package var classes: [Int] { salvageSchema.classes + salvageSchema.lostClasses.values.sorted() }
  package var objectCount: Int {
    // A damaged realm can state any number.
    base.objectCount
      &+ (older.map { $0.filled.values.joined().count + $0.freed.values.joined().count } ?? 0)
  }
  package var duplicateMembers: Int { base.duplicateMembers }
  var outcome: Outcome { outcomeState.withLock { $0 } }

  /// The class of the realm that has the objects of a class of the result.
  func origin(of position: Int) -> Int {
    salvageSchema.lostClasses.first { $0.value == position }?.key ?? position
  }

  package func parts() throws(RealmFileError) -> [ObjectPart] {
    let clusters = Dictionary(grouping: try base.parts(), by: \.classPosition)
    for loss in base.lost + (older?.losses ?? []) + (conversion?.values ?? [])
      + (conversion?.doubtful ?? [])
    { note(loss) }
    if let conversion {
      outcomeState.withLock {
        $0.furtherLosses += conversion.furtherCount
        $0.links += conversion.linkCount
        for values in conversion.doubtful {
          let position = base.schema.classes.firstIndex { $0.name.text == values.className }
          if let position {
            $0.classes[position, default: Counts()].doubtfulValues += values.keys.count
          }
        }
      }
    }
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
    // The objects without primary key are read once more, and their embedded objects were counted
    // with the others. Embedded objects of older versions are not in the same tree.
    let isRepeated = origin(of: part.classPosition) != part.classPosition
    if case .clusters = content(of: part), !isRepeated { try base.accept(report, of: part) }
    for loss in report.lost where !isRepeated || loss.extent != .objects { note(loss) }
    outcomeState.withLock {
      $0.links += report.lostLinks
      var counts = $0.classes[part.classPosition] ?? Counts()
      counts.partial += report.partialObjects
      counts.lostValues += report.lostValues
      counts.filledValues += report.filledValues
      counts.filledObjects += report.filledObjects
      counts.doubtfulValues += report.doubtfulValues
      counts.doubtfulObjects += report.doubtfulObjects
      counts.freedObjects += report.freedObjects
      counts.freedPartial += report.freedPartial
      $0.classes[part.classPosition] = counts
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
