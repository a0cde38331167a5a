import RealmModel
import RealmStorage

/// Writes the objects of batches in one style. Used by one thread.
///
/// Encodes each column for all objects at once, so that the type of the values is tested once per batch.
/// Then assembles the pieces object by object. A column that is too long to be prepared is written object
/// by object.
final class ObjectTextWriter<Style: TextStyle> {
  let style: Style
  let schema: ObjectSchema
  let nothing = TextPiece([])
  let comma = TextPiece([UInt8(ascii: ",")])
  /// The member names of each class, made on first use.
  private var members: [Members?]
  /// The bytes around the identity of a link to each class, made on first use.
  private var linkTexts: [LinkText?]
  /// The prepared columns of the current batch.
  private var columns: TextTarget
  /// Position in `columns` where the ends of each column start; -1 for a column that is not prepared.
  private var starts: [Int] = []

  init(_ style: Style, schema: ObjectSchema, _ steps: TextSteps = TextSteps()) {
    (self.style, self.schema) = (style, schema)
    columns = TextTarget(recordingUpTo: steps.columnByteCount)
    members = Array(repeating: nil, count: schema.classes.count)
    linkTexts = Array(repeating: nil, count: schema.classes.count)
  }

  /// `"name":`, without and with a comma before it.
  private struct MemberName {
    let first: TextPiece
    let next: TextPiece

    init(_ text: [UInt8]) {
      (first, next) = (TextPiece(text), TextPiece([UInt8(ascii: ",")] + text))
    }
  }

  private struct Members {
    /// Name of the object key's member; nil if objects are written without it.
    let key: TextPiece?
    let names: [MemberName]
  }

  private func members(_ position: Int) -> Members {
    if let known = members[position] { return known }
    let objectClass = schema.classes[position]
    let made = Members(
      key: style.keyMember(of: objectClass).map { TextPiece($0) },
      names: objectClass.properties.indices.map {
        MemberName(style.memberName(of: $0, in: objectClass))
      })
    members[position] = made
    return made
  }

  /// Appends the part before the first property of an object.
  ///
  /// - Parameter key: nil if the source has no object keys.
  /// - Returns: whether a comma comes before the first property.
  @inline(__always)
  private func appendStart(
    _ members: Members, _ key: ObjectKey?, to text: inout TextBuffer
  ) -> Bool {
    text.append(UInt8(ascii: "{"))
    guard let key, let member = members.key else { return false }
    text.append(member)
    style.append(int: key.raw, to: &text)
    return true
  }

  /// The bytes around the identity of a link that is neither null nor of a mixed property.
  struct LinkText {
    let start: TextPiece
    let end: TextPiece
    /// True if the identity is a bare object key instead of a value.
    let isBareKey: Bool
  }

  /// - Returns: nil if the style writes no identity.
  func linkText(_ position: Int) -> LinkText? {
    if let known = linkTexts[position] { return known }
    var target = TextTarget(recordingUpTo: 0)
    let form = style.appendLinkStart(
      to: schema.classes[position], hasIdentity: true, isTyped: false, target: &target)
    let start = TextPiece(target.text.bytes)
    target.text.removeAll()
    let made: LinkText
    switch form {
    case .done, .resolvedKey: return nil
    case .value(let end):
      target.text.append(end)
      made = LinkText(start: start, end: TextPiece(target.text.bytes), isBareKey: false)
    case .objectKey(let end):
      target.text.append(end)
      made = LinkText(start: start, end: TextPiece(target.text.bytes), isBareKey: true)
    }
    linkTexts[position] = made
    return made
  }

  // MARK: Objects

  /// Appends the objects of `batch`.
  ///
  /// - Parameters:
  ///   - begin: called before each object, to append what precedes it.
  ///   - end: called after each object.
  /// - Throws: the errors of reading large collections.
  func append(
    _ batch: ObjectBatch, to target: inout TextTarget,
    begin: (inout TextBuffer) -> Void, end: (inout TextBuffer) -> Void
  ) throws(RealmFileError) {
    let members = members(batch.classPosition)
    let names = members.names
    let objectClass = schema.classes[batch.classPosition]
    let first = batch.columns.firstIndex { $0 != nil }
    try prepare(batch, names, first: first)
    target.losses += columns.losses
    // A local copy for the loop: each access to a property of a class costs an exclusivity check.
    var prepared = TextTarget(recordingUpTo: 0)
    swap(&prepared, &columns)
    defer { swap(&prepared, &columns) }
    let starts = starts
    for row in 0..<batch.count {
      begin(&target.text)
      let key = row < batch.keys.count ? batch.keys[row] : nil
      let needsComma = appendStart(members, key, to: &target.text)
      if needsComma && first != nil { target.text.append(UInt8(ascii: ",")) }
      var i = target.append(row, of: prepared, columns: starts, from: 0)
      while i < starts.count {
        if let column = batch.columns[i] {
          _ = try append(
            column, row..<(row + 1), of: objectClass.properties[i],
            prefix: i == first ? names[i].first : names[i].next, to: &target)
        }
        i = target.append(row, of: prepared, columns: starts, from: i + 1)
      }
      target.text.append(UInt8(ascii: "}"))
      end(&target.text)
      target.relieve()
    }
  }

  /// Prepares the columns of `batch` from column `first` on.
  private func prepare(
    _ batch: ObjectBatch, _ names: [MemberName], first: Int?
  ) throws(RealmFileError) {
    columns.removeAll()
    starts.removeAll(keepingCapacity: true)
    let properties = schema.classes[batch.classPosition].properties
    // A local copy while the columns are written.
    var target = TextTarget(recordingUpTo: 0)
    swap(&target, &columns)
    defer { swap(&target, &columns) }
    for i in batch.columns.indices {
      guard let column = batch.columns[i], !column.hasRuns else {
        starts.append(-1)
        continue
      }
      let (textStart, endStart) = (target.text.count, target.ends.count)
      let losses = target.losses
      // One more end than rows: the first one is where row 0 starts.
      target.endRow()
      let isDone = try append(
        column, 0..<batch.count, of: properties[i],
        prefix: i == first ? names[i].first : names[i].next, to: &target)
      if isDone {
        starts.append(endStart)
      } else {
        target.cut(to: textStart, endCount: endStart)
        target.losses = losses
        starts.append(-1)
      }
    }
  }

  /// Appends the embedded object in `row` of `objects`.
  private func append(
    embedded row: Int, of objects: ObjectBatch, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    let objectClass = schema.classes[objects.classPosition]
    let properties = TextTarget.Elements(&target)
    defer { properties.end(&target) }
    style.appendEmbeddedStart(objectClass, to: &target.text)
    let key = row < objects.keys.count ? objects.keys[row] : nil
    let members = members(objects.classPosition)
    var needsComma = appendStart(members, key, to: &target.text)
    for i in objects.columns.indices {
      guard let column = objects.columns[i] else { continue }
      guard
        try append(
          column, row..<(row + 1), of: objectClass.properties[i],
          prefix: needsComma ? members.names[i].next : members.names[i].first, to: &target)
      else { return false }
      needsComma = true
    }
    target.text.append(UInt8(ascii: "}"))
    style.appendEmbeddedEnd(to: &target.text)
    return true
  }

  // MARK: Columns

  /// Appends the values in `rows` of a column, each after `prefix`.
  ///
  /// - Parameter isElement: whether the values are elements of a list or set.
  /// - Returns: false if the output became longer than the limit of the target; the caller then cuts it.
  /// - Throws: the errors of reading large collections.
  // Inlined into each caller, for each style, it would double the time that the module takes to compile.
  @inline(never)
  func append(
    _ column: ColumnValues, _ rows: Range<Int>, of property: Property, prefix: TextPiece,
    isElement: Bool = false, to target: inout TextTarget
  ) throws(RealmFileError) -> Bool {
    switch column {
    case .scalar(let column): return append(column, rows, prefix, to: &target)
    case .link(let column):
      return append(column, rows, prefix, isElement: isElement, to: &target)
    case .embedded(let column):
      for row in rows {
        target.text.append(prefix)
        let object = column.rows[row]
        if object < 0 {
          target.text.append("null")
        } else {
          guard try append(embedded: object, of: column.objects, to: &target) else { return false }
        }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    case .mixed(let column):
      for row in rows {
        target.text.append(prefix)
        guard
          try append(
            column.values[row], of: column, property: property, isElement: isElement, to: &target)
        else { return false }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    case .collection(let column):
      for row in rows {
        target.text.append(prefix)
        guard try append(collection: column, row, of: property, to: &target) else { return false }
        target.endRow()
        target.relieve()
        guard target.text.count <= target.limit else { return false }
      }
    }
    return target.text.count <= target.limit
  }
}
