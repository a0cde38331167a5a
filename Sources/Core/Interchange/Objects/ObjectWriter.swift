import RealmModel
import RealmStorage

/// Writes objects as text, in one style, from the batches of their cluster. Belongs to one thread.
final class ObjectWriter<Style: TextStyle> {
  /// Deepest chain of embedded objects or nested collections that is followed. The reference allows
  /// 100 levels of nesting (chapter 2, section 6.6); classes that embed themselves are deep by data.
  private var depthLimit: Int { 200 }

  let reader: RealmReader
  let style: Style
  /// Members left out because a set of an old format held them twice.
  var droppedDuplicates = 0
  private var plans: [TableKey: TablePlan] = [:]
  /// The embedded clusters that were used last, by ref: owners that follow one another nearly always
  /// own objects of a few clusters. Emptied with every scope.
  var embedded: [Ref: DecodedCluster] = [:]
  /// Clusters that are kept at one time.
  private var embeddedLimit: Int { 64 }
  /// The rows of embedded clusters that were written, a bit each, by the ref of the cluster.
  private var written: [Ref: SIMD4<UInt64>] = [:]
  private var depth = 0
  /// Takes text that has become long, while a cluster is written.
  var drain: ((inout TextBuffer) throws(RealmFileError) -> Void)?

  init(reader: RealmReader, style: Style) {
    self.reader = reader
    self.style = style
  }

  /// What a table's columns need for every object, made once.
  private final class TablePlan {
    let table: Table
    /// `"name":` for each column.
    let names: [[UInt8]]
    /// Target tables of link columns.
    let targets: [Table?]

    init(_ table: Table, names: [[UInt8]], targets: [Table?]) {
      (self.table, self.names, self.targets) = (table, names, targets)
    }
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
  ///   - prepared: scratch for the text of plain columns.
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
    let plan = plan(table)
    let mark = reader.nodes.mark()
    self.drain = drain
    defer {
      self.drain = nil
      embedded.removeAll(keepingCapacity: true)
      reader.nodes.release(to: mark)
    }
    do throws(RealmFileError) {
      let decoded = try decode(try reader.cluster(position), plan)
      prepared.removeAll()
      for column in 0..<decoded.batches.count {
        prepare(decoded.batches[column], plan.names[column], into: &prepared)
      }
      let cluster = decoded.cluster
      let columnCount = decoded.batches.count
      for row in 0..<cluster.count {
        try begin(&text)
        var needsComma = style.appendObjectStart(table, key: cluster.key(at: row), to: &text)
        for column in 0..<columnCount {
          if needsComma { text.append(UInt8(ascii: ",")) }
          needsComma = true
          if !prepared.append(row, of: column, to: &text) {
            try write(row, of: decoded, plan, column, into: &text)
          }
        }
        text.append(UInt8(ascii: "}"))
        try end(&text)
      }
      return cluster.count
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  private func plan(_ table: Table) -> TablePlan {
    if let plan = plans[table.key] { return plan }
    let plan = TablePlan(
      table, names: table.columns.map { style.memberName($0.name) },
      targets: table.columns.map { $0.target.flatMap { reader.realm.schema.table($0) } })
    plans[table.key] = plan
    return plan
  }

  private func decode(
    _ cluster: Cluster, _ plan: TablePlan
  ) throws(RealmFileError) -> DecodedCluster {
    var batches: [ColumnBatch] = []
    batches.reserveCapacity(plan.table.columns.count)
    for column in plan.table.columns { batches.append(try reader.batch(column, of: cluster)) }
    return DecodedCluster(cluster, batches)
  }

  // MARK: Objects

  /// An embedded object.
  private func write(
    _ row: Int, of decoded: DecodedCluster, _ plan: TablePlan, into text: inout TextBuffer
  ) throws(RealmFileError) {
    var needsComma = style.appendObjectStart(
      plan.table, key: decoded.cluster.key(at: row), to: &text)
    for column in 0..<decoded.batches.count {
      if needsComma { text.append(UInt8(ascii: ",")) }
      needsComma = true
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
      try write(decoded.batches[column], row, plan, column, into: &text)
    } catch {
      throw error.adding(
        property: plan.table.columns[column].name.text,
        objectKey: decoded.cluster.key(at: row).raw)
    }
  }

  private func write(
    _ batch: ColumnBatch, _ row: Int, _ plan: TablePlan, _ column: Int,
    into text: inout TextBuffer
  ) throws(RealmFileError) {
    switch batch {
    case .link(let keys):
      try write(link: keys[row], to: plan.targets[column], isTyped: false, into: &text)
    case .collection(let roots):
      try write(
        collection: plan.table.columns[column], root: roots[row], target: plan.targets[column],
        into: &text)
    case .mixed(let values):
      try write(value: values[row], into: &text)
    default:
      write(plain: batch.value(at: row), into: &text)
    }
  }

  /// Makes the text of a column of plain values for all objects of the cluster, name included: the
  /// kind of the values is looked at once, not once a value. Links, collections and mixed values
  /// are written when their object is, as one of them can be of any size.
  private func prepare(
    _ batch: ColumnBatch, _ name: [UInt8], into prepared: inout PreparedColumns
  ) {
    switch batch {
    case .int(let values, let nulls):
      prepared.append(values.count, name, nulls) { style.append(int: values[$0], to: &$1) }
    case .bool(let values, let nulls):
      prepared.append(values.count, name, nulls) {
        values[$0] ? $1.append("true") : $1.append("false")
      }
    case .float(let values, let nulls):
      prepared.append(values.count, name, nulls) {
        style.append(float: values[$0], inMixed: false, to: &$1)
      }
    case .double(let values, let nulls):
      prepared.append(values.count, name, nulls) { style.append(double: values[$0], to: &$1) }
    case .string(let values):
      prepared.append(values, name) { style.append(string: $0, to: &$1) }
    case .binary(let values):
      prepared.append(values, name) { style.append(binary: $0, to: &$1) }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      prepared.append(seconds.count, name, nulls) {
        style.append(seconds: seconds[$0], nanoseconds: nanoseconds[$0], to: &$1)
      }
    case .decimal(let values):
      prepared.append(values.count, name, NullMask()) {
        values[$0].isNull ? $1.append("null") : style.append(decimal: values[$0], to: &$1)
      }
    case .objectId(let values):
      prepared.append(values, name) { style.append(objectId: $0, to: &$1) }
    case .uuid(let values):
      prepared.append(values, name) { style.append(uuid: $0, to: &$1) }
    case .link, .mixed, .collection:
      prepared.skip()
    }
  }

  // MARK: Values of any type

  /// A value of a mixed property or collection.
  func write(
    value: MixedValue, isElement: Bool = false, into text: inout TextBuffer
  ) throws(RealmFileError) {
    switch value {
    case .float(let number): style.append(float: number, inMixed: true, to: &text)
    case .typedLink(let table, let key):
      guard let target = reader.realm.schema.table(table) else {
        // A link to a table that was removed reads as null.
        return text.append("null")
      }
      try write(link: key, to: target, isTyped: true, isElement: isElement, into: &text)
    case .list(let root):
      try nested { () throws(RealmFileError) in
        var elements = reader.nestedElements(root: root)
        try write(elements: &elements, target: nil, into: &text)
      }
    case .dictionary(let root):
      try nested { () throws(RealmFileError) in
        try write(
          entries: try reader.entries(root: root), type: .mixed, target: nil, into: &text)
      }
    default: write(plain: value, into: &text)
    }
  }

  /// A value that is neither a link nor a collection.
  func write(plain value: MixedValue, into text: inout TextBuffer) {
    switch value {
    case .int(let number): style.append(int: number, to: &text)
    case .bool(let flag): flag ? text.append("true") : text.append("false")
    case .float(let number): style.append(float: number, inMixed: false, to: &text)
    case .double(let number): style.append(double: number, to: &text)
    case .string(let bytes): style.append(string: bytes, to: &text)
    case .binary(let bytes): style.append(binary: bytes, to: &text)
    case .timestamp(let seconds, let nanoseconds):
      style.append(seconds: seconds, nanoseconds: nanoseconds, to: &text)
    case .decimal(let number): style.append(decimal: number, to: &text)
    case .objectId(let bytes): style.append(objectId: bytes, to: &text)
    case .uuid(let bytes): style.append(uuid: bytes, to: &text)
    case .null, .link, .typedLink, .list, .dictionary: text.append("null")
    }
  }

  private func nested(_ body: () throws(RealmFileError) -> Void) throws(RealmFileError) {
    guard depth < depthLimit else { throw RealmFileError(.damaged(rule: "value.depth")) }
    depth += 1
    defer { depth -= 1 }
    try body()
  }

  // MARK: Links

  func write(
    link key: ObjectKey, to target: Table?, isTyped: Bool, isElement: Bool = false,
    into text: inout TextBuffer
  ) throws(RealmFileError) {
    guard !key.isNull else { return text.append("null") }
    guard let target else { throw RealmFileError(.damaged(rule: "link.dangling")) }
    if key.isUnresolved {
      let identity = target.primaryKey == nil ? nil : try primaryKey(of: key, in: target)
      return style.appendUnresolved(
        target, key: key, identity: identity, isTyped: isTyped, isElement: isElement, text: &text,
        writeIdentity: { write(plain: $0, into: &$1) })
    }
    if target.kind == .embedded {
      return try write(embedded: key, in: target, into: &text)
    }
    let identity: MixedValue =
      target.primaryKey == nil ? .int(key.raw) : try primaryKey(of: key, in: target)
    style.appendLink(
      to: target, identity: identity, isPrimaryKey: target.primaryKey != nil, isTyped: isTyped,
      text: &text, writeIdentity: { write(plain: $0, into: &$1) })
  }

  private func primaryKey(
    of key: ObjectKey, in table: Table
  ) throws(RealmFileError) -> MixedValue {
    guard let value = try reader.primaryKey(of: key, in: table) else {
      throw RealmFileError(.damaged(rule: "link.dangling"))
    }
    return value
  }

  private func write(
    embedded key: ObjectKey, in table: Table, into text: inout TextBuffer
  ) throws(RealmFileError) {
    style.appendEmbeddedStart(table, to: &text)
    try nested { () throws(RealmFileError) in
      let plan = plan(table)
      let (decoded, row) = try reader.nodes.lookingUp {
        () throws(RealmFileError) in try find(key, plan)
      }
      try claim(row, of: decoded.cluster)
      try write(row, of: decoded, plan, into: &text)
    }
    style.appendEmbeddedEnd(to: &text)
  }

  /// An embedded object has one owner. Written wherever a damaged realm links to it, a few objects
  /// that own one another twice would make a text without end.
  private func claim(_ row: Int, of cluster: Cluster) throws(RealmFileError) {
    // A cluster has at most 256 rows: four words.
    let bit: UInt64 = 1 << UInt64(row & 63)
    let words = written[cluster.ref, default: .zero]
    guard words[row >> 6] & bit == 0 else {
      throw RealmFileError(.damaged(rule: "link.embedded-shared"))
    }
    written[cluster.ref, default: .zero][row >> 6] = words[row >> 6] | bit
  }

  private func find(
    _ key: ObjectKey, _ plan: TablePlan
  ) throws(RealmFileError) -> (DecodedCluster, Int) {
    guard let (cluster, row) = try reader.find(key, in: plan.table) else {
      throw RealmFileError(.damaged(rule: "link.dangling"))
    }
    if let known = embedded[cluster.ref] { return (known, row) }
    let decoded = try decode(cluster, plan)
    if embedded.count >= embeddedLimit { embedded.removeAll(keepingCapacity: true) }
    embedded[cluster.ref] = decoded
    return (decoded, row)
  }
}
