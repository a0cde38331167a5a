/// An area of a treemap, or a group of areas.
package struct TreemapArea: Sendable {
  /// The colour of an area.
  package enum Tint: String, Sendable, CaseIterable {
    case blue, violet, teal, green, yellow, pink, brown, gray, pale
  }

  /// How much it matters that an area is large.
  package enum Level: Int, Comparable, Sendable {
    case note, warning

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  package var label: String
  /// The size for people, such as "1.5 MB".
  package var sizeText: String
  /// Lines that are shown for an area under the pointer, after the label and the size.
  package var details: [String] = []
  /// Proportional to the space; 0 is left out.
  package var size: Int
  package var tint: Tint
  package var level: Level?
  /// The address of the page about it.
  package var address: String?
  /// The parts of a group, whose sizes add up to that of the group. Empty for a single area.
  package var parts: [TreemapArea] = []

  package init(_ label: String, size: Int, sizeText: String, tint: Tint) {
    (self.label, self.size, self.sizeText, self.tint) = (label, size, sizeText, tint)
  }
}
