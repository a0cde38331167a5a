package import RealmModel

/// Why a realm cannot become a synced one (chapter 4, section 4.2).
public struct SyncObstacle: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case noPrimaryKey
    case primaryKeyName
    /// The primary key cannot get the name `_id`: another property of the class has it.
    case keyNameTaken
    /// The class has no primary key, and its property `_id` cannot become one, because it has this type.
    case keyType(String)
    /// The class has no primary key, and its property `_id` cannot become one, because it has a full-text index.
    case keyWithWords
    /// The class has no primary key, and its property `_id` cannot become one, because objects have equal values.
    /// Each string is a value with its objects.
    case equalKeys([String])
    /// The keys of a dictionary are integers.
    case integerKeys
    /// The property has links to objects of any class, which changesets cannot represent.
    case typedLinks
    /// The property has links to a class that the app does not have.
    case noTarget
    /// The object with this primary key is larger than servers accept.
    case tooLarge(key: String, limit: Int)
    /// The object with the primary key `key` has a dictionary with an entry of this name, which servers refuse.
    case dictionaryKey(String, key: String)
    /// This many further objects cannot be uploaded.
    case more(count: Int)
    /// The changeset with the classes and properties is larger than servers accept.
    case schemaTooLarge(byteCount: Int, limit: Int)
  }

  public let kind: Kind
  /// Empty if the obstacle is not about one class.
  public let className: String
  /// The property, or the primary key.
  public let property: String?

  package init(kind: Kind, className: String, property: String?) {
    (self.kind, self.className, self.property) = (kind, className, property)
  }

  /// The obstacles in a schema; empty if there are none.
  package static func find(in schema: ObjectSchema) -> [SyncObstacle] {
    schema.appClasses.flatMap { position -> [SyncObstacle] in
      let content = schema.classes[position]
      func obstacle(_ kind: Kind, _ property: String? = nil) -> SyncObstacle {
        SyncObstacle(kind: kind, className: content.name.text, property: property)
      }
      var found: [SyncObstacle] = []
      if content.kind != .embedded {
        if let key = content.primaryKey {
          let name = content.properties[key].name.text
          if name != "_id" { found.append(obstacle(.primaryKeyName, name)) }
        } else {
          found.append(obstacle(.noPrimaryKey))
        }
      }
      for property in content.properties {
        let name = property.name.text
        if property.hasIntegerKeys { found.append(obstacle(.integerKeys, name)) }
        if property.type == .typedLink { found.append(obstacle(.typedLinks, name)) }
        if property.type == .link, property.target.map({ schema.classes[$0].isInternal }) ?? true {
          found.append(obstacle(.noTarget, name))
        }
      }
      return found
    }
  }
}

extension SyncObstacle: CustomStringConvertible {
  /// A clause that does not name the class.
  public var description: String {
    switch kind {
    case .noPrimaryKey: "there is no primary key; a synced realm needs one named _id in every class"
    case .primaryKeyName:
      "the primary key is named \(property ?? ""); a synced realm needs the name _id"
    case .keyNameTaken:
      "the primary key cannot be renamed to _id, because the class has another property _id"
    case .keyType(let type):
      "the property has the type \(type), and a primary key is one int, string, objectId or uuid"
    case .keyWithWords: "the property has a full-text index, which a primary key cannot have"
    case .equalKeys(let values):
      "objects have the same value, and a primary key needs different ones: "
        + values.joined(separator: "; ")
    case .integerKeys: "the dictionary has integers as keys; only strings can be synced"
    case .typedLinks: "the property holds links to objects of any class, which cannot be synced"
    case .noTarget: "the property links to a class that the app does not have"
    case .tooLarge(let key, let limit):
      "the object \(key) takes more than \(limit) bytes, the most that a server takes at once"
    case .dictionaryKey(let name, let key):
      "in the object \(key), a dictionary has the key \"\(name)\"; a server takes none that begins with $ or contains "
        + "a full stop"
    case .more(1): "1 more object cannot be uploaded"
    case .more(let count): "\(count) more objects cannot be uploaded"
    case .schemaTooLarge(let byteCount, let limit):
      "the classes and properties take \(byteCount) bytes, and a server takes at most \(limit) at once"
    }
  }
}
