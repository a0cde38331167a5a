import RealmModel
import RealmStorage

/// Some of the parts of a realm's objects.
struct SomeParts: ObjectSource {
  typealias Failure = RealmFileError

  private let source: RealmSource
  private let some: [ObjectPart]

  /// - Parameter parts: parts of `source`.
  init(_ source: RealmSource, _ parts: [ObjectPart]) { (self.source, some) = (source, parts) }

  var schema: ObjectSchema { source.schema }
  var classes: [Int] { source.classes }
  /// The number of objects in all parts of the source.
  var objectCount: Int { source.objectCount }

  func parts() -> [ObjectPart] { some }

  func makeCursor() throws(RealmFileError) -> RealmCursor { try source.makeCursor() }

  func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    try source.accept(report, of: part)
  }
}
