import RealmStorage

extension Property {
  /// The values of the property for objects without a value (chapter 2, section 3.0).
  package func defaultValues(count: Int) -> ColumnValues {
    guard collection != nil else { return singleValues(count: count) }
    return .collection(
      CollectionColumn(
        ends: Array(repeating: 0, count: count), elements: singleValues(count: 0),
        keys: collection == .dictionary
          ? hasIntegerKeys ? .int([], NullMask()) : .string(SliceColumn([])) : nil))
  }

  private func singleValues(count: Int) -> ColumnValues {
    let nulls = NullMask(count: count) { _ in isOptional }
    func bytes(_ size: Int) -> SliceColumn {
      isOptional
        ? SliceColumn(Array(repeating: nil, count: count))
        : SliceColumn(copying: Array(repeating: Array(repeating: 0, count: size), count: count))
    }
    let zeros = Array(repeating: Int64(0), count: count)
    switch type {
    case .int: return .scalar(.int(zeros, nulls))
    case .bool: return .scalar(.bool(Array(repeating: false, count: count), nulls))
    case .float: return .scalar(.float(Array(repeating: 0, count: count), nulls))
    case .double: return .scalar(.double(Array(repeating: 0, count: count), nulls))
    case .string: return .scalar(.string(bytes(0)))
    case .binary: return .scalar(.binary(bytes(0)))
    case .timestamp: return .scalar(.timestamp(zeros, zeros, nulls))
    case .decimal:
      return .scalar(
        .decimal(Array(repeating: isOptional ? .null : .zero, count: count)))
    case .objectId: return .scalar(.objectId(bytes(FixedBytesLeaf.objectIdSize)))
    case .uuid: return .scalar(.uuid(bytes(FixedBytesLeaf.uuidSize)))
    case .link:
      return .link(
        LinkColumn(
          target: target ?? 0, count: count, nulls: nulls,
          keys: Array(repeating: .null, count: count)))
    case .mixed, .typedLink:
      return .mixed(MixedColumn(values: Array(repeating: .null, count: count)))
    }
  }
}
