import RealmModel
import RealmStorage

/// The places of the objects in a JSON or CSV input, found before any object is read.
struct JSONLayout {
  /// A part of the input for one thread.
  struct Part {
    /// How the records follow one another.
    enum Kind {
      /// One record per line, with its class: `{"class":…,"object":…}`.
      case wrappedLines
      /// One object per line; all objects belong to the class of this run.
      case lines(run: Int)
      /// Elements of an array; `first` is the number of the first one.
      case elements(run: Int, first: Int)
      /// Rows of CSV.
      case rows(run: Int)
      /// One change per line, with its class: `{"class":…,"old":…,"new":…}`. The records are one side of it.
      case changes(PatchInput.Side)
    }

    let kind: Kind
    /// The place of the part in the file.
    let range: Range<Int>
  }

  /// The objects of one class in the input.
  struct Run {
    /// Name of the class; nil if the input does not name it.
    let name: Name?
    /// JSON pointer to the array; nil for lines and rows.
    let pointer: String?
  }

  /// The form of the input.
  enum Form {
    case realmDocument(head: Range<Int>, schema: Range<Int>)
    case realmLines(head: Range<Int>, counts: Range<Int>)
    case patchLines(head: Range<Int>, counts: Range<Int>)
    case plain
  }

  let form: Form
  var parts: [Part] = []
  var runs: [Run] = []
  /// Number of objects if counting costs nothing; otherwise 0.
  var objectCount = 0

  /// The size in bytes of a part that begins at `start`: large enough that the last cluster of a part, which is rarely full,
  /// does not matter, and less towards the end of a large file, so that no thread has to wait long for the last part.
  static func partByteCount(_ file: ImportFile, from start: Int) -> Int {
    let usual = file.steps.partByteCount
    guard file.range.count > 4 * usual else { return usual }
    return min(usual, max(usual / 4, (file.range.upperBound - start) / 4))
  }

  /// Largest size in bytes of a first line that is read as one record.
  private static let firstLineLimit = 64 << 20

  /// Finds the layout of `file`.
  ///
  /// - Parameter isLines: whether the input is known to have one plain object per line; such an input may
  ///   be empty.
  /// - Throws: `empty`, `notJSON`, `truncated`, `structure`, `tooLarge`.
  init(of file: ImportFile, isLines: Bool = false) throws(ImportError) {
    var walk = try JSONDocumentWalk(file, from: file.range.lowerBound)
    guard let first = try walk.next() else {
      guard isLines else { throw ImportError(.empty) }
      self.init(plain: [Run(name: nil, pointer: nil)])
      return
    }
    if first == UInt8(ascii: "[") {
      self = try JSONLayout(arrayIn: file, &walk)
      return
    }
    guard first == UInt8(ascii: "{") else {
      throw ImportError(
        .structure("JSON begins with { or [; CSV needs the extension .csv or a named format"),
        offset: walk.offset)
    }
    let start = walk.offset
    let end = try JSONLayout.lineEnd(file, from: start)
    if end - start <= JSONLayout.firstLineLimit {
      let block = try file.block(start..<end)
      var scan = JSONScan()
      if scan.end(in: block, from: start) != nil {
        let record = try JSONParser().parse(block, block.range)
        let isRealm = JSONLayout.isRealm(record, format: "realm-json")
        if JSONLayout.isRealm(record, format: PatchHead.format) {
          self = try JSONLayout(patchIn: file, head: start..<end)
          return
        }
        if isRealm, record.member(0, "objects") == nil {
          self = try JSONLayout(realmLinesIn: file, head: start..<end)
          return
        }
        let isAll = try JSONLayout.firstText(file, from: end) == nil
        // A single line is a document with an array for each class, or one object.
        let isDocument =
          isAll && !isLines && record.names(0).allSatisfy { record.kind($0 + 1) == .array }
        if !isRealm, !isDocument {
          try self.init(linesIn: file, from: start)
          return
        }
      } else if isLines, try JSONLayout.firstText(file, from: start + 1).map({ $0 < end }) ?? true {
        // The line is truncated or invalid. If it is only a bracket, the first object spans several
        // lines.
        try self.init(linesIn: file, from: start)
        return
      }
    }
    do throws(ImportError) {
      self = try JSONLayout(objectIn: file, &walk)
    } catch {
      guard let second = JSONLayout.secondDocument(in: file, from: start) else { throw error }
      throw ImportError(
        .structure(
          "found a second object after one of several lines, expected an array of objects or one "
            + "object per line (mongoexport: --jsonArray, or no --pretty)"),
        offset: second)
    }
  }

  private init(form: Form) { self.form = form }

  /// The layout of an input without a schema; the parts are added later.
  init(plain runs: [Run]) { (form, self.runs) = (.plain, runs) }

  // MARK: Lines

  private init(linesIn file: ImportFile, from start: Int) throws(ImportError) {
    self.init(plain: [Run(name: nil, pointer: nil)])
    try appendLines(file, start..<file.range.upperBound, .lines(run: 0))
  }

  /// The end of the line that contains `offset`.
  private static func lineEnd(_ file: ImportFile, from offset: Int) throws(ImportError) -> Int {
    try file.search(from: offset) { block in
      block.firstOffset(of: UInt8(ascii: "\n"), from: block.range.lowerBound)
    } ?? file.range.upperBound
  }

  /// The first position at or after `offset` that is not white space.
  private static func firstText(_ file: ImportFile, from offset: Int) throws(ImportError) -> Int? {
    try file.search(from: offset) { block in
      block.range.first { !JSONScan.isSpace(block[$0]) }
    }
  }

  private init(realmLinesIn file: ImportFile, head: Range<Int>) throws(ImportError) {
    let counts = try JSONLayout.lastLine(file, from: head.upperBound)
    self.init(form: .realmLines(head: head, counts: counts))
    try appendLines(file, head.upperBound..<counts.lowerBound, .wrappedLines)
  }

  private init(patchIn file: ImportFile, head: Range<Int>) throws(ImportError) {
    let counts = try JSONLayout.lastLine(file, from: head.upperBound)
    self.init(form: .patchLines(head: head, counts: counts))
    try appendLines(file, head.upperBound..<counts.lowerBound, .changes(.new))
  }

  /// The last line of a file in lines, which has a member `counts`.
  ///
  /// - Throws: `truncated` for any other line.
  static func countsRecord(
    _ file: ImportFile, _ range: Range<Int>, _ parser: JSONParser
  ) throws(ImportError) -> JSONRecord {
    let block = try file.block(range)
    let missing = ImportError(
      .truncated("the last line, with the counts, is missing"), offset: file.range.upperBound)
    let record: JSONRecord
    do throws(ImportError) {
      record = try parser.parse(block, range)
    } catch {
      // The last line of a truncated file is incomplete.
      throw missing
    }
    guard record.member(0, "counts") != nil, record.count(0) == 1 else { throw missing }
    return record
  }

  /// The last line after `start` that is not blank.
  private static func lastLine(_ file: ImportFile, from start: Int) throws(ImportError) -> Range<
    Int
  > {
    var end = file.range.upperBound
    var begin = end
    var isOpen = false
    while begin > start {
      let block = try file.block(max(start, begin - file.steps.blockByteCount)..<begin)
      for offset in block.range.reversed() {
        if !isOpen, JSONScan.isSpace(block[offset]) {
          end = offset
        } else if block[offset] == UInt8(ascii: "\n") {
          return (offset + 1)..<end
        } else {
          isOpen = true
        }
      }
      begin = block.range.lowerBound
      guard end - begin <= JSONParser.byteLimit else { break }
    }
    throw ImportError(
      .truncated("the last line, with the counts, is missing"), offset: file.range.upperBound)
  }

  private mutating func appendLines(
    _ file: ImportFile, _ range: Range<Int>, _ kind: Part.Kind
  ) throws(ImportError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let cut = start + JSONLayout.partByteCount(file, from: start)
      let end =
        cut >= range.upperBound
        ? range.upperBound : min(try JSONLayout.lineEnd(file, from: cut) + 1, range.upperBound)
      guard end - cut <= JSONParser.byteLimit else {
        throw ImportError(.tooLarge(JSONParser.byteLimitText), offset: cut)
      }
      parts.append(Part(kind: kind, range: start..<end))
      start = end
    }
  }

  // MARK: Documents

  private init(arrayIn file: ImportFile, _ walk: inout JSONDocumentWalk) throws(ImportError) {
    self.init(plain: [])
    try appendElements(file, Run(name: nil, pointer: ""), &walk)
    try JSONLayout.expectEnd(&walk)
  }

  /// Reads the layout of a Realm JSON document, or of a document that maps class names to arrays.
  private init(objectIn file: ImportFile, _ walk: inout JSONDocumentWalk) throws(ImportError) {
    var layout = JSONLayout(form: .plain)
    var (isFirst, isRealm, hasObjects) = (true, false, false)
    var (head, schema): (Range<Int>?, Range<Int>?)
    try walk.members { (walk, range) throws(ImportError) in
      let name = try JSONLayout.name(file, range)
      // An array holds the objects of the class with this name.
      let start = try walk.next()
      if isFirst { isRealm = name.text == "realm" && start == UInt8(ascii: "{") }
      isFirst = false
      switch name.text {
      case _ where !isRealm:
        try layout.appendArray(file, name, "", &walk)
      case "realm" where head == nil: head = try walk.value()
      case "schema" where schema == nil: schema = try walk.value()
      case "objects" where !hasObjects:
        hasObjects = true
        try walk.members { (walk, range) throws(ImportError) in
          try layout.appendArray(
            file, try JSONLayout.name(file, range), "/objects", &walk)
        }
      default:
        throw ImportError(
          .structure("the member \(name) is unknown, or occurs twice"), offset: range.lowerBound)
      }
    }
    try JSONLayout.expectEnd(&walk)
    if isRealm {
      guard let head, let schema, hasObjects else {
        throw ImportError(.structure("the document has no schema or no objects"))
      }
      self.init(form: .realmDocument(head: head, schema: schema))
    } else {
      self.init(form: .plain)
    }
    (parts, runs, objectCount) = (layout.parts, layout.runs, layout.objectCount)
  }

  private static func expectEnd(_ walk: inout JSONDocumentWalk) throws(ImportError) {
    guard try walk.next() == nil else {
      throw ImportError(.notJSON("found more after the end of the document"), offset: walk.offset)
    }
  }

  private mutating func appendArray(
    _ file: ImportFile, _ name: Name, _ pointer: String, _ walk: inout JSONDocumentWalk
  ) throws(ImportError) {
    guard try walk.next() == UInt8(ascii: "[") else {
      throw ImportError(
        .structure("expected an array with the objects of class \(name)"), offset: walk.offset)
    }
    let pointer = "\(pointer)/\(name.text.pointerEscaped)"
    try appendElements(file, Run(name: name, pointer: pointer), &walk)
  }

  private mutating func appendElements(
    _ file: ImportFile, _ run: Run, _ walk: inout JSONDocumentWalk
  ) throws(ImportError) {
    let number = runs.count
    runs.append(run)
    var (start, first, count): (Int?, Int, Int) = (nil, 0, 0)
    var end = walk.offset
    var added: [Part] = []
    func close() {
      guard let begin = start else { return }
      added.append(Part(kind: .elements(run: number, first: first), range: begin..<end))
      (start, first) = (nil, count)
    }
    try walk.elements { (range) throws(ImportError) in
      if start == nil { start = range.lowerBound }
      end = range.upperBound
      count += 1
      if let begin = start, end - begin >= JSONLayout.partByteCount(file, from: begin) { close() }
    }
    close()
    parts += added
    objectCount += count
  }

  /// The name in a JSON string of the file.
  static func name(_ file: ImportFile, _ range: Range<Int>) throws(ImportError) -> Name {
    guard range.count <= JSONLayout.firstLineLimit else {
      throw ImportError(
        .tooLarge("the name of a member has \(range.count) bytes"), offset: range.lowerBound)
    }
    // The parser accepts only arrays and objects, so the string goes into an array.
    let block = TextBlock((range.lowerBound - 1)..<(range.upperBound + 1))
    block.fill(
      [UInt8(ascii: "[")] + (try file.block(range)).copy + [UInt8(ascii: "]")])
    let record = try JSONParser().parse(block, block.range)
    guard let name = RealmJSONSchema.name(ofMember: record.bytes(1).bytes) else {
      throw ImportError(
        .invalidValue(expected: "base64 after \(RealmJSONSchema.base64Prefix)"),
        offset: range.lowerBound)
    }
    return name
  }

  // MARK: Recognition

  /// Whether the first member of an object is the head of a text of this format.
  private static func isRealm(_ record: JSONRecord, format: String) -> Bool {
    guard record.count(0) > 0, record.isText(1, "realm"), let stated = record.member(2, "format")
    else { return false }
    return record.kind(stated) == .string && record.isText(stated, Array(format.utf8))
  }

  /// The offset of the second object if several objects follow one another from `start`; otherwise nil.
  private static func secondDocument(in file: ImportFile, from start: Int) -> Int? {
    do throws(ImportError) {
      var walk = try JSONDocumentWalk(file, from: start)
      _ = try walk.value()
      return try walk.next() == UInt8(ascii: "{") ? walk.offset : nil
    } catch {
      // The first object has no end; the caller reports it.
      return nil
    }
  }

  // MARK: CSV

  /// Finds the rows of CSV after the header.
  ///
  /// - Throws: `structure` for quotes in the wrong place, `truncated`, `tooLarge`.
  init(rowsOf file: ImportFile, behind header: CSVHeader) throws(ImportError) {
    self.init(plain: [Run(name: nil, pointer: nil)])
    var part = header.end..<header.end
    var (count, parts): (Int, [Part]) = (0, [])
    try file.forEachRow(
      from: header.end, limit: (JSONParser.byteLimit, JSONParser.byteLimitText)
    ) { row, isBlank in
      if !isBlank { count += 1 }
      part = part.lowerBound..<row.upperBound
      if part.count >= JSONLayout.partByteCount(file, from: part.lowerBound) {
        parts.append(Part(kind: .rows(run: 0), range: part))
        part = row.upperBound..<row.upperBound
      }
      return true
    }
    if !part.isEmpty { parts.append(Part(kind: .rows(run: 0), range: part)) }
    (self.parts, objectCount) = (parts, count)
  }
}
