package import RealmModel
import RealmStorage

extension RealmValue {
  /// The most characters or bytes that a message shows.
  private static let shownCount = 100

  /// The value of a primary key, for messages.
  package var quoted: String {
    switch self {
    case .int(let number): return "\(number)"
    case .string(let string):
      let shown = string.prefix(RealmValue.shownCount)
      return "\"\(shown)\(shown.endIndex < string.endIndex ? "…" : "")\""
    case .objectId(let bytes), .uuid(let bytes), .malformedString(let bytes):
      return bytes.prefix(RealmValue.shownCount).hexadecimal
    default: return "null"
    }
  }
}
