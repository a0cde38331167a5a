package import RealmModel
package import RealmStorage
import Synchronization

/// Counts the nulls, distinct values and bytes of every property, and finds the largest objects, values and
/// collections.
package final class ValueCensus: ObjectSink {
  package typealias Failure = RealmFileError
  package typealias Encoder = ValueCensusEncoder

  /// The counts of a property.
  package struct PropertyCount: Sendable {
    /// Objects, of embedded classes too.
    package var valueCount = 0
    package var nullCount = 0
    /// Elements of collections.
    package var elementCount = 0
    /// Bytes of the values themselves: strings and binaries with their length, other values
    /// with the size of their type.
    package var byteCount = 0
    /// Nil for collections, links, embedded objects and mixed values.
    package var distinct: DistinctCount?

    mutating func add(_ other: PropertyCount) {
      valueCount += other.valueCount
      nullCount += other.nullCount
      elementCount += other.elementCount
      byteCount += other.byteCount
      guard let counted = other.distinct else { return }
      if distinct == nil { distinct = counted } else { distinct?.add(counted) }
    }
  }

  /// The counts of all objects.
  package struct Report: Sendable {
    /// By position of the class, and of the property in it.
    package var properties: [Int: [PropertyCount]] = [:]
    package var objects: Largest
    package var values: Largest
    package var collections: Largest

    init(largest: Int) {
      objects = Largest(count: largest)
      values = Largest(count: largest)
      collections = Largest(count: largest)
    }

    mutating func add(_ other: Report) {
      for (position, counts) in other.properties {
        for (property, count) in counts.enumerated() {
          add(count, position, property, of: counts.count)
        }
      }
      objects.add(other.objects)
      values.add(other.values)
      collections.add(other.collections)
    }

    /// - Parameter count: number of properties of the class.
    mutating func add(_ found: PropertyCount, _ position: Int, _ property: Int, of count: Int) {
      properties[position, default: Array(repeating: PropertyCount(), count: count)][property]
        .add(found)
    }
  }

  private let largest: Int
  private let primaryKeys: Mutex<[Int?]> = Mutex([])
  private let report: Mutex<Report>

  /// - Parameter largest: how many of the largest objects, values and collections are listed.
  package init(largest: Int) {
    self.largest = largest
    report = Mutex(Report(largest: largest))
  }

  package func begin(_ schema: ObjectSchema, classes: [Int]) {
    primaryKeys.withLock { $0 = schema.classes.map(\.primaryKey) }
  }

  package func makeEncoder() -> ValueCensusEncoder {
    ValueCensusEncoder(primaryKeys: primaryKeys.withLock { $0 }, largest: largest)
  }

  package func accept(_ output: Report, of part: ObjectPart, isLast: Bool) {
    report.withLock { $0.add(output) }
  }

  package func finish() -> Report { report.withLock { $0 } }
}

/// Counts the values of the parts of one thread.
package struct ValueCensusEncoder: ObjectEncoder {
  package typealias Failure = RealmFileError
  package typealias Output = ValueCensus.Report

  /// The measures of the rows of a column.
  private struct Measure {
    /// Bytes of each row.
    var bytes: [Int]
    /// Elements of each row; empty for single values.
    var elements: [Int] = []
    var nullCount = 0
    var distinct: DistinctCount?
    /// Elements of the collection that is the value of each row of a mixed property, 0 for other values; empty if
    /// there are no such collections.
    var nested: [Int] = []
  }

  /// Bytes of a value of a fixed size, and of a link.
  private static let (wordByteCount, linkByteCount) = (8, 8)

  private let primaryKeys: [Int?]
  private let largest: Int
  private var output: Output

  init(primaryKeys: [Int?], largest: Int) {
    (self.primaryKeys, self.largest) = (primaryKeys, largest)
    output = Output(largest: largest)
  }

  package mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<Output, RealmFileError>) {
    output = Output(largest: largest)
  }

  package mutating func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    var totals = Array(repeating: 0, count: batch.count)
    for property in 0..<batch.propertyCount {
      guard let column = batch.columns[property] else { continue }
      let measure = try measure(column)
      add(measure, rows: batch.count, batch.classPosition, property, of: batch.propertyCount)
      for row in 0..<batch.count {
        totals[row] += measure.bytes[row]
        let nested = row < measure.nested.count ? measure.nested[row] : 0
        if nested > 0 {
          guard output.collections.isWanted(nested) else { continue }
          output.collections.add(try entry(batch, row, property, nested))
        } else if measure.elements.isEmpty {
          guard output.values.isWanted(measure.bytes[row]) else { continue }
          output.values.add(try entry(batch, row, property, measure.bytes[row]))
        } else if output.collections.isWanted(measure.elements[row]) {
          output.collections.add(try entry(batch, row, property, measure.elements[row]))
        }
      }
    }
    for row in 0..<batch.count where output.objects.isWanted(totals[row]) {
      output.objects.add(try entry(batch, row, nil, totals[row]))
    }
  }

  package mutating func end() -> Output { output }

  package static func weight(of output: Output) -> Int {
    let counts = output.properties.values.reduce(0) {
      $1.reduce($0) {
        $0 + MemoryLayout<ValueCensus.PropertyCount>.size + ($1.distinct?.byteCount ?? 0)
      }
    }
    return [output.objects, output.values, output.collections].reduce(counts) {
      $0 + $1.keptCount * MemoryLayout<Largest.Entry>.size
    }
  }

  private func entry(
    _ batch: ObjectBatch, _ row: Int, _ property: Int?, _ size: Int
  ) throws(RealmFileError) -> Largest.Entry {
    let primaryKey = primaryKeys[batch.classPosition]
    return Largest.Entry(
      classPosition: batch.classPosition, property: property,
      primaryKey: try primaryKey.map { (key) throws(RealmFileError) in
        try batch.value(ofProperty: key, row: row)
      } ?? .null,
      key: row < batch.keys.count ? batch.keys[row] : .null, size: size)
  }

  private mutating func add(
    _ measure: Measure, rows: Int, _ position: Int, _ property: Int, of count: Int
  ) {
    var found = ValueCensus.PropertyCount()
    (found.valueCount, found.nullCount) = (rows, measure.nullCount)
    found.elementCount = measure.elements.reduce(0, +)
    found.byteCount = measure.bytes.reduce(0, +)
    found.distinct = measure.distinct
    output.add(found, position, property, of: count)
  }

  // MARK: Columns

  private mutating func measure(_ column: ColumnValues) throws(RealmFileError) -> Measure {
    switch column {
    case .scalar(let column): return measure(column)
    case .link(let column):
      let bytes = (0..<column.count).map {
        column.nulls[$0] ? 0 : ValueCensusEncoder.linkByteCount
      }
      return Measure(bytes: bytes, nullCount: (0..<column.count).count { column.nulls[$0] })
    case .embedded(let column):
      let bytes = try measure(embedded: column.objects)
      return Measure(
        bytes: column.rows.map { $0 < 0 ? 0 : bytes[$0] },
        nullCount: column.rows.count { $0 < 0 })
    case .mixed(let column): return try measure(column)
    case .collection(let column): return try measure(column)
    }
  }

  private func measure(_ column: ScalarColumn) -> Measure {
    var distinct = DistinctCount()
    var nullCount = 0
    var bytes: [Int] = []
    bytes.reserveCapacity(column.count)
    func words<T>(_ values: [T], hash: (T) -> UInt64, isNull: (Int) -> Bool) {
      for (row, value) in values.enumerated() {
        if isNull(row) {
          nullCount += 1
          bytes.append(0)
        } else {
          distinct.add(hash(value))
          bytes.append(MemoryLayout<T>.size)
        }
      }
    }
    func slices(_ values: SliceColumn) {
      for value in values {
        guard let value else {
          nullCount += 1
          bytes.append(0)
          continue
        }
        distinct.add(value.contentHash)
        bytes.append(value.count)
      }
    }
    switch column {
    case .int(let values, let nulls):
      words(values, hash: { UInt64(bitPattern: $0) }, isNull: { nulls[$0] })
    case .bool(let values, let nulls):
      words(values, hash: { $0 ? 1 : 0 }, isNull: { nulls[$0] })
    case .float(let values, let nulls):
      words(values, hash: { UInt64($0.bitPattern) }, isNull: { nulls[$0] })
    case .double(let values, let nulls):
      words(values, hash: \.bitPattern, isNull: { nulls[$0] })
    case .decimal(let values):
      words(values, hash: { $0.low &+ mixed($0.high) }, isNull: { values[$0].isNull })
    case .timestamp(let seconds, let nanoseconds, let nulls):
      words(
        Array(zip(seconds, nanoseconds)),
        hash: { UInt64(bitPattern: $0.0) &+ mixed(UInt64(bitPattern: $0.1)) },
        isNull: { nulls[$0] })
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      slices(values)
    }
    return Measure(bytes: bytes, nullCount: nullCount, distinct: distinct)
  }

  /// Counts embedded objects like objects of a class.
  ///
  /// - Returns: the bytes of each.
  private mutating func measure(embedded batch: ObjectBatch) throws(RealmFileError) -> [Int] {
    var totals = Array(repeating: 0, count: batch.count)
    for property in 0..<batch.propertyCount {
      guard let column = batch.columns[property] else { continue }
      let measure = try measure(column)
      add(measure, rows: batch.count, batch.classPosition, property, of: batch.propertyCount)
      for row in 0..<batch.count { totals[row] += measure.bytes[row] }
    }
    return totals
  }

  private mutating func measure(_ column: MixedColumn) throws(RealmFileError) -> Measure {
    let lists = try column.lists.map { (lists) throws(RealmFileError) in try measure(lists) }
    let dictionaries = try column.dictionaries.map { (dictionaries) throws(RealmFileError) in
      try measure(dictionaries)
    }
    var (nullCount, nested) = (0, [Int]())
    if lists != nil || dictionaries != nil {
      nested = column.values.map { value in
        switch value {
        case .list(let i): lists?.elements[i] ?? 0
        case .dictionary(let i): dictionaries?.elements[i] ?? 0
        default: 0
        }
      }
    }
    let bytes = column.values.map { value in
      switch value {
      case .null:
        nullCount += 1
        return 0
      case .string(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes):
        return bytes.count
      case .decimal, .timestamp: return 2 * ValueCensusEncoder.wordByteCount
      case .bool: return 1
      case .int, .float, .double, .link: return ValueCensusEncoder.wordByteCount
      case .list(let i): return lists?.bytes[i] ?? 0
      case .dictionary(let i): return dictionaries?.bytes[i] ?? 0
      }
    }
    return Measure(bytes: bytes, nullCount: nullCount, nested: nested)
  }

  /// Sums the elements of each collection.
  private mutating func measure(_ column: CollectionColumn) throws(RealmFileError) -> Measure {
    if let runs = column.runs {
      var (bytes, elements) = (0, 0)
      while let run = try runs.next() {
        let measure = try measure(run)
        bytes += measure.bytes.reduce(0, +)
        elements += measure.elements.reduce(0, +)
      }
      return Measure(bytes: [bytes], elements: [elements])
    }
    let values = try measure(column.elements).bytes
    let keys = column.keys.map { measure($0).bytes }
    var (bytes, elements): ([Int], [Int]) = ([], [])
    var start = 0
    for end in column.ends {
      var sum = 0
      for i in start..<end { sum += values[i] + (keys?[i] ?? 0) }
      bytes.append(sum)
      elements.append(end - start)
      start = end
    }
    return Measure(bytes: bytes, elements: elements)
  }
}
