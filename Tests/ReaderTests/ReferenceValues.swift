import Foundation
import RealmReader
import TestSupport

/// Any object, with its values as they are decoded.
struct AnyContent: Decodable {
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  var values: [String: RealmValue] = [:]

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Name.self)
    for name in members.allKeys {
      values[name.stringValue] = try members.decode(RealmValue.self, forKey: name)
    }
  }
}

/// Compares values with `core-xjson-plus`, what the reference wrote of the same realm.
struct ReferenceValues {
  let classes: [ObjectClass]
  /// Values compared so far.
  private(set) var count = 0
  private(set) var differences: [String] = []

  init(_ realm: any OpenRealm) { classes = realm.objectSchema.classes }

  mutating func compare(
    _ object: AnyContent, _ theirs: JSONValue, _ type: ObjectClass, _ place: String
  ) {
    guard theirs.names == type.properties.map(\.name.text),
      object.values.count == theirs.names.count
    else { return differ(place, "names \(object.values.keys)", theirs) }
    for property in type.properties {
      let name = property.name.text
      guard let ours = object.values[name], let other = theirs[name] else { continue }
      compare(ours, other, property, "\(place).\(name)")
    }
  }

  private mutating func compare(
    _ ours: RealmValue, _ theirs: JSONValue, _ property: Property, _ place: String
  ) {
    switch (ours, property.collection) {
    case (.list(let elements), .list):
      compareList(elements, theirs, property, place)
    case (.list(let members), .set):
      // The reference sorts NaN wrongly, and then has equal members twice, among them 0 and -0.
      guard let others = theirs["$set"]?.array else { return differ(place, "\(ours)", theirs) }
      for other in others {
        guard members.contains(where: { isSame($0, other, property) || areZeros($0, other) }) else {
          return differ(place, "\(members)", other)
        }
      }
      for member in members {
        guard others.contains(where: { isSame(member, $0, property) || areZeros(member, $0) })
        else {
          return differ(place, "\(member)", theirs)
        }
      }
      count += members.count
    case (.dictionary(let entries), .dictionary): compareEntries(entries, theirs, property, place)
    case (_, nil):
      count += 1
      if !isSame(ours, theirs, property) { differ(place, "\(ours)", theirs) }
    default: differ(place, "\(ours)", theirs)
    }
  }

  private func areZeros(_ ours: RealmValue, _ theirs: JSONValue) -> Bool {
    guard let text = theirs["$numberDouble"]?.string, let other = Double(text) else { return false }
    return ours.double == 0 && other == 0
  }

  private mutating func compareList(
    _ elements: [RealmValue], _ theirs: JSONValue, _ property: Property, _ place: String
  ) {
    guard let others = theirs.array, others.count == elements.count else {
      return differ(place, "\(elements.count) elements", theirs)
    }
    for i in elements.indices {
      count += 1
      if !isSame(elements[i], others[i], property) {
        differ("\(place)[\(i)]", "\(elements[i])", others[i])
      }
    }
  }

  private mutating func compareEntries(
    _ entries: [RealmEntry], _ theirs: JSONValue, _ property: Property, _ place: String
  ) {
    guard let members = theirs["$dictionary"]?.members, members.count == entries.count else {
      return differ(place, "\(entries.count) entries", theirs)
    }
    for (entry, member) in zip(entries, members) {
      count += 1
      if entry.key.string != member.name || !isSame(entry.value, member.value, property) {
        differ("\(place).\(member.name)", "\(entry)", member.value)
      }
    }
  }

  /// Whether a single value, or a collection in a mixed value, is the one of the reference.
  private func isSame(_ ours: RealmValue, _ theirs: JSONValue, _ property: Property) -> Bool {
    switch ours {
    case .null: return theirs.isNull
    case .bool(let flag): return theirs.bool == flag
    case .int(let number): return theirs["$numberLong"]?.string == "\(number)"
    case .float(let number):
      guard let text = theirs["$numberDouble"]?.string else { return false }
      return text == String(format: "%.7e", Double(number)) || number.isNaN && text == "nan"
        || number.isInfinite && Float(text) == number
    case .double(let number):
      guard let text = theirs["$numberDouble"]?.string, let other = Double(text) else {
        return false
      }
      return number.isNaN ? other.isNaN : number.bitPattern == other.bitPattern
    case .string(let text):
      return theirs.string.map { text.utf8.elementsEqual($0.utf8) } ?? false
    case .binary(let bytes):
      return theirs["$binary"]?["base64"]?.string == Data(bytes).base64EncodedString()
        && theirs["$binary"]?["subType"]?.string == "00"
    case .uuid(let bytes):
      return theirs["$binary"]?["base64"]?.string == Data(bytes).base64EncodedString()
        && theirs["$binary"]?["subType"]?.string == "04"
    case .date(let seconds, let nanoseconds):
      return theirs["$date"]?["$numberLong"]?.string
        == "\(seconds &* 1000 &+ Int64(nanoseconds / 1_000_000))"
    case .decimal(let number):
      guard let text = theirs["$numberDecimal"]?.string else { return false }
      return DecimalText("\(number)") == DecimalText(text)
    case .objectId(let bytes):
      return theirs["$oid"]?.string == bytes.map { String(format: "%02x", $0) }.joined()
    case .link(let link):
      // Outside of collections, the reference shows links to deleted objects as null.
      guard let other = theirs["$link"] else { return theirs.isNull && link.isUnresolved }
      guard other["table"]?.string == classes[link.classPosition].name.text else { return false }
      guard let key = other["key"], key.number == nil else {
        return other["key"]?.number == link.key.map { "\($0.raw)" }
      }
      return link.primaryKey.first.map { isSame($0, key, property) } ?? false
    case .object(let values):
      guard let target = property.target, let object = theirs["$embedded"]?["value"],
        object.names == classes[target].properties.map(\.name.text),
        values.count == object.names.count
      else { return false }
      var inner = self
      inner.differences = []
      for (value, property) in zip(values, classes[target].properties) {
        inner.compare(value, object[property.name.text] ?? .null, property, "")
      }
      return inner.differences.isEmpty
    case .list(let elements):
      guard let others = theirs.array, others.count == elements.count else { return false }
      return zip(elements, others).allSatisfy { isSame($0, $1, property) }
    case .dictionary(let entries):
      guard let members = theirs["$dictionary"]?.members, members.count == entries.count
      else { return false }
      return zip(entries, members).allSatisfy {
        $0.key.string == $1.name && isSame($0.value, $1.value, property)
      }
    case .malformedString: return false
    }
  }

  private mutating func differ(_ place: String, _ ours: String, _ theirs: JSONValue) {
    guard differences.count < 20 else { return }
    differences.append("\(place): \(ours) is not \(theirs)".prefix(400).description)
  }
}
