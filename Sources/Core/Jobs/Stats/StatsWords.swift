import RealmStorage

// The results of `stats` in words.

extension StatsReport.Use {
  /// The use for people.
  package var words: String {
    switch self {
    case .values: "values"
    case .longValues: "long strings and binaries"
    case .collections: "lists, sets, dictionaries"
    case .indexes: "indexes"
    case .backlinks: "backlinks"
    case .tree: "keys and tree of objects"
    case .tombstones: "tombstones"
    case .schema: "schema"
    case .history: "history"
    case .freeLists: "lists of free space"
    case .header: "file header"
    case .reusable: "free, usable at once"
    case .previousVersion: "free after the next commit"
    case .olderVersions: "free, kept for older versions"
    case .lost: "lost"
    case .behindEnd: "after the end"
    case .encryption: "checksums of pages"
    }
  }
}

extension StatsConcern {
  /// What was found, and what can be done about it.
  package var sentence: String {
    let place = [className, property].compactMap { $0 }.joined(separator: ".")
    switch kind {
    case .compactable(let bytes):
      return "compact makes the file \(Text.size(bytes)) smaller"
    case .olderVersions(let bytes):
      return
        "\(Text.size(bytes)) were kept for older versions: an app holds old objects, or reads in a "
        + "thread without updates; compact frees them"
    case .history(let bytes, let isSync):
      return "the history takes \(Text.size(bytes)); "
        + (isSync
          ? "it shrinks when changes are uploaded, and converting to a local realm removes it"
          : "an app that opens the realm for writing shortens it")
    case .tombstones(let bytes):
      return "tombstones of deleted objects take \(Text.size(bytes)); links still point to them"
    case .index(let bytes, let values):
      return "the index on \(place) takes \(Text.size(bytes)), its values \(Text.size(values)): "
        + "if no query uses it, remove it"
    case .longValues(let bytes, let count):
      return
        "\(Text.count(count, "long value")) of \(place) \(count == 1 ? "takes" : "take") \(Text.size(bytes)): "
        + "store them as files beside the realm to keep it small"
    case .repeatedStrings(let distinct, let objects, let bytes):
      return "\(place) takes \(Text.size(bytes)) for \(objects) objects, but has "
        + "\(Text.count(distinct, "distinct value")): "
        + "a number or a link would take less"
    case .onlyNulls(let objects):
      return "\(place) is null in all \(objects) objects"
    }
  }
}
