/// A string that equals another one only if their bytes are equal.
///
/// `String` treats composed and decomposed characters as equal; most file systems, archives and realms do
/// not, so two files or classes can have names that are equal as `String`s.
package struct ExactText: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(_ string: String) { bytes = Array(string.utf8) }
}
