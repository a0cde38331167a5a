package import RealmModel
import RealmStorage
import Synchronization

/// The objects of one or several inputs: Realm JSON as a document or in lines, plain JSON, or CSV. Rows of
/// CSV are read as JSON records.
///
/// A part can contain objects of several classes. A ``RealmBuilder`` accepts these in any order, but the
/// objects of one class must come in the order of the input.
package final class TextSource: ObjectSource {
  package typealias Cursor = TextCursor
  package typealias Failure = ImportError

  let inputs: [SourceInput]
  let context: FillContext
  /// The number of the input of each part, and the part in it.
  let places: [(input: Int, part: JSONLayout.Part)]
  /// Path of the file with the schema; nil if the input has its schema or it is inferred.
  let schemaPath: String?
  /// Number of objects of each class as stated in the input; nil if the input states none.
  private let stated: [Int: Int]?
  private let found: Mutex<Found>

  /// The findings in the parts so far.
  private struct Found {
    var counts: [Int: Int] = [:]
    var ignored = 0
    /// Errors of objects in parts waiting for their turn, by number of the part.
    var waiting: [Int: [ImportError]] = [:]
    /// Errors of objects in earlier parts, and the numbers of their inputs; without lines and columns.
    var errors: [(input: Int, error: ImportError)] = []
  }

  init(
    _ inputs: [SourceInput], _ context: FillContext, schemaPath: String? = nil,
    stated: [Int: Int]? = nil
  ) {
    (self.inputs, self.context) = (inputs, context)
    (self.schemaPath, self.stated) = (schemaPath, stated)
    places = inputs.enumerated().flatMap { (number, input) in
      input.layout.parts.map { (number, $0) }
    }
    found = Mutex(Found())
  }

  package var schema: ObjectSchema { context.filledSchema }
  package var classes: [Int] { schema.topLevelClasses }
  package var objectCount: Int {
    guard let stated else { return inputs.reduce(0) { $0 + $1.layout.objectCount } }
    // The stated numbers are untrusted.
    return stated.values.reduce(0) { sum, count in
      let (total, isTooLarge) = sum.addingReportingOverflow(count)
      return isTooLarge ? .max : total
    }
  }

  /// Number of ignored members, which the schema does not contain.
  package var ignoredMembers: Int { found.withLock { $0.ignored } }

  /// Number of binaries that lost a subtype unknown to realms.
  package var lostSubtypes: Int { context.lostSubtypes }

  package func parts() throws(ImportError) -> [ObjectPart] {
    if places.isEmpty { try checkCounts() }
    return places.enumerated().map { (number, place) in
      let position = place.part.run.map { inputs[place.input].runClasses[$0] } ?? classes.first
      return ObjectPart(classPosition: position ?? 0, number: number)
    }
  }

  package func makeCursor() -> TextCursor { TextCursor(self) }

  /// - Throws: errors of objects, once the limit of errors is reached or all parts are read; `wrongCount`.
  package func accept(_ report: PartReport, of part: ObjectPart) throws(ImportError) {
    let isLast = part.number == places.count - 1
    let limit = context.options.errorLimit
    let errors = found.withLock { (found) -> [(input: Int, error: ImportError)] in
      let input = places[part.number].input
      found.errors += (found.waiting.removeValue(forKey: part.number) ?? []).map { (input, $0) }
      return isLast || found.errors.count >= limit ? Array(found.errors.prefix(limit)) : []
    }
    let located = self.located(errors)
    if var first = located.first {
      first.others = Array(located.dropFirst())
      throw first
    }
    if isLast { try checkCounts() }
  }

  /// The errors with their places; errors of one input are adjacent.
  private func located(_ errors: [(input: Int, error: ImportError)]) -> [ImportError] {
    var located: [ImportError] = []
    var rest = errors[...]
    while let input = rest.first?.input {
      let own = rest.prefix { $0.input == input }
      located += inputs[input].file.located(own.map(\.error))
      rest = rest.dropFirst(own.count)
    }
    return located
  }

  /// Records the errors of objects in a part.
  fileprivate func note(_ errors: [ImportError], ofPart number: Int) {
    found.withLock { $0.waiting[number] = errors }
  }

  /// Records the numbers of objects in a part.
  fileprivate func note(_ counts: [Int: Int], ignored: Int) {
    found.withLock {
      $0.counts.merge(counts, uniquingKeysWith: +)
      $0.ignored += ignored
    }
  }

  /// Compares the numbers of objects with the numbers stated in the input.
  private func checkCounts() throws(ImportError) {
    guard let stated, let input = inputs.first else { return }
    let line: Range<Int>
    switch input.layout.form {
    case .realmLines(_, let counts), .patchLines(_, let counts): line = counts
    case .realmDocument, .plain: return
    }
    let counts = found.withLock { $0.counts }
    for position in classes where stated[position, default: 0] != counts[position, default: 0] {
      throw input.file.located(
        ImportError(
          .wrongCount(
            stated: stated[position, default: 0], found: counts[position, default: 0]),
          offset: line.lowerBound, className: schema.classes[position].name.text))
    }
  }
}

/// Reads the parts of a ``TextSource``. Used by one thread.
package struct TextCursor: ObjectCursor {
  package typealias Failure = ImportError

  private let source: TextSource
  private let parser = JSONParser()
  private var fillers: [ObjectFiller?]
  /// The input of the current part; `inputNumber` is its number.
  private var input: SourceInput?
  private var inputNumber = -1
  private var part: JSONLayout.Part?
  private var reader: RecordReader?
  /// Converts rows to records; nil for JSON.
  private var records: CSVRecords?
  /// The class of the last line; most lines have the class of the line before.
  private var lastClass: (name: [UInt8], position: Int)?
  private var counts: [Int: Int] = [:]
  /// Offsets of each class's objects that are not in a batch yet; `batchStarts` has those of the last batch.
  private var starts: [[Int]]
  package private(set) var batchStarts: [Int] = []
  /// Errors of objects in the current part; `partNumber` is its number.
  private var errors: [ImportError] = []
  private var partNumber = 0

  init(_ source: TextSource) {
    self.source = source
    fillers = Array(repeating: nil, count: source.schema.classes.count)
    starts = Array(repeating: [], count: fillers.count)
  }

  package mutating func open(_ part: ObjectPart) throws(ImportError) {
    let place = source.places[part.number]
    let input = source.inputs[place.input]
    // Errors must not depend on the parts that the thread has read before.
    dropObjects()
    if inputNumber != place.input { (records, inputNumber) = (input.makeRecords(), place.input) }
    (self.input, self.part, counts) = (input, place.part, [:])
    (errors, partNumber) = ([], part.number)
    do throws(ImportError) {
      reader = try RecordReader(input, place.part, parser, records)
    } catch {
      throw input.file.located(error)
    }
  }

  package mutating func next() throws(ImportError) -> ObjectBatch? {
    guard let input, let part else { return nil }
    do throws(ImportError) {
      while errors.count < source.context.options.errorLimit {
        do throws(ImportError) {
          guard let record = try reader?.next(), let start = reader?.start else { break }
          guard let filled = try fill(record, at: start, part, input) else { continue }
          if filled.count == ObjectBatch.capacity { return try batch(filled) }
        } catch {
          guard try note(error) else { break }
        }
      }
      guard errors.isEmpty else {
        source.note(errors, ofPart: partNumber)
        dropObjects()
        return nil
      }
      for case let filler? in fillers where filler.count > 0 { return try batch(filler) }
      return nil
    } catch {
      throw input.file.located(error)
    }
  }

  /// Records the error of an object, if the limit allows more errors.
  ///
  /// - Returns: whether the end of the wrong object is known, so that the cursor can continue after it.
  /// - Throws: `error` if the limit is 1.
  private mutating func note(_ error: ImportError) throws(ImportError) -> Bool {
    guard source.context.options.errorLimit > 1 else { throw error }
    errors.append(error)
    // A filler can contain some values of the wrong object.
    dropObjects()
    return reader?.hasEnd ?? false
  }

  /// Drops the fillers, with the objects that are in no batch yet, whose values refer to the memory of the part.
  private mutating func dropObjects() {
    for i in fillers.indices { (fillers[i], starts[i]) = (nil, []) }
  }

  package mutating func close() -> PartReport {
    source.note(counts, ignored: 0)
    let report = PartReport(objectCount: counts.values.reduce(0, +))
    (part, reader) = (nil, nil)
    return report
  }

  private mutating func batch(_ filler: ObjectFiller) throws(ImportError) -> ObjectBatch {
    let position = filler.classPosition
    (batchStarts, starts[position]) = (starts[position], [])
    counts[position, default: 0] += filler.count
    source.note([:], ignored: filler.takeIgnoredCount())
    return filler.finish(owner: reader?.block)
  }

  // MARK: Records

  /// Adds the object of a record to a filler.
  ///
  /// - Parameter start: offset of the record in the file.
  /// - Returns: the filler that received the object; nil if the record has none.
  private mutating func fill(
    _ record: JSONRecord, at start: Int, _ part: JSONLayout.Part, _ input: SourceInput
  ) throws(ImportError) -> ObjectFiller? {
    do throws(ValueError) {
      guard let (position, token) = try object(record, part, input) else { return nil }
      let filler = fillers[position] ?? ObjectFiller(position, source.context)
      fillers[position] = filler
      try filler.append(record, token)
      starts[position].append(start)
      return filler
    } catch {
      throw reader?.error(error, in: record) ?? ImportError(error.kind, offset: start)
    }
  }

  /// The class of the object in a record, and the object's token; nil if the change in the record has no object on
  /// this side.
  private mutating func object(
    _ record: JSONRecord, _ part: JSONLayout.Part, _ input: SourceInput
  ) throws(ValueError) -> (Int, Int)? {
    if let run = part.run { return (input.runClasses[run], 0) }
    if case .changes(let side) = part.kind { return try object(ofChange: record, side) }
    guard let name = record.member(0, "class"), let object = record.member(0, "object"),
      record.count(0) == 2
    else {
      throw ValueError(
        .structure(
          "expected {\"class\":…,\"object\":…} in each line but the last, which has the counts"),
        at: 0)
    }
    return (try classPosition(record, name), object)
  }

  private mutating func object(
    ofChange record: JSONRecord, _ side: PatchInput.Side
  ) throws(ValueError) -> (Int, Int)? {
    let (old, new) = (record.member(0, "old"), record.member(0, "new"))
    guard let name = record.member(0, "class"), old != nil || new != nil,
      record.count(0) == [name, old, new].count(where: { $0 != nil })
    else {
      throw ValueError(
        .patch(
          "expected {\"class\":…,\"old\":…,\"new\":…} in each line but the first and the last"),
        at: 0)
    }
    if side == .new, let old, let new {
      let known = Set(record.names(new).map { record.bytes($0).bytes })
      for token in record.names(old) where !known.contains(record.bytes(token).bytes) {
        throw ValueError(
          .patch("the old object has a value of \(record.bytes(token).text), the new one has none"),
          at: token)
      }
    }
    guard let object = side == .old ? old : new else { return nil }
    return (try classPosition(record, name), object)
  }

  /// The class that token `name` names.
  private mutating func classPosition(
    _ record: JSONRecord, _ name: Int
  ) throws(ValueError) -> Int {
    if let lastClass, record.kind(name) == .string, record.isText(name, lastClass.name) {
      return lastClass.position
    }
    let position = try source.context.classPosition(record, name)
    guard source.schema.classes[position].kind != .embedded else {
      throw ValueError(
        .structure("objects of embedded classes belong inside their owners"), at: name)
    }
    lastClass = (source.schema.classes[position].name.bytes, position)
    return position
  }
}
