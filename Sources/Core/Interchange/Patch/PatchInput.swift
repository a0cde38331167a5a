package import RealmModel
import RealmStorage

/// A patch, opened for reading: its head, its counts, and the objects before and after the changes (docs/patch.md).
package struct PatchInput: Sendable {
  /// The objects before or after the changes.
  package enum Side: Sendable { case old, new }

  /// The numbers of changes of a class, from the last line.
  package struct Counts: Sendable {
    package var (added, removed, changed) = (0, 0, 0)

    package init() {}

    package var isZero: Bool { added == 0 && removed == 0 && changed == 0 }

    /// Number of objects of a side.
    fileprivate func objects(_ side: Side) -> Int {
      changed.saturatingSum(side == .old ? removed : added)
    }
  }

  package let head: PatchHead
  /// The numbers of changes, by position of the class in the schema of the head.
  package let counts: [Int: Counts]
  private let file: ImportFile
  private let layout: JSONLayout

  /// - Parameters:
  ///   - path: the file of the patch; `-` for standard input, which is read once.
  ///   - steps: how much of the file is in memory at a time.
  /// - Throws: `notAPatch`, `patch`, `truncated`, `schema`; errors of the input as a whole.
  package init(path: String, steps: ImportSteps = ImportSteps()) throws(ImportError) {
    try self.init(try ImportFile(path: path, steps: steps))
  }

  /// A patch in memory.
  ///
  /// - Parameter name: stands for the path in errors.
  /// - Throws: same as ``init(path:steps:)``.
  package init(text: [UInt8], name: String) throws(ImportError) {
    try self.init(ImportFile(text: text, name: name))
  }

  private init(_ file: ImportFile) throws(ImportError) {
    do throws(ImportError) {
      let layout = try PatchInput.layout(of: file)
      guard case .patchLines(let headRange, let countsRange) = layout.form else {
        throw ImportError(.notAPatch)
      }
      let parser = JSONParser()
      let record = try parser.parse(try file.block(headRange), headRange)
      let head: PatchHead
      do throws(ValueError) {
        head = try PatchHead(record)
      } catch {
        throw file.error(error, in: record)
      }
      counts = try PatchInput.counts(file, countsRange, parser, head.schema)
      (self.head, self.file, self.layout) = (head, file, layout)
    } catch {
      throw file.located(error)
    }
  }

  /// The path of the file for messages.
  package var path: String { file.path }

  /// The objects of a side as a source. Each has the properties that change, or all properties if the object is added
  /// or removed.
  ///
  /// - Parameter schema: the schema of the realm that receives the changes.
  /// - Throws: `unknownClass`.
  package func source(
    _ side: Side, for schema: ObjectSchema
  ) throws(ImportError) -> TextSource {
    var options = ImportOptions()
    options.isStaged = true
    let context = FillContext(schema, options)
    var stated: [Int: Int] = [:]
    for (position, counts) in counts {
      let name = head.schema.classes[position].name
      guard let own = context.classPosition(named: name.bytes) else {
        guard counts.objects(side) > 0 else { continue }
        throw ImportError(.unknownClass(name.text), path: path)
      }
      stated[own] = counts.objects(side)
    }
    var layout = layout
    layout.parts = layout.parts.map { JSONLayout.Part(kind: .changes(side), range: $0.range) }
    return TextSource([SourceInput(file, layout)], context, stated: stated)
  }

  /// The error with the path of the patch.
  package func error(_ kind: ImportError.Kind, className: String? = nil) -> ImportError {
    ImportError(kind, path: path, className: className)
  }

  private static func layout(of file: ImportFile) throws(ImportError) -> JSONLayout {
    do throws(ImportError) {
      return try JSONLayout(of: file)
    } catch {
      // The error says what objects look like.
      if case .structure = error.kind { throw ImportError(.notAPatch) }
      throw error
    }
  }

  private static func counts(
    _ file: ImportFile, _ range: Range<Int>, _ parser: JSONParser, _ schema: ObjectSchema
  ) throws(ImportError) -> [Int: Counts] {
    let record = try JSONLayout.countsRecord(file, range, parser)
    let positions = Dictionary(
      schema.topLevelClasses.map { (schema.classes[$0].name, $0) }, uniquingKeysWith: { a, _ in a })
    var counts: [Int: Counts] = [:]
    do throws(ValueError) {
      guard let list = record.member(0, "counts") else { return [:] }
      for token in record.names(list) {
        guard let name = RealmJSONSchema.name(ofMember: record.bytes(token).bytes),
          let position = positions[name]
        else { throw ValueError(.unknownClass(record.bytes(token).text), at: token) }
        guard counts.updateValue(try numbers(record, token + 1), forKey: position) == nil else {
          throw ValueError(.duplicateMember(name.text), at: token)
        }
      }
    } catch {
      throw file.error(error, in: record)
    }
    return counts
  }

  private static func numbers(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Counts {
    guard let added = record.member(i, "added"), let removed = record.member(i, "removed"),
      let changed = record.member(i, "changed"), record.count(i) == 3
    else {
      throw ValueError(.patch("expected the numbers added, removed and changed"), at: i)
    }
    var counts = Counts()
    (counts.added, counts.removed) = (
      try record.objectCount(added), try record.objectCount(removed)
    )
    counts.changed = try record.objectCount(changed)
    return counts
  }
}
