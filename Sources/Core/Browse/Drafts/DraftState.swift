package import RealmModel

/// The objects that a draft changes, as one value: a page reads it once, and shows one state.
package struct DraftState: Sendable {
  private(set) var objects: [DraftAddress: DraftObject] = [:]
  private var addresses: [Int: [ObjectKey: DraftAddress]] = [:]
  /// The keys of the added objects of each class, in the order in which they were added.
  private var added: [Int: [ObjectKey]] = [:]
  /// The objects whose new values have links.
  private(set) var linking: Set<DraftAddress> = []
  /// Bytes of all lines of the patch.
  private(set) var byteCount = 0
  /// A number that is higher after each change.
  package var revision = 0

  package var isEmpty: Bool { objects.isEmpty }
  /// Number of objects that the draft changes.
  package var count: Int { objects.count }

  subscript(address: DraftAddress) -> DraftObject? { objects[address] }

  /// The change of the object with a key; nil if the draft does not change it.
  package func object(_ key: ObjectKey, ofClassAt position: Int) -> DraftObject? {
    addresses[position]?[key].flatMap { objects[$0] }
  }

  /// The key of the object with an identity, if the draft changes it.
  func key(_ address: DraftAddress) -> ObjectKey? { objects[address]?.key }

  /// The keys of the objects that the draft adds to a class.
  package func addedKeys(ofClassAt position: Int) -> [ObjectKey] { added[position] ?? [] }

  /// The numbers of objects of a class that the draft adds, changes and removes.
  package func counts(ofClassAt position: Int) -> (added: Int, changed: Int, removed: Int) {
    var counts = (added: 0, changed: 0, removed: 0)
    for address in (addresses[position] ?? [:]).values {
      switch objects[address]?.kind {
      case .added: counts.added += 1
      case .changed: counts.changed += 1
      case .removed: counts.removed += 1
      case nil: break
      }
    }
    return counts
  }

  /// All changes, by class and then by key, which is the order of a patch.
  package var sorted: [DraftObject] {
    objects.values.sorted { ($0.classPosition, $0.key.raw) < ($1.classPosition, $1.key.raw) }
  }

  /// Sets the change of an object; nil for none.
  mutating func set(_ object: DraftObject?, at address: DraftAddress) {
    let before = objects.removeValue(forKey: address)
    if let before {
      byteCount -= before.byteCount
      addresses[address.classPosition]?[before.key] = nil
      linking.remove(address)
      if before.kind == .added, object?.kind != .added {
        dropAdded(before.key, ofClassAt: address.classPosition)
      }
    }
    guard let object else { return }
    objects[address] = object
    byteCount += object.byteCount
    addresses[address.classPosition, default: [:]][object.key] = address
    if object.new.values.contains(where: { !$0.allLinks.isEmpty }) { linking.insert(address) }
    if object.kind == .added, before?.kind != .added {
      added[address.classPosition, default: []].append(object.key)
    }
  }

  private mutating func dropAdded(_ key: ObjectKey, ofClassAt position: Int) {
    // The last one goes first when edits are undone.
    if added[position]?.last == key {
      added[position]?.removeLast()
    } else {
      added[position]?.removeAll { $0 == key }
    }
  }
}

/// What one edit changed, to undo it and to do it again.
struct DraftStep: Sendable {
  struct Change: Sendable {
    let address: DraftAddress
    let before: DraftObject?
    var after: DraftObject?
  }

  var changes: [Change] = []
}
