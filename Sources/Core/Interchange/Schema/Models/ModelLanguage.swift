import RealmModel

/// A language of an SDK's model classes.
protocol ModelLanguage {
  /// The rules for names of classes and properties.
  var names: ModelNames { get }

  /// The model classes as a source file.
  func text(_ classes: [ModelClass]) -> String
}

/// The naming rules of a language.
struct ModelNames {
  /// Names that a class cannot have: words of the language and types of the SDK.
  var classWords: Set<String>
  /// Names that a property cannot have: words of the language and members of every model class.
  var propertyWords: Set<String>
  /// The usual style of property names.
  var propertyStyle: Style = .asStored
  /// Whether a class must not have the name of a property of any class: inside of a type, the name means its member.
  var membersHideClasses = false

  enum Style {
    case asStored
    /// Without underscores at the start, because these make a name private.
    case open
    /// With at most one underscore at the start: Python gives names with two another meaning.
    case python
    /// With a capital letter at the start of each word.
    case pascal
  }

  /// An identifier for `name` that is not in `taken`.
  func identifier(ofClass name: Name, taken: inout Set<String>) -> String {
    unique(ModelNames.identifier(name.text, orElse: "Class"), classWords, &taken)
  }

  /// An identifier for the property `name` that is not in `taken`.
  func identifier(ofProperty name: Name, taken: inout Set<String>) -> String {
    var text = ModelNames.identifier(name.text, orElse: "property")
    switch propertyStyle {
    case .asStored: break
    case .python: if text.hasPrefix("__") { text = "_" + text.drop { $0 == "_" } }
    case .open: text = ModelNames.withoutUnderscores(text, orElse: "property")
    case .pascal:
      text = ModelNames.withoutUnderscores(text, orElse: "Property")
      text = text.prefix(1).uppercased() + text.dropFirst()
    }
    return unique(text, propertyWords, &taken)
  }

  /// The name with an underscore in place of each character that an identifier cannot have.
  private static func identifier(_ name: String, orElse other: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      text += isPart(scalar) ? String(scalar) : "_"
    }
    guard let first = text.unicodeScalars.first, text.contains(where: { $0 != "_" }) else {
      return other
    }
    return first.properties.numericType == nil ? text : "_" + text
  }

  /// Whether a name is an identifier.
  static func isIdentifier(_ name: String) -> Bool { identifier(name, orElse: "") == name }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }

  private static func withoutUnderscores(_ name: String, orElse other: String) -> String {
    let text = name.drop { $0 == "_" }
    guard let first = text.first else { return other }
    return first.isNumber ? other + text : String(text)
  }

  private func unique(
    _ text: String, _ words: Set<String>, _ taken: inout Set<String>
  ) -> String {
    var candidate = words.contains(text) ? text + "_" : text
    var number = 2
    while words.contains(candidate) || !taken.insert(candidate).inserted {
      candidate = "\(text)\(number)"
      number += 1
    }
    return candidate
  }
}
