import RealmModel
import RealmStorage

/// Writes objects as text, in one style, from the batches of their cluster. Belongs to one thread.
final class ObjectWriter<Style: TextStyle> {
  let reader: RealmReader
  let style: Style
  /// Members left out because a set of an old format held them twice.
  var droppedDuplicates = 0
  private var plans: [TableKey: TablePlan] = [:]
  /// The embedded clusters that were used last, by ref: owners that follow one another nearly always
  /// own objects of a few clusters. Emptied with every scope.
  var embedded: [Ref: DecodedCluster] = [:]
  /// The rows of embedded clusters that were written, a bit each, by the ref of the cluster.
  var written: [Ref: SIMD4<UInt64>] = [:]
  /// How many embedded objects and nested collections are open around what is written.
  var depth = 0
  /// Takes text that has become long, while a cluster is written.
  var drain: ((inout TextBuffer) throws(RealmFileError) -> Void)?

  init(reader: RealmReader, style: Style) {
    self.reader = reader
    self.style = style
  }

  /// What a table's columns need for every object, made once.
  final class TablePlan {
    let table: Table
    /// For each column `"name":`, all but the first with a comma in front.
    let names: [[UInt8]]
    /// Targets of link columns.
    let targets: [LinkTarget?]

    init(_ table: Table, names: [[UInt8]], targets: [LinkTarget?]) {
      (self.table, self.names, self.targets) = (table, names, targets)
    }
  }

  /// A table that links lead to.
  struct LinkTarget {
    let table: Table
    /// Nil where its class has none.
    let primaryKeys: PrimaryKeys?
  }

  final class DecodedCluster {
    let cluster: Cluster
    let batches: [ColumnBatch]

    init(_ cluster: Cluster, _ batches: [ColumnBatch]) {
      (self.cluster, self.batches) = (cluster, batches)
    }
  }

  /// Appends the objects of the cluster at `position`.
  ///
  /// - Parameters:
  ///   - prepared: scratch for the text of columns.
  ///   - begin: called before each object, to append what stands in front of it.
  ///   - end: called after each object.
  ///   - drain: called inside long lists, where the text may be emptied.
  /// - Returns: the number of objects.
  /// - Throws: `damaged`, with class, property and object key as far as they are known, or what the
  ///   callbacks throw.
  func write(
    _ position: ClusterPosition, of table: Table, using prepared: inout PreparedColumns,
    into text: inout TextBuffer,
    begin: (inout TextBuffer) throws(RealmFileError) -> Void,
    end: (inout TextBuffer) throws(RealmFileError) -> Void,
    drain: @escaping (inout TextBuffer) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Int {
    let mark = reader.nodes.mark()
    defer {
      self.drain = nil
      embedded.removeAll(keepingCapacity: true)
      reader.nodes.release(to: mark)
    }
    do throws(RealmFileError) {
      return try reader.nodes.traversing { () throws(RealmFileError) in
        let plan = plan(table)
        let decoded = try decode(try reader.cluster(position), plan)
        prepared.removeAll()
        for column in 0..<decoded.batches.count {
          try prepare(column, of: decoded, plan, into: &prepared)
        }
        self.drain = drain
        let cluster = decoded.cluster
        let columnCount = decoded.batches.count
        for row in 0..<cluster.count {
          try begin(&text)
          let needsComma = style.appendObjectStart(table, key: cluster.key(at: row), to: &text)
          if needsComma && columnCount > 0 { text.append(UInt8(ascii: ",")) }
          for column in 0..<columnCount where !prepared.append(row, of: column, to: &text) {
            try write(row, of: decoded, plan, column, into: &text)
          }
          text.append(UInt8(ascii: "}"))
          try end(&text)
        }
        return cluster.count
      }
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  func plan(_ table: Table) -> TablePlan {
    if let plan = plans[table.key] { return plan }
    var names: [[UInt8]] = []
    var targets: [LinkTarget?] = []
    for column in table.columns {
      names.append((names.isEmpty ? [] : [UInt8(ascii: ",")]) + style.memberName(column.name))
      targets.append(column.target.flatMap { reader.realm.schema.table($0) }.map(target))
    }
    let plan = TablePlan(table, names: names, targets: targets)
    plans[table.key] = plan
    return plan
  }

  func target(_ table: Table) -> LinkTarget {
    LinkTarget(table: table, primaryKeys: reader.primaryKeys(of: table))
  }

  func decode(
    _ cluster: Cluster, _ plan: TablePlan
  ) throws(RealmFileError) -> DecodedCluster {
    var batches: [ColumnBatch] = []
    batches.reserveCapacity(plan.table.columns.count)
    for column in plan.table.columns { batches.append(try reader.batch(column, of: cluster)) }
    return DecodedCluster(cluster, batches)
  }

  /// An embedded object.
  func write(
    _ row: Int, of decoded: DecodedCluster, _ plan: TablePlan, into text: inout TextBuffer
  ) throws(RealmFileError) {
    let needsComma = style.appendObjectStart(
      plan.table, key: decoded.cluster.key(at: row), to: &text)
    if needsComma && !decoded.batches.isEmpty { text.append(UInt8(ascii: ",")) }
    for column in 0..<decoded.batches.count {
      try write(row, of: decoded, plan, column, into: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// A property with its name.
  private func write(
    _ row: Int, of decoded: DecodedCluster, _ plan: TablePlan, _ column: Int,
    into text: inout TextBuffer
  ) throws(RealmFileError) {
    text.append(bytes: plan.names[column])
    do throws(RealmFileError) {
      switch decoded.batches[column] {
      case .link(let keys):
        try write(link: keys[row], to: plan.targets[column], isTyped: false, into: &text)
      case .collection(let roots):
        try write(
          collection: plan.table.columns[column], root: roots[row], target: plan.targets[column],
          into: &text)
      case .mixed(let values):
        try write(value: values[row], into: &text)
      case let batch:
        write(plain: batch.value(at: row), into: &text)
      }
    } catch {
      throw place(error, row, of: decoded, plan, column)
    }
  }

  /// `error`, where it happened.
  func place(
    _ error: RealmFileError, _ row: Int, of decoded: DecodedCluster, _ plan: TablePlan,
    _ column: Int
  ) -> RealmFileError {
    error.adding(
      property: plan.table.columns[column].name.text, objectKey: decoded.cluster.key(at: row).raw)
  }
}
