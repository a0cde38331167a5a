package import RealmModel
import RealmStorage
import Synchronization

/// Objects in a text of JSON: Realm JSON as a document or in lines, or plain JSON.
///
/// A part of the text may have objects of several classes, which a ``RealmBuilder`` takes in any order; those of one
/// class come in the order of the text.
package final class JSONSource: ObjectSource {
  package typealias Cursor = JSONCursor
  package typealias Failure = ImportError

  let file: TextFile
  let layout: JSONLayout
  let context: FillContext
  /// The class of each run of the layout.
  let runClasses: [Int]
  /// Objects of each class that the text states; nil where it states none.
  private let stated: [Int: Int]?
  private let found: Mutex<Found>

  /// What the parts that were read have.
  private struct Found {
    var counts: [Int: Int] = [:]
    var ignored = 0
  }

  init(
    _ file: TextFile, _ layout: JSONLayout, _ context: FillContext, runClasses: [Int],
    stated: [Int: Int]? = nil
  ) {
    (self.file, self.layout, self.context) = (file, layout, context)
    (self.runClasses, self.stated) = (runClasses, stated)
    found = Mutex(Found())
  }

  package var schema: ObjectSchema { context.schema }
  package var classes: [Int] { schema.topLevelClasses }
  package var objectCount: Int { stated?.values.reduce(0, +) ?? layout.objectCount }

  /// Members that were left out because the schema does not know them.
  package var ignoredMembers: Int { found.withLock { $0.ignored } }

  package func parts() throws(ImportError) -> [ObjectPart] {
    if layout.parts.isEmpty { try checkCounts() }
    return layout.parts.enumerated().map { (number, part) in
      switch part.kind {
      case .wrappedLines: ObjectPart(classPosition: classes.first ?? 0, number: number)
      case .lines(let run), .elements(let run, _):
        ObjectPart(classPosition: runClasses[run], number: number)
      }
    }
  }

  package func makeCursor() -> JSONCursor { JSONCursor(self) }

  package func accept(_ report: PartReport, of part: ObjectPart) throws(ImportError) {
    if part.number == layout.parts.count - 1 { try checkCounts() }
  }

  /// Notes what a part has.
  fileprivate func note(_ counts: [Int: Int], ignored: Int) {
    found.withLock {
      $0.counts.merge(counts, uniquingKeysWith: +)
      $0.ignored += ignored
    }
  }

  /// Compares the numbers of objects with those that the text states.
  private func checkCounts() throws(ImportError) {
    guard let stated, case .realmLines(_, let line) = layout.form else { return }
    let counts = found.withLock { $0.counts }
    for position in classes where stated[position, default: 0] != counts[position, default: 0] {
      throw file.located(
        ImportError(
          .wrongCount(
            stated: stated[position, default: 0], found: counts[position, default: 0]),
          offset: line.lowerBound, className: schema.classes[position].name.text))
    }
  }
}

/// Reads the parts of a text of JSON. Belongs to one thread.
package struct JSONCursor: ObjectCursor {
  package typealias Failure = ImportError

  private let source: JSONSource
  private let parser = JSONParser()
  private var fillers: [ObjectFiller?]
  private var part: JSONLayout.Part?
  private var block: TextBlock?
  /// Where the next record is looked for.
  private var offset = 0
  /// Number of the next element of an array.
  private var element = 0
  private var counts: [Int: Int] = [:]
  /// Where the objects of each class start that are not in a batch yet, and of the last batch.
  private var starts: [[Int]]
  package private(set) var batchStarts: [Int] = []

  init(_ source: JSONSource) {
    self.source = source
    fillers = Array(repeating: nil, count: source.schema.classes.count)
    starts = Array(repeating: [], count: fillers.count)
  }

  package mutating func open(_ part: ObjectPart) throws(ImportError) {
    let part = source.layout.parts[part.number]
    self.part = part
    (offset, counts) = (part.range.lowerBound, [:])
    if case .elements(_, let first) = part.kind { element = first }
    do throws(ImportError) {
      block = try source.file.block(part.range)
    } catch {
      throw source.file.located(error)
    }
  }

  package mutating func next() throws(ImportError) -> ObjectBatch? {
    guard let part, let block else { return nil }
    do throws(ImportError) {
      while let range = try nextRecord(part, block) {
        guard let filled = try read(range, part, block), filled.count == ObjectBatch.capacity else {
          continue
        }
        return try batch(filled, block)
      }
      for case let filler? in fillers where filler.count > 0 { return try batch(filler, block) }
      return nil
    } catch {
      throw source.file.located(error)
    }
  }

  package mutating func close() -> PartReport {
    source.note(counts, ignored: 0)
    let report = PartReport(objectCount: counts.values.reduce(0, +))
    (part, block) = (nil, nil)
    return report
  }

  private mutating func batch(
    _ filler: ObjectFiller, _ block: TextBlock
  ) throws(ImportError) -> ObjectBatch {
    let position = filler.classPosition
    (batchStarts, starts[position]) = (starts[position], [])
    guard !filler.hasSomeKeys else {
      throw ImportError(
        .structure("some objects of the class have an object key, and others have none"),
        offset: batchStarts.first, className: source.schema.classes[position].name.text)
    }
    counts[position, default: 0] += filler.count
    source.note([:], ignored: filler.takeIgnoredCount())
    return filler.finish(owner: block)
  }

  // MARK: Records

  /// Where the next record is; nil behind the last one.
  private mutating func nextRecord(
    _ part: JSONLayout.Part, _ block: TextBlock
  ) throws(ImportError) -> Range<Int>? {
    let bytes = block.bytes(block.range)
    let base = block.range.lowerBound
    var position = offset - base
    while position < bytes.count,
      JSONScan.isSpace(bytes[position]) || part.isElements && bytes[position] == UInt8(ascii: ",")
    {
      position += 1
    }
    guard position < bytes.count else { return nil }
    let end: Int
    if part.isElements {
      var scan = JSONScan()
      end = scan.end(in: bytes, position..<bytes.count) ?? bytes.count
    } else {
      end = bytes.firstPosition(of: UInt8(ascii: "\n"), from: position) ?? bytes.count
    }
    offset = base + end
    return (base + position)..<offset
  }

  /// Reads a record.
  ///
  /// - Returns: the filler that has the object now.
  private mutating func read(
    _ range: Range<Int>, _ part: JSONLayout.Part, _ block: TextBlock
  ) throws(ImportError) -> ObjectFiller? {
    defer { element += 1 }
    let record: JSONRecord
    do throws(ImportError) {
      record = try parser.parse(block, range)
    } catch {
      var error = error
      error.pointer = pointer(part)
      throw error
    }
    do throws(ValueError) {
      let (position, token) = try object(record, part)
      let filler = fillers[position] ?? ObjectFiller(position, source.context)
      fillers[position] = filler
      try filler.append(record, token)
      starts[position].append(range.lowerBound)
      return filler
    } catch {
      throw source.file.error(error, in: record, prefix: pointer(part))
    }
  }

  /// The class and the token of the object in a record.
  private func object(
    _ record: JSONRecord, _ part: JSONLayout.Part
  ) throws(ValueError) -> (Int, Int) {
    switch part.kind {
    case .lines(let run), .elements(let run, _): return (source.runClasses[run], 0)
    case .wrappedLines: break
    }
    guard let name = record.member(0, "class"), let object = record.member(0, "object"),
      record.count(0) == 2
    else {
      throw ValueError(
        .structure(
          "a line has the form {\"class\":…,\"object\":…}, and only the last one the counts"),
        at: 0)
    }
    let position = try source.context.classPosition(record, name)
    guard source.schema.classes[position].kind != .embedded else {
      throw ValueError(
        .structure("objects of embedded classes stand in those that own them"), at: name)
    }
    return (position, object)
  }

  /// What stands in front of the pointer into the record at hand.
  private func pointer(_ part: JSONLayout.Part) -> String {
    guard case .elements(let run, _) = part.kind else { return "" }
    return "\(source.layout.runs[run].pointer ?? "")/\(element)"
  }
}

extension JSONLayout.Part {
  var isElements: Bool { if case .elements = kind { true } else { false } }
}

extension TextFile {
  /// The error of a record.
  ///
  /// - Parameter prefix: JSON pointer to the record.
  func error(_ error: ValueError, in record: JSONRecord, prefix: String = "") -> ImportError {
    var result = ImportError(
      error.kind, offset: record.offset(error.token), className: error.className,
      property: error.property)
    result.pointer = prefix + record.pointer(to: error.token)
    result.found = excerpt(at: record.offset(error.token))
    return result
  }
}

extension ByteSlice {
  /// The first position from `start` on that has `byte`; nil where none has.
  func firstPosition(of byte: UInt8, from start: Int) -> Int? {
    unsafe part(start..<count).withUnsafeBytes { bytes in
      unsafe bytes.firstIndex(of: byte).map { start + $0 }
    }
  }
}
