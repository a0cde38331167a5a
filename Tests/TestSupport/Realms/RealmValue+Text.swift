import Foundation
package import RealmModel

extension RealmValue {
  /// The value as text, different for different values, also of different types. NaN has a text, so that it can be
  /// compared. What the standard library prints takes many times as long.
  package var text: String {
    switch self {
    case .null: "null"
    case .int(let number): "int \(number)"
    case .bool(let flag): "bool \(flag)"
    case .float(let number): "float \(number)"
    case .double(let number): "double \(number)"
    case .string(let text): "string \(text.utf8.count) \(text)"
    case .malformedString(let bytes): "malformed \(Data(bytes).base64EncodedString())"
    case .binary(let bytes): "binary \(Data(bytes).base64EncodedString())"
    case .date(let seconds, let nanoseconds): "date \(seconds) \(nanoseconds)"
    case .decimal(let number): "decimal \(number.low) \(number.high)"
    case .objectId(let bytes): "objectId \(Data(bytes).base64EncodedString())"
    case .uuid(let bytes): "uuid \(Data(bytes).base64EncodedString())"
    case .link(let link): "link \(link.text)"
    case .object(let values): "{\(RealmValue.text(values))}"
    case .list(let values): "[\(RealmValue.text(values))]"
    case .dictionary(let entries): "<\(RealmValue.text(entries.flatMap { [$0.key, $0.value] }))>"
    }
  }

  private static func text(_ values: [RealmValue]) -> String {
    values.map(\.text).joined(separator: ",")
  }
}

extension RealmLink {
  fileprivate var text: String {
    "\(classPosition) \(key?.raw ?? -1) \(primaryKey.first?.text ?? "") \(isUnresolved)"
  }
}
