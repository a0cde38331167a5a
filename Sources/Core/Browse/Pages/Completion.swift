import RealmInterchange
import RealmModel
import RealmQuery
import RealmStorage

/// The words that can follow in a query, for the script of the query box.
struct Completion {
  /// Maximum number of words.
  private static let limit = 50

  private let pages: RealmPages
  private let view: RealmView
  private let position: Int

  init(_ pages: RealmPages, _ view: RealmView, _ position: Int) {
    (self.pages, self.view, self.position) = (pages, view, position)
  }

  /// The words, and how many characters before the place they take the place of.
  var json: HTTPResponse {
    let text = pages.query["q"] ?? ""
    let completion = QueryCompletion(text, ofClassAt: position, in: view.schema)
    var json = RealmJSONValueText()
    json.append("{\"replace\":\(completion.prefix.utf16.count),\"words\":[")
    for (i, word) in completion.words.prefix(Completion.limit).enumerated() {
      json.append(i == 0 ? "{\"word\":" : ",{\"word\":")
      json.append(Name(word.text))
      json.append(",\"kind\":")
      json.append(Name(word.kind))
      json.append("}")
    }
    json.append("]}\n")
    return .json(String(decoding: json.take(), as: UTF8.self))
  }
}
