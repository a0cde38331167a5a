/// A text that equals another one only if their bytes are equal.
///
/// `String` treats composed and decomposed characters as equal. Most file systems, archives and
/// realms do not: the names of two files or two classes may be equal as strings.
package struct ExactText: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }
}
