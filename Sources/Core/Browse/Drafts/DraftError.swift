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
    /// A query finds another number of objects than the user saw.
    case otherCount(seen: Int, found: Int)
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

extension DraftError: CustomStringConvertible {
  /// One line: the object, and why it does not change.
  package var description: String {
    let object = ([className] + [identity].compactMap(\.self)).joined(separator: " ")
    return "\(object)\(property.map { ".\($0)" } ?? ""): \(problem)"
  }

  private var problem: String {
    switch kind {
    case .identityInUse: "there is an object with this primary key"
    case .noIdentity: "the object has no primary key"
    case .noObject: "there is no such object"
    case .changed(let now): "the value was changed meanwhile, and is \(now)"
    case .otherCount(let seen, let found):
      "the query finds \(found) objects now, expected \(seen)"
    case .noTarget(let className, let identity):
      "the value links to \(className) \(identity), which does not exist"
    case .primaryKey: "the primary key of a stored object cannot change"
    case .asymmetricClass: "objects of an asymmetric class exist only until they are uploaded"
    case .noPlace: "there is no such value"
    case .equalMember: "the set has this member already"
    case .equalKey: "the dictionary has this key already"
    case .tooManyElements(let limit): "more than \(limit) elements cannot be edited"
    case .tooManyObjects(let limit): "a draft changes at most \(limit) objects"
    case .tooLarge(let limit): "the changes of a draft have at most \(limit) bytes"
    }
  }
}
