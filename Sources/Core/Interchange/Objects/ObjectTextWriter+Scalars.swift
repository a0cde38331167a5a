import RealmModel
import RealmStorage

/// Writes scalars: in columns, and as values of mixed properties and keys.
extension ObjectTextWriter {
  /// Appends scalars. The kind of the values is tested once for all.
  func append(
    _ column: ScalarColumn, _ rows: Range<Int>, _ prefix: TextPiece, to target: inout TextTarget
  ) -> Bool {
    @inline(__always)
    func each(
      _ nulls: NullMask, _ target: inout TextTarget, _ write: (Int, inout TextTarget) -> Void
    ) {
      let hasNulls = !nulls.isEmpty
      for row in rows {
        target.text.append(prefix)
        if hasNulls && nulls[row] { target.text.append("null") } else { write(row, &target) }
        target.endRow()
      }
    }
    @inline(__always)
    func each(
      _ values: SliceColumn, _ target: inout TextTarget,
      _ write: (ByteSlice, inout TextTarget) -> Void
    ) -> Bool {
      let slices = values.slices
      for row in rows {
        target.text.append(prefix)
        if let value = slices[row] {
          guard target.hasRoom(for: value) else { return false }
          write(value, &target)
        } else {
          target.text.append("null")
        }
        target.endRow()
      }
      return target.text.count <= target.limit
    }
    switch column {
    case .int(let values, let nulls):
      each(nulls, &target) { style.append(int: values[$0], to: &$1.text) }
    case .bool(let values, let nulls):
      each(nulls, &target) { values[$0] ? $1.text.append("true") : $1.text.append("false") }
    case .float(let values, let nulls):
      each(nulls, &target) { style.append(float: values[$0], inMixed: false, to: &$1) }
    case .double(let values, let nulls):
      each(nulls, &target) { style.append(double: values[$0], to: &$1) }
    case .string(let values):
      return each(values, &target) { style.append(string: $0, to: &$1) }
    case .binary(let values):
      return each(values, &target) { style.append(binary: $0, to: &$1) }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      each(nulls, &target) {
        style.append(seconds: seconds[$0], nanoseconds: nanoseconds[$0], to: &$1)
      }
    case .decimal(let values):
      each(NullMask(), &target) {
        values[$0].isNull
          ? $1.text.append("null") : style.append(decimal: values[$0], to: &$1.text)
      }
    case .objectId(let values):
      return each(values, &target) { style.append(objectId: $0, to: &$1.text) }
    case .uuid(let values):
      return each(values, &target) { style.append(uuid: $0, to: &$1.text) }
    }
    return target.text.count <= target.limit
  }

  /// Appends a value that is neither a link nor a collection.
  func append(
    plain value: BatchValue, inMixed: Bool, to target: inout TextTarget
  ) {
    switch value {
    case .int(let number): style.append(int: number, to: &target.text)
    case .bool(let flag): flag ? target.text.append("true") : target.text.append("false")
    case .float(let number): style.append(float: number, inMixed: inMixed, to: &target)
    case .double(let number): style.append(double: number, to: &target)
    case .string(let bytes): style.append(string: bytes, to: &target)
    case .binary(let bytes): style.append(binary: bytes, to: &target)
    case .timestamp(let seconds, let nanoseconds):
      style.append(seconds: seconds, nanoseconds: nanoseconds, to: &target)
    case .decimal(let number): style.append(decimal: number, to: &target.text)
    case .objectId(let bytes): style.append(objectId: bytes, to: &target.text)
    case .uuid(let bytes): style.append(uuid: bytes, to: &target.text)
    case .null, .link, .list, .dictionary: target.text.append("null")
    }
  }
}
