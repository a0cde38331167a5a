import TestSupport

/// Parts of Realm JSON.
enum JSONText {
  /// The name of a member for a class or property. Names that begin like the form for odd names take that form.
  static func memberName(_ name: String) -> String {
    name.hasPrefix("$base64:") ? "$base64:" + RandomValues.base64Text(Array(name.utf8)) : name
  }
}
