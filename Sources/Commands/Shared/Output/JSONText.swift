#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reports as JSON: one object per line, members in alphabetical order, so that equal reports have
/// equal bytes.
package enum JSONText {
  /// `value` and a line feed.
  ///
  /// - Throws: `EncodingError` for values that JSON cannot represent, such as infinite numbers.
  package static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}

/// An object in JSON, written where its members are named: the names are a contract.
///
/// A member without a value is null, so that scripts always find it.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private var members: [String: (any Encodable)?]

  init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.members = Dictionary(uniqueKeysWithValues: members)
  }

  /// `object` without the members that have no value.
  static func omittingNulls(_ object: JSONObject) -> JSONObject {
    var object = object
    object.members = object.members.filter { $0.value != nil }
    return object
  }

  /// The members of both; the right value if both have a member.
  static func + (left: JSONObject, right: JSONObject) -> JSONObject {
    var sum = left
    sum.members.merge(right.members) { $1 }
    return sum
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in members {
      if let value {
        try container.encode(value, forKey: Name(stringValue: name))
      } else {
        try container.encodeNil(forKey: Name(stringValue: name))
      }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
