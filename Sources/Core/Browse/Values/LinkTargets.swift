import RealmModel
import RealmStorage

/// Finds the objects that links lead to, in a realm with a draft laid over it. Used by one thread.
struct LinkTargets {
  let state: DraftState
  private let stored: StoredObjects

  /// - Throws: the errors of an encrypted realm.
  init(_ state: DraftState, _ view: RealmView) throws(RealmFileError) {
    self.state = state
    stored = try StoredObjects(view)
  }

  /// The key of the object that a link leads to; nil if there is none. A link in a draft has no key if its target has a
  /// primary key.
  func key(of link: ShownLink) throws(RealmFileError) -> ObjectKey? {
    if let key = link.key { return key }
    guard let identity = RealmValue(identity: link.identity) else { return nil }
    let address = DraftAddress(classPosition: link.target, identity: identity)
    if let key = state.key(address) { return key }
    return try stored.key(address)
  }

  /// Whether the draft removes an object.
  func isRemoved(_ key: ObjectKey, ofClassAt position: Int) -> Bool {
    state.object(key, ofClassAt: position)?.kind == .removed
  }
}

extension RealmValue {
  /// A copy of an identity; nil for a value that can be none.
  init?(identity value: BatchValue) {
    switch value {
    case .null: self = .null
    case .int(let number): self = .int(number)
    case .string(let bytes):
      self = bytes.validText.map { .string($0) } ?? .malformedString(bytes.bytes)
    case .objectId(let bytes): self = .objectId(bytes.bytes)
    case .uuid(let bytes): self = .uuid(bytes.bytes)
    default: return nil
    }
  }
}
