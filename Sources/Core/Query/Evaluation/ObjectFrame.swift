import RealmModel
import RealmStorage

/// Some objects of one class, with the properties that were read so far. Belongs to one thread.
final class ObjectFrame {
  /// The most elements that the collections of several objects have together, and those of one object.
  private static let elementLimit = 65_536
  static let elementLimitOfOne = 1 << 22

  let rows: PropertyReader.Rows
  private let reader: PropertyReader
  private var columns: [Int: ColumnValues] = [:]

  init(_ rows: PropertyReader.Rows, _ reader: PropertyReader) {
    (self.rows, self.reader) = (rows, reader)
  }

  var keys: [ObjectKey] { rows.keys }
  var table: Table { rows.table }

  /// The most values that may be read for the objects together.
  var limit: Int {
    rows.keys.count == 1 ? ObjectFrame.elementLimitOfOne : ObjectFrame.elementLimit
  }

  /// The values of the property at `position`.
  ///
  /// - Throws: ``ObjectFrame/tooMany`` for too many elements.
  func column(_ position: Int) throws(RealmFileError) -> ColumnValues {
    if let known = columns[position] { return known }
    guard let values = try reader.values(of: position, rows, elementLimit: limit) else {
      throw ObjectFrame.tooMany
    }
    columns[position] = values
    return values
  }

  /// Thrown if the objects together have more values than may be in memory. Evaluation continues with
  /// fewer objects at once; for a single object the error is final.
  static let tooMany = RealmFileError(
    .unsupported(
      "an object leads to more than \(elementLimitOfOne) values, which is the most a query reads"))

  static func isTooMany(_ error: RealmFileError) -> Bool { error.kind == tooMany.kind }
}
