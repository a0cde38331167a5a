import RealmStorage

/// The values of an indexed column for all live objects, by row: 33 bytes an object,
/// keys included.
struct IndexedColumn {
  /// A row a live object, in key order.
  private var rows = ObjectRows()
  /// Rows whose value cannot be read.
  private(set) var unread = Bits()
  /// Objects whose cluster cannot be read: no row is theirs.
  private(set) var isComplete = true
  /// The first reason why something cannot be read.
  private(set) var failure: RealmFileError?
  private var data: [IndexData] = []
  /// For a mixed column, whose values can differ where the index bytes do not.
  private var mixed: [MixedValue] = []

  /// Reads the column. A traversal of `reader`; what it refers to stays open until the caller's
  /// scope is released.
  init(_ column: Column, of table: Table, reader: RealmReader) throws(RealmFileError) {
    for position in try reader.clusters(of: table) {
      let start = rows.count
      let cluster: Cluster
      do throws(RealmFileError) {
        cluster = try reader.cluster(position)
      } catch {
        isComplete = false
        failure = error.first(of: failure)
        continue
      }
      // An index has some bytes for each object; clusters that are all one node could be any number.
      guard start <= reader.mostDistinctValues else {
        throw .damaged(.storageNodeOverlap, at: position.ref)
      }
      for row in 0..<cluster.count { rows.append(cluster.key(at: row)) }
      do throws(RealmFileError) {
        append(try reader.batch(column, of: cluster))
      } catch {
        failure = error.first(of: failure)
        for row in start..<rows.count { unread.insert(row) }
        appendNulls(rows.count - start, isMixed: column.type == .mixed)
      }
    }
    rows.finish()
  }

  /// True for a mixed column, whose values can differ where the index bytes do not.
  var isMixed: Bool { data.isEmpty }

  /// Number of live objects.
  var rowCount: Int { rows.count }

  private mutating func append(_ batch: ColumnBatch) {
    if case .mixed(let values) = batch {
      mixed += values
    } else {
      data += IndexData.of(batch)
    }
  }

  private mutating func appendNulls(_ count: Int, isMixed: Bool) {
    if isMixed {
      mixed += Array(repeating: .null, count: count)
    } else {
      data += Array(repeating: .null, count: count)
    }
  }

  /// The row of the object with `key`, nil where no live object has it.
  @inline(__always)
  func row(of key: ObjectKey) -> Int? { rows.row(of: key) }

  /// The key of the object in `row`, which must be below ``rowCount``.
  func key(at row: Int) -> ObjectKey { rows.key(at: row) }

  /// The index bytes of the value in `row`.
  @inline(__always)
  func data(at row: Int) -> IndexData {
    isMixed ? IndexData(mixed[row]) : data[row]
  }

  /// -1, 0 or 1: the order of the values of two rows (chapter 2, section 6.3).
  func order(_ a: Int, _ b: Int) -> Int {
    guard isMixed else { return IndexData.order(data[a], data[b]) }
    return SetOrder.compare(mixed[a], mixed[b])
  }

  /// True where the value in `row` is a mixed null.
  func isMixedNull(_ row: Int) -> Bool {
    guard isMixed, case .null = mixed[row] else { return false }
    return true
  }
}

/// A set of small numbers, a bit each.
struct Bits {
  private var words: [UInt64] = []

  /// True where `number` is in the set.
  @inline(__always)
  func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] >> UInt64(number & 63) & 1 != 0
  }

  /// - Returns: false where it was there before.
  @discardableResult
  @inline(__always)
  mutating func insert(_ number: Int) -> Bool {
    if number >> 6 >= words.count {
      words += Array(repeating: 0, count: (number >> 6) + 1 - words.count)
    }
    let bit: UInt64 = 1 << UInt64(number & 63)
    guard words[number >> 6] & bit == 0 else { return false }
    words[number >> 6] |= bit
    return true
  }
}
