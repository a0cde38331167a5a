import RealmModel
import RealmStorage

/// Single values and links.
extension ObjectWriter {
  /// Deepest chain of embedded objects or nested collections that is followed. The reference allows
  /// 100 levels of nesting (chapter 2, section 6.6); classes that embed themselves are deep by data.
  private var depthLimit: Int { 200 }
  /// Embedded clusters that are kept at one time.
  private var embeddedLimit: Int { 64 }

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
      try write(
        link: key, to: self.target(target), isTyped: true, isElement: isElement, into: &text)
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

  func nested(_ body: () throws(RealmFileError) -> Void) throws(RealmFileError) {
    guard depth < depthLimit else { throw RealmFileError(.damaged(.valueDepth)) }
    depth += 1
    defer { depth -= 1 }
    try body()
  }

  func write(
    link key: ObjectKey, to target: LinkTarget?, isTyped: Bool, isElement: Bool = false,
    into text: inout TextBuffer
  ) throws(RealmFileError) {
    guard !key.isNull else { return text.append("null") }
    guard let target else { throw RealmFileError(.damaged(.linkDangling)) }
    if target.table.kind == .embedded, !key.isUnresolved {
      return try write(embedded: key, in: target.table, into: &text)
    }
    // A primary key that lies in pieces is put together for each link to it.
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    if key.isUnresolved {
      let identity = try target.primaryKeys.map { keys throws(RealmFileError) in
        try primaryKey(of: key, keys)
      }
      return style.appendUnresolved(
        target.table, key: key, identity: identity, isTyped: isTyped, isElement: isElement,
        text: &text, writeIdentity: { write(plain: $0, into: &$1) })
    }
    let identity: MixedValue =
      if let keys = target.primaryKeys { try primaryKey(of: key, keys) } else { .int(key.raw) }
    style.appendLink(
      to: target.table, identity: identity, isPrimaryKey: target.primaryKeys != nil,
      isTyped: isTyped, text: &text, writeIdentity: { write(plain: $0, into: &$1) })
  }

  private func primaryKey(
    of key: ObjectKey, _ keys: PrimaryKeys
  ) throws(RealmFileError) -> MixedValue {
    guard let value = try keys.value(of: key) else {
      throw RealmFileError(.damaged(.linkDangling))
    }
    return value
  }

  private func write(
    embedded key: ObjectKey, in table: Table, into text: inout TextBuffer
  ) throws(RealmFileError) {
    style.appendEmbeddedStart(table, to: &text)
    try nested { () throws(RealmFileError) in
      let plan = plan(table)
      let (decoded, row) = try reader.nodes.traversing {
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
      throw RealmFileError(.damaged(.linkEmbeddedShared))
    }
    written[cluster.ref, default: .zero][row >> 6] = words[row >> 6] | bit
  }

  private func find(
    _ key: ObjectKey, _ plan: TablePlan
  ) throws(RealmFileError) -> (DecodedCluster, Int) {
    guard let (cluster, row) = try reader.find(key, in: plan.table) else {
      throw RealmFileError(.damaged(.linkDangling))
    }
    if let known = embedded[cluster.ref] { return (known, row) }
    let decoded = try decode(cluster, plan)
    if embedded.count >= embeddedLimit { embedded.removeAll(keepingCapacity: true) }
    embedded[cluster.ref] = decoded
    return (decoded, row)
  }
}
