import RealmModel
import RealmStorage

/// Writes links: in columns, and as values of mixed properties.
extension ObjectTextWriter {
  /// Appends links, each after `prefix`.
  ///
  /// - Returns: false if the output became longer than the limit of the target.
  func append(
    _ column: LinkColumn, _ rows: Range<Int>, _ prefix: TextPiece, isElement: Bool,
    to target: inout TextTarget
  ) -> Bool {
    guard column.unresolved.isEmpty, let text = linkText(column.target),
      let identities = column.identities ?? column.keysAsIdentities
    else {
      return appendOneByOne(column, rows, prefix, isElement: isElement, to: &target)
    }
    let nulls = column.nulls
    let hasNulls = !nulls.isEmpty
    @inline(__always)
    func each(
      _ target: inout TextTarget, _ isNull: (Int) -> Bool, _ write: (Int, inout TextTarget) -> Bool
    ) -> Bool {
      for row in rows {
        target.text.append(prefix)
        if hasNulls && nulls[row] {
          target.text.append("null")
        } else if isNull(row) {
          appendLinkToNull(column.target, to: &target)
        } else {
          target.text.append(text.start)
          guard write(row, &target) else { return false }
          target.text.append(text.end)
        }
        target.endRow()
      }
      return target.text.count <= target.limit
    }
    switch identities {
    case .objectId(let values):
      let slices = values.slices
      return each(
        &target, { slices[$0] == nil },
        { row, target in
          if let value = slices[row] { style.append(objectId: value, to: &target.text) }
          return true
        })
    case .string(let values):
      let slices = values.slices
      return each(
        &target, { slices[$0] == nil },
        { row, target in
          guard let value = slices[row] else { return true }
          guard target.hasRoom(for: value) else { return false }
          style.append(string: value, to: &target)
          return true
        })
    case .int(let values, let nulls):
      return each(
        &target, { nulls[$0] },
        { row, target in
          if text.isBareKey {
            target.text.append(decimal: values[row])
          } else {
            style.append(int: values[row], to: &target.text)
          }
          return true
        })
    case .uuid(let values):
      let slices = values.slices
      return each(
        &target, { slices[$0] == nil },
        { row, target in
          if let value = slices[row] { style.append(uuid: value, to: &target.text) }
          return true
        })
    case .bool, .float, .double, .binary, .timestamp, .decimal:
      return appendOneByOne(column, rows, prefix, isElement: isElement, to: &target)
    }
  }

  /// Appends a link to the object with a null primary key.
  private func appendLinkToNull(_ position: Int, to target: inout TextTarget) {
    append(
      linkTo: schema.classes[position], identity: .null, isUnresolved: false, isTyped: false,
      isElement: false, to: &target)
  }

  /// Appends links one by one: some refer to tombstones, or the identities of their targets are of different
  /// kinds.
  private func appendOneByOne(
    _ column: LinkColumn, _ rows: Range<Int>, _ prefix: TextPiece, isElement: Bool,
    to target: inout TextTarget
  ) -> Bool {
    let objectClass = schema.classes[column.target]
    for row in rows {
      target.text.append(prefix)
      if column.nulls[row] {
        target.text.append("null")
      } else {
        append(
          linkTo: objectClass, identity: column.identity(row),
          isUnresolved: column.unresolved[row], isTyped: false, isElement: isElement, to: &target)
      }
      target.endRow()
    }
    return target.text.count <= target.limit
  }

  /// Appends a link in the form of the style.
  func append(
    linkTo objectClass: ObjectClass, identity: BatchValue, isUnresolved: Bool, isTyped: Bool,
    isElement: Bool, to target: inout TextTarget
  ) {
    let form =
      isUnresolved
      ? style.appendUnresolvedStart(
        to: objectClass, isTyped: isTyped, isElement: isElement, target: &target)
      : style.appendLinkStart(
        to: objectClass, hasIdentity: !identity.isNull, isTyped: isTyped, target: &target)
    switch (form, identity) {
    case (.done, _): return
    case (.objectKey(let end), .int(let key)):
      target.text.append(decimal: key)
      target.text.append(end)
    case (.resolvedKey(let end), .int(let key)):
      style.append(int: ObjectKey(key).unresolved.raw, to: &target.text)
      target.text.append(end)
    case (.value(let end), _), (.objectKey(let end), _), (.resolvedKey(let end), _):
      append(plain: identity, inMixed: false, to: &target)
      target.text.append(end)
    }
  }
}
