import RealmModel
import RealmStorage

/// Infers the schema of texts without a schema: one pass over all records, with several threads.
struct SchemaInference {
  /// The longest name of a property in bytes (chapter 3, section 1.3).
  static let nameByteLimit = 63

  /// Places in what finished parts know that wait for their turn.
  private static let waitingLimit = ShapeCollector.placeLimit

  private let texts: [SourceText]
  /// The names of the classes; `runs` has the number of the class for each run of a text.
  private let classes: [Name]
  private let runs: [[Int]]
  private let options: ImportOptions

  /// - Throws: `duplicateMember` for a class that the texts name twice.
  init(
    _ texts: [(text: SourceText, classes: [Name])], _ options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    var (classes, runs): ([Name], [[Int]]) = ([], [])
    var seen = Set<Name>()
    for (text, names) in texts {
      if let header = text.header {
        do throws(ImportError) {
          try ShapeCollector.check(header, className: names.first)
        } catch {
          throw text.file.located(error)
        }
      }
      var numbers: [Int] = []
      for name in names {
        guard seen.insert(name).inserted else {
          throw text.file.located(ImportError(.duplicateMember(name.text)))
        }
        numbers.append(classes.count)
        classes.append(name)
      }
      runs.append(numbers)
    }
    (self.classes, self.runs) = (classes, runs)
    self.texts = texts.map { (text, _) in
      var text = text
      text.columns = text.header.map(CSVColumn.untyped) ?? []
      return text
    }
  }

  /// The schema that fits all records.
  ///
  /// - Throws: the errors of a record's text; the errors of records that no schema fits; `request` for keys
  ///   and indexes that the properties cannot have.
  func schema(jobs: Int) throws(ImportError) -> ObjectSchema {
    let shapes = try collect(jobs)
    var drafts = SchemaDraft(names: classes)
    for (i, text) in texts.enumerated() {
      for number in runs[i] {
        var members = shapes.classes[number] ?? MemberShapes(isTop: true)
        // A text without rows still has columns.
        for column in text.columns { members.add(name: column.name.bytes) }
        drafts.add(members, of: number, hasDocuments: text.header == nil)
      }
    }
    // Texts without rows were not counted with the records.
    guard drafts.memberCount <= ShapeCollector.placeLimit else {
      throw ImportError(.structure(ShapeCollector.tooManyPlaces))
    }
    try drafts.setKeys(options.primaryKeys)
    try drafts.setIndexes(options.indexes)
    return drafts.schema
  }

  private func collect(_ jobs: Int) throws(ImportError) -> ShapeCollector {
    let places = texts.indices.flatMap { i in texts[i].layout.parts.map { (text: i, part: $0) } }
    var all = ShapeCollector(isCSV: false, infersStrings: options.infersStrings)
    let parts = OrderedParts<ShapeCollector, ImportError>(
      count: places.count, jobs: jobs, waitingLimit: SchemaInference.waitingLimit,
      weight: { $0.placeCount },
      accept: { (number, shapes) throws(ImportError) in
        do throws(ImportError) {
          try all.merge(shapes)
        } catch {
          throw texts[places[number].text].file.located(error)
        }
      })
    try parts.run {
      let parser = JSONParser()
      while let turn = parts.take() {
        let place = places[turn.part]
        let text = texts[place.text]
        do throws(ImportError) {
          parts.finish(turn, try collect(place.part, of: text, runs[place.text], parser))
        } catch {
          parts.fail(turn, text.file.located(error))
        }
      }
    }
    return all
  }

  private func collect(
    _ part: JSONLayout.Part, of text: SourceText, _ runs: [Int], _ parser: JSONParser
  ) throws(ImportError) -> ShapeCollector {
    var shapes = ShapeCollector(
      isCSV: text.header != nil, infersStrings: options.infersStrings)
    // Lines that name their class belong to Realm JSON, which has a schema.
    guard let run = part.run else { return shapes }
    var reader = try RecordReader(text, part, parser, text.makeRecords())
    while let record = try reader.next() {
      do throws(ValueError) {
        try shapes.add(record, of: runs[run])
      } catch {
        throw reader.error(
          error.adding(className: classes[runs[run]].text, property: nil), in: record)
      }
    }
    return shapes
  }
}
