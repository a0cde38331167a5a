import RealmInterchange
import RealmStorage

extension FormatLosses.Kind {
  /// How many values a format cannot hold, and what was written instead.
  func words(_ count: Int) -> String {
    switch self {
    case .invalidText:
      "\(Text.count(count, "string")) that \(count == 1 ? "is" : "are") not UTF-8: "
        + "invalid bytes were replaced"
    case .notFiniteNumbers:
      "\(Text.count(count, "number")) without a finite value: null was written"
    case .cutDates:
      "\(Text.count(count, "date")) in full: only milliseconds were written"
    case .outlyingDates:
      "\(Text.count(count, "date")) outside its range: null was written"
    case .unresolvedLinks:
      "\(Text.count(count, "link")) to objects that do not exist: null was written"
    case .linksToNull:
      "\(Text.count(count, "link")) to objects whose primary key is null: null was written"
    case .linksWithoutClass:
      "the class of \(Text.count(count, "link")) in mixed values: only the identity was written"
    case .changedKeys:
      "\(Text.count(count, "key")) as they are: %24, %25 and %2E were written"
    case .changedNames:
      "\(Text.count(count, "name")) of classes or properties: similar names were written"
    case .ambiguousValues:
      "the type of \(Text.count(count, "mixed value")): as written, "
        + (count == 1 ? "it looks like another type" : "they look like other types")
    }
  }
}
