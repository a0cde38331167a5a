import RealmInterchange
import RealmStorage

extension FormatLosses.Kind {
  /// How many values a format cannot hold, and what was written instead.
  func words(_ count: Int) -> String {
    switch self {
    case .invalidText:
      "\(Text.count(count, "string")) that \(count == 1 ? "is" : "are") not UTF-8: "
        + "invalid bytes are replaced"
    case .notFiniteNumbers:
      "\(Text.count(count, "number")) without a finite value: null is written"
    case .cutDates:
      "\(Text.count(count, "date")) in full: the last digits of the fraction are cut"
    case .outlyingDates:
      "\(Text.count(count, "date")) outside its range: null is written"
    case .unresolvedLinks:
      "\(Text.count(count, "link")) to objects that do not exist: null is written"
    case .linksToNull:
      "\(Text.count(count, "link")) to objects whose primary key is null: null is written"
    case .linksWithoutClass:
      "the class of \(Text.count(count, "link")) in mixed values: only the identity is written"
    case .changedKeys:
      "\(Text.count(count, "key")) as they are: %24, %25 and %2E are written"
    case .changedNames:
      "\(Text.count(count, "name")) of classes or properties: similar names are written"
    case .zeroCharacters:
      "\(Text.count(count, "string")) with a character 0: U+FFFD is written for it"
    case .ambiguousValues:
      "the type of \(Text.count(count, "mixed value")): as written, "
        + (count == 1 ? "it looks like another type" : "they look like other types")
    }
  }
}
