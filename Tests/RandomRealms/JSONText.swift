import TestSupport

/// Parts of Realm JSON texts.
enum JSONText {
  /// The name of a member for a class or property: what begins like the form for odd names takes it.
  static func memberName(_ name: String) -> String {
    name.hasPrefix("$base64:") ? "$base64:" + RandomValues.base64Text(Array(name.utf8)) : name
  }
}
