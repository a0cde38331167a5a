internal import RealmInterchange

extension FormatLosses.Kind {
  /// How many values, and what became of them.
  func words(_ count: Int) -> String {
    switch self {
    case .invalidText:
      "\(Text.count(count, "text", "texts")) that \(count == 1 ? "is" : "are") not UTF-8: "
        + "invalid bytes were replaced"
    case .notFiniteNumbers:
      "\(Text.count(count, "number", "numbers")) without a finite value: null was written"
    case .cutDates:
      "\(Text.count(count, "date", "dates")) in full: only milliseconds were written"
    case .outlyingDates:
      "\(Text.count(count, "date", "dates")) outside its range: null was written"
    case .unresolvedLinks:
      "\(Text.count(count, "link", "links")) to objects that do not exist: null was written"
    case .linksToNull:
      "\(Text.count(count, "link", "links")) to objects whose primary key is null: null was written"
    case .linksWithoutClass:
      "the class of \(Text.count(count, "link", "links")) in mixed values: only the identity was written"
    case .changedKeys:
      "\(Text.count(count, "key", "keys")) as they are: %24, %25 and %2E were written"
    case .changedNames:
      "\(Text.count(count, "name", "names")) of classes or properties: similar names were written"
    case .ambiguousValues:
      "the type of \(Text.count(count, "mixed value", "mixed values")): the text looks like another type"
    }
  }
}
