import RealmInterchange
import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// The whole result of the query of a table, as a file.
struct Download {
  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let format: RowTextFormat

  init(_ pages: RealmPages, _ view: RealmView, _ position: Int, _ format: RowTextFormat) {
    (self.pages, self.view, self.position, self.format) = (pages, view, position, format)
  }

  /// - Throws: ``QueryTextError``; the errors of running the query.
  var response: HTTPResponse {
    get throws {
      let query = try ClassQuery(
        pages.query["q"] ?? "", sort: pages.query["sort"], isDescending: pages.query["desc"] != nil,
        ofClassAt: position, in: view.schema)
      let keys = try query.all(view, jobs: pages.realm.jobs)
      let isEmbedded = view.schema.classes[position].kind == .embedded
      let texts = pages.query.all("c")
      guard !texts.isEmpty else {
        var request = ObjectRequest()
        if isEmbedded { request.embedded = .asClass }
        return Download.response(
          format, KeyedSource(view.realm, request, classPosition: position, keys: keys), of: view)
      }
      let owner = view.schema.classes[position].name.text
      var paths: [QueryPath] = []
      for text in texts {
        let property = view.schema.classes[position].position(ofPropertyNamed: text)
        let spelled = property.flatMap {
          QueryText.name(ofProperty: $0, ofClass: owner, in: view.schema)
        }
        paths += try withText(spelled ?? text, of: .columns) { (text) throws(QueryError) in
          try QueryPath.paths(text, ofClass: owner, in: view.schema)
        }
      }
      return Download.response(
        format, ColumnSource(view.realm, classPosition: position, keys: keys, paths: paths),
        of: view)
    }
  }

  /// Sends the objects of `source` in `format` while they are read.
  static func response<Source: ObjectSource>(
    _ format: RowTextFormat, _ source: Source, of view: RealmView, contentType: String? = nil
  ) -> HTTPResponse where Source.Failure == RealmFileError {
    let type =
      switch format {
      case .json: "application/json"
      case .ndjson: "application/x-ndjson"
      case .csv, .tsv, .table: "text/csv; charset=utf-8"
      case .ids: "text/plain; charset=utf-8"
      }
    return HTTPResponse(
      .stream { sink in
        let outputs = SingleOutput(ProvenSink(sink, for: view.snapshot))
        do throws(RoadError<RealmFileError, RealmFileError>) {
          _ = try format.write(source, jobs: 1, to: outputs)
        } catch {
          throw error.failure
        }
      }, contentType: contentType ?? type)
  }
}
