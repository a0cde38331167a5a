import RealmModel
import RealmStorage

/// Infers the schema of inputs that have none, in one pass over all records, with several threads.
struct SchemaInference {
  /// Longest name of a property in bytes (chapter 3, section 1.3).
  static let nameByteLimit = 63

  /// Largest number of places in finished parts that wait for their turn.
  private static let waitingLimit = ShapeCollector.placeLimit

  private let inputs: [SourceInput]
  /// The names of the classes; `runs` has the number of the class for each run of an input.
  private let classes: [Name]
  private let runs: [[Int]]
  private let options: ImportOptions

  /// - Throws: `duplicateMember` for a class that is named twice.
  init(
    _ inputs: [(input: SourceInput, classes: [Name])], _ options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    var (classes, runs): ([Name], [[Int]]) = ([], [])
    var seen = Set<Name>()
    for (input, names) in inputs {
      if let header = input.header {
        do throws(ImportError) {
          try ShapeCollector.check(header, className: names.first)
        } catch {
          throw input.file.located(error)
        }
      }
      var numbers: [Int] = []
      for name in names {
        guard seen.insert(name).inserted else {
          throw input.file.located(ImportError(.duplicateMember(name.text)))
        }
        numbers.append(classes.count)
        classes.append(name)
      }
      runs.append(numbers)
    }
    (self.classes, self.runs) = (classes, runs)
    self.inputs = inputs.map { (input, _) in
      var input = input
      input.columns = input.header.map(CSVColumn.untyped) ?? []
      return input
    }
  }

  /// The schema that fits all records.
  ///
  /// - Throws: errors of records; errors of values that no schema fits; `request` for keys and indexes that
  ///   the properties cannot have.
  func schema(jobs: Int) throws(ImportError) -> ObjectSchema {
    let shapes = try collect(jobs)
    var drafts = SchemaDraft(names: classes)
    for (i, input) in inputs.enumerated() {
      for number in runs[i] {
        var members = shapes.classes[number] ?? MemberShapes(isTop: true)
        // CSV without rows still has columns.
        for column in input.columns { members.add(name: column.name.bytes) }
        drafts.add(members, of: number, hasDocuments: input.header == nil)
      }
    }
    // Inputs without rows were not counted with the records.
    guard drafts.memberCount <= ShapeCollector.placeLimit else {
      throw ImportError(.structure(ShapeCollector.tooManyPlaces))
    }
    try drafts.setKeys(options.primaryKeys)
    try drafts.setIndexes(options.indexes)
    return drafts.schema
  }

  private func collect(_ jobs: Int) throws(ImportError) -> ShapeCollector {
    let places = inputs.indices.flatMap { i in inputs[i].layout.parts.map { (input: i, part: $0) } }
    var all = ShapeCollector(isCSV: false, infersStrings: options.infersStrings)
    let parts = OrderedParts<ShapeCollector, ImportError>(
      count: places.count, jobs: jobs, waitingLimit: SchemaInference.waitingLimit,
      weight: { $0.placeCount },
      accept: { (number, shapes) throws(ImportError) in
        do throws(ImportError) {
          try all.merge(shapes)
        } catch {
          throw inputs[places[number].input].file.located(error)
        }
      })
    try parts.run {
      let parser = JSONParser()
      while let turn = parts.take() {
        let place = places[turn.part]
        let input = inputs[place.input]
        do throws(ImportError) {
          parts.finish(turn, try collect(place.part, of: input, runs[place.input], parser))
        } catch {
          parts.fail(turn, input.file.located(error))
        }
      }
    }
    return all
  }

  private func collect(
    _ part: JSONLayout.Part, of input: SourceInput, _ runs: [Int], _ parser: JSONParser
  ) throws(ImportError) -> ShapeCollector {
    var shapes = ShapeCollector(
      isCSV: input.header != nil, infersStrings: options.infersStrings)
    // Lines with a class belong to Realm JSON, which has a schema.
    guard let run = part.run else { return shapes }
    var reader = try RecordReader(input, part, parser, input.makeRecords())
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
