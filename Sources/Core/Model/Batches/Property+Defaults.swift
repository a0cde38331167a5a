import RealmStorage

extension Property {
  /// The values of a property for objects that were given no value (chapter 2, section 3.0).
  package func defaultValues(count: Int) -> ColumnValues {
    let empty = Array(repeating: [UInt8](), count: count)
    guard collection == nil else {
      return .collection(
        CollectionColumn(
          ends: Array(repeating: 0, count: count), elements: emptyElements,
          keys: collection == .dictionary
            ? hasIntegerKeys ? .int([], NullMask()) : .string(SliceColumn([])) : nil))
    }
    let nulls = NullMask(count: count) { _ in isOptional }
    func fixed(_ size: Int) -> SliceColumn {
      isOptional
        ? SliceColumn(Array(repeating: nil, count: count))
        : SliceColumn(copying: Array(repeating: Array(repeating: 0, count: size), count: count))
    }
    func bytes() -> SliceColumn {
      isOptional
        ? SliceColumn(Array(repeating: nil, count: count)) : SliceColumn(copying: empty)
    }
    let zeros = Array(repeating: Int64(0), count: count)
    switch type {
    case .int: return .scalar(.int(zeros, nulls))
    case .bool: return .scalar(.bool(Array(repeating: false, count: count), nulls))
    case .float: return .scalar(.float(Array(repeating: 0, count: count), nulls))
    case .double: return .scalar(.double(Array(repeating: 0, count: count), nulls))
    case .string: return .scalar(.string(bytes()))
    case .binary: return .scalar(.binary(bytes()))
    case .timestamp: return .scalar(.timestamp(zeros, zeros, nulls))
    case .decimal:
      return .scalar(
        .decimal(Array(repeating: isOptional ? .null : .zero, count: count)))
    case .objectId: return .scalar(.objectId(fixed(FixedBytesLeaf.objectIdSize)))
    case .uuid: return .scalar(.uuid(fixed(FixedBytesLeaf.uuidSize)))
    case .link:
      return .link(
        LinkColumn(
          target: target ?? 0, count: count, nulls: nulls,
          keys: Array(repeating: .null, count: count)))
    case .mixed, .typedLink:
      return .mixed(MixedColumn(values: Array(repeating: .null, count: count)))
    }
  }

  /// An empty column of the property's type.
  private var emptyElements: ColumnValues {
    switch type {
    case .int: .scalar(.int([], NullMask()))
    case .bool: .scalar(.bool([], NullMask()))
    case .float: .scalar(.float([], NullMask()))
    case .double: .scalar(.double([], NullMask()))
    case .string: .scalar(.string(SliceColumn([])))
    case .binary: .scalar(.binary(SliceColumn([])))
    case .timestamp: .scalar(.timestamp([], [], NullMask()))
    case .decimal: .scalar(.decimal([]))
    case .objectId: .scalar(.objectId(SliceColumn([])))
    case .uuid: .scalar(.uuid(SliceColumn([])))
    case .link: .link(LinkColumn(target: target ?? 0, count: 0, nulls: NullMask()))
    case .mixed, .typedLink: .mixed(MixedColumn(values: []))
    }
  }
}
