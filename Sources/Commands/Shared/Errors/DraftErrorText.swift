package import RealmBrowse
import RealmStorage

extension DraftError: ReportableError {
  package var row: (name: String, status: ExitStatus) {
    switch kind {
    case .identityInUse: ("duplicatePrimaryKey", .invalidData)
    case .noIdentity: ("noPrimaryKey", .invalidData)
    case .noObject: ("noSuchObject", .invalidData)
    case .changed: ("changedMeanwhile", .negative)
    case .noTarget: ("missingTarget", .invalidData)
    case .primaryKey: ("primaryKey", .unsupported)
    case .asymmetricClass: ("asymmetricClass", .unsupported)
    case .noPlace: ("noSuchValue", .invalidData)
    case .equalMember: ("duplicateMember", .invalidData)
    case .equalKey: ("duplicateKey", .invalidData)
    case .tooManyElements, .tooManyObjects, .tooLarge: ("tooMany", .unsupported)
    }
  }

  package var place: ErrorPlace {
    var place = ErrorPlace()
    (place.className, place.property) = (className, property)
    return place
  }

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

  package var hint: String? {
    switch kind {
    case .primaryKey: "delete the object, and insert one with the other primary key"
    case .noTarget: "add the target first"
    case .tooManyObjects, .tooLarge:
      "save the draft first, or use `realm-cli update` and `realm-cli delete`, which have no limit"
    case .tooManyElements: "use `realm-cli apply`, which has no limit"
    default: nil
    }
  }
}
