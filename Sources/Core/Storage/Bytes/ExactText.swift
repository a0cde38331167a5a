/// A text that is the same as another one only where their bytes are.
///
/// `String` takes composed and decomposed characters for the same. Most file systems, archives and
/// realms do not: two files, or two classes, may have names that are equal as strings.
package struct ExactText: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }
}
