/// Why a change does not become part of a draft. The draft stays as it was.
package struct DraftError: Error, Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Another object has the primary key.
    case identityInUse
    /// The new object has no primary key.
    case noIdentity
    /// The realm with the draft does not have the object.
    case noObject
    /// The value was changed meanwhile, and is now this one as Realm JSON.
    case changed(now: String)
    /// The new value links to an object that the realm with the draft does not have: its class and its identity.
    case noTarget(className: String, identity: String)
    /// The primary key of a stored object; objects with another one are other objects.
    case primaryKey
    /// Objects of the class exist only until they are uploaded.
    case asymmetricClass
    /// There is no such value in the object.
    case noPlace
    /// The set has the member already.
    case equalMember
    /// The dictionary has the key already.
    case equalKey
    /// A list, set or dictionary has more elements than can be edited.
    case tooManyElements(limit: Int)
    /// The draft would change more objects than it can hold.
    case tooManyObjects(limit: Int)
    /// The text of the changes would have more bytes than a draft can hold.
    case tooLarge(limit: Int)
  }

  package var kind: Kind
  package var className: String
  package var property: String?
  /// The identity of the object as Realm JSON.
  package var identity: String?

  init(
    _ kind: Kind, className: String, property: String? = nil, identity: String? = nil
  ) {
    (self.kind, self.className) = (kind, className)
    (self.property, self.identity) = (property, identity)
  }
}
