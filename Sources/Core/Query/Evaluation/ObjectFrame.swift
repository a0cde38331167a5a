import RealmModel
import RealmStorage

/// Some objects of one class, with the values read so far. Used by one thread.
final class ObjectFrame {
  /// Largest number of values to read for several objects together, and for one object.
  private static let elementLimit = 65_536
  static let elementLimitOfOne = 1 << 22

  let rows: PropertyReader.Rows
  /// Largest number of values to read for the objects together.
  let limit: Int
  private let reader: PropertyReader
  // By position; a query reads few. Nil for too many values, so that they are not read again.
  @exclusivity(unchecked)
  private var columns: [(position: Int, values: ColumnValues?)] = []
  @exclusivity(unchecked)
  private var backlinks: [(position: Int, links: PropertyReader.Backlinks?)] = []
  /// The properties whose integers were read but not kept.
  @exclusivity(unchecked)
  private var passed = RowMask.none
  private var counts: [Int]?

  /// - Parameter limit: the limit of the objects that link to these; nil for objects not reached by links.
  init(_ rows: PropertyReader.Rows, _ reader: PropertyReader, limit: Int? = nil) {
    (self.rows, self.reader) = (rows, reader)
    self.limit =
      limit
      ?? (rows.count == 1 ? ObjectFrame.elementLimitOfOne : ObjectFrame.elementLimit)
  }

  /// Decoded when first used: many conditions need no keys.
  private(set) lazy var keys: [ObjectKey] = rows.keys
  var table: Table { rows.table }

  /// The values of the property at `position`.
  ///
  /// - Throws: ``ObjectFrame/tooMany`` for too many elements.
  func column(_ position: Int) throws(RealmFileError) -> ColumnValues {
    let values: ColumnValues?
    if let known = unsafe columns.first(where: { $0.position == position }) {
      values = known.values
    } else {
      values = try reader.values(of: position, rows, elementLimit: limit)
      unsafe columns.append((position, values))
    }
    guard let values else { throw ObjectFrame.tooMany }
    return values
  }

  /// The integers of the property at `position`, which is no collection, and the value that means null, if
  /// there is one. They are not kept.
  ///
  /// - Returns: values that are readable until the next call. Nil if ``column(_:)`` must be used: for a part
  ///   of a cluster, or for a property that is used again.
  @unsafe
  func integers(
    _ position: Int
  ) throws(RealmFileError) -> (values: UnsafeBufferPointer<Int64>, null: Int64?)? {
    guard position < ObjectBatch.capacity, unsafe !passed[position] else { return nil }
    unsafe passed.insert(position)
    return try unsafe reader.integers(of: position, rows)
  }

  /// The links to the objects in the backlink column at `position` of the table.
  ///
  /// - Throws: ``ObjectFrame/tooMany`` for too many links.
  func backlinks(_ position: Int) throws(RealmFileError) -> PropertyReader.Backlinks {
    let links: PropertyReader.Backlinks?
    if let known = unsafe backlinks.first(where: { $0.position == position }) {
      links = known.links
    } else {
      links = try reader.backlinks(table.backlinkColumns[position], rows, limit: limit)
      unsafe backlinks.append((position, links))
    }
    guard let links else { throw ObjectFrame.tooMany }
    return links
  }

  /// The number of links to each object, from all classes.
  func linkCounts() throws(RealmFileError) -> [Int] {
    if let counts { return counts }
    var sums = Array(repeating: 0, count: rows.count)
    for column in table.backlinkColumns {
      for (row, count) in try reader.backlinkCounts(column, rows).enumerated() {
        sums[row] += count
      }
    }
    counts = sums
    return sums
  }

  /// Thrown if the objects together have more values than memory may hold. Evaluation continues with fewer
  /// objects at once; for a single object the error is final.
  static let tooMany = RealmFileError(
    .unsupported(
      "an object has more than \(elementLimitOfOne) values to read, the most for a query"))

  static func isTooMany(_ error: RealmFileError) -> Bool { error.kind == tooMany.kind }
}
