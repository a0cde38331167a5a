/// A path from the objects of a class to values, with all names resolved (chapter 6, section 4.3).
struct KeyPath: Sendable {
  /// The values or objects at the end of the path.
  enum End: Sendable {
    /// The objects at the end of the links.
    case objects
    /// A property, and the steps into its collection or mixed value.
    case property(Int, [ValueStep])
    /// `@links`: all links to the object, from any class.
    case allLinks
  }

  /// The part of the values that is read at the end.
  enum Reading: Sendable, Equatable {
    case values
    /// `.@size`
    case size
    /// `.@type`
    case type
    /// `.length`: the sizes of the elements of a collection.
    case elementSizes
  }

  /// Position of the class where the path begins.
  var origin: Int
  var links: [LinkStep] = []
  var end = End.objects
  var reading = Reading.values

  /// Position of the class at the end of the links.
  var target: Int { links.last?.target ?? origin }

  /// True if the links can reach several objects.
  var followsSeveral: Bool { links.contains { $0.isMultiple } }

  /// True if the path ends in one entry of a dictionary of links.
  var endsInEntryOfLinks: Bool {
    guard case .objects = end, case .key = links.last?.pick else { return false }
    return true
  }

  /// The position of the property if the path is only a property of the origin.
  var directProperty: Int? {
    guard links.isEmpty, case .property(let position, let steps) = end, steps.isEmpty,
      case .values = reading
    else { return nil }
    return position
  }
}

/// A step to the objects of another class.
struct LinkStep: Sendable {
  enum Source: Sendable {
    /// A link, or a list, set or dictionary of links.
    case property(Int)
    /// `@links.Class.property`
    case backlinks(origin: Int, property: Int)
  }

  var source: Source
  /// The one element of a list or dictionary that is followed; nil for all.
  var pick: ElementPick?
  /// Position of the class that the step reaches.
  var target: Int
  /// True if the step can reach several objects.
  var isMultiple: Bool
}

/// An element of a list or dictionary.
enum ElementPick: Sendable {
  case index(Int)
  case first
  case last
  case key([UInt8])

  /// The position in a list of `count` elements; nil outside the list and for keys.
  func position(in count: Int) -> Int? {
    switch self {
    case .index(let index): index < count ? index : nil
    case .first: count > 0 ? 0 : nil
    case .last: count > 0 ? count - 1 : nil
    case .key: nil
    }
  }
}

/// A step into a collection or a mixed value.
enum ValueStep: Sendable {
  case element(ElementPick)
  /// `[*]` or `@values`
  case all
  /// `@keys`
  case keys

  /// True if the step can reach several values.
  var isMultiple: Bool { if case .element = self { false } else { true } }
}
