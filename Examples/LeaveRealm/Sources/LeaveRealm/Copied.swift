import GRDB
import RealmReader

/// A class of the realm whose objects become rows. The records are those that `realm-cli schema show --format grdb` prints: they
/// decode from an object of the realm as they are, because a link decodes as the primary key of its target.
protocol Copied: ExportedRecord {
  /// Sets what an object of the realm does not have as a property.
  mutating func complete(from object: RealmObject)

  /// The rows of the object's collections, in their own tables.
  func collections(of object: RealmObject) throws -> [any ExportedRecord]
}

extension Copied {
  mutating func complete(from object: RealmObject) {}

  func collections(of object: RealmObject) throws -> [any ExportedRecord] { [] }

  /// The record of an object.
  static func record(of object: RealmObject) throws -> Self {
    var record = try object.decoded(as: Self.self)
    record.complete(from: object)
    return record
  }
}

extension Company: Copied {
  private struct Collections: Decodable {
    var ratings: [String: Int]
    var offices: Set<String>
  }

  func collections(of object: RealmObject) throws -> [any ExportedRecord] {
    let all = try object.decoded(as: Collections.self)
    return all.ratings.sorted { $0.key < $1.key }.map {
      CompanyRatings(id: nil, ownerId: _id, key: $0.key, value: $0.value)
    } + all.offices.sorted().map { CompanyOffices(id: nil, ownerId: _id, value: $0) }
  }
}

extension Counter: Copied {
  /// The class has no primary key.
  mutating func complete(from object: RealmObject) { _key = Int(object.key.raw) }
}

extension Person: Copied {
  private struct Collections: Decodable {
    var tags: [String]
  }

  func collections(of object: RealmObject) throws -> [any ExportedRecord] {
    try object.decoded(as: Collections.self).tags.enumerated().map { position, tag in
      PersonTags(id: nil, ownerId: _id, position: position, value: tag)
    }
  }
}
