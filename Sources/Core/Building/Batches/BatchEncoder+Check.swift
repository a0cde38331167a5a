import RealmModel
import RealmStorage

/// Checks that values fit their properties.
extension BatchEncoder {
  /// Checks types, nulls and lengths.
  ///
  /// - Throws: errors without class and property, which the caller adds.
  func check(_ column: BuildColumn, _ values: ColumnValues) throws(BuildError) {
    let property = column.property
    guard property.collection != nil else {
      return try check(values, property, isRequired: !property.isOptional)
    }
    guard case .collection(let collection) = values,
      (collection.keys != nil) == (property.collection == .dictionary) || collection.runs != nil
    else { throw BuildError(.wrongType) }
    guard collection.runs == nil else { return }
    if let keys = collection.keys { try check(keys: keys, property) }
    if property.collection == .set, case .mixed(let members) = collection.elements {
      guard members.lists == nil, members.dictionaries == nil else {
        throw BuildError(.schema("a set cannot hold lists and dictionaries"))
      }
    }
    try check(collection.elements, property, isRequired: !property.isOptional)
  }

  private func check(keys: ScalarColumn, _ property: Property) throws(BuildError) {
    switch keys {
    case .string(let values) where !property.hasIntegerKeys:
      try check(values, isRequired: true, limit: BlobLimits.string)
    case .int(_, let nulls) where property.hasIntegerKeys:
      guard nulls.isEmpty else { throw BuildError(.nullInRequired) }
    default: throw BuildError(.wrongType)
    }
  }

  private func check(
    _ values: ColumnValues, _ property: Property, isRequired: Bool
  ) throws(BuildError) {
    switch values {
    case .scalar(let scalars): try check(scalars, property.type, isRequired: isRequired)
    case .link(let links):
      guard property.type == .link, links.target == property.target,
        layout.tables[links.target]?.isEmbedded == false || links.identities == nil
      else { throw BuildError(.wrongType) }
      guard !isRequired || links.nulls.isEmpty else { throw BuildError(.nullInRequired) }
    case .embedded(let objects):
      guard property.type == .link, objects.objects.classPosition == property.target else {
        throw BuildError(.wrongType)
      }
    case .mixed(let mixed):
      guard property.type == .mixed else { throw BuildError(.wrongType) }
      try checkMixed(mixed, mixed.values.indices)
    case .collection: throw BuildError(.wrongType)
    }
  }

  private func check(
    _ scalars: ScalarColumn, _ type: PropertyType, isRequired: Bool
  ) throws(BuildError) {
    func require(_ nulls: NullMask) throws(BuildError) {
      guard !isRequired || nulls.isEmpty else { throw BuildError(.nullInRequired) }
    }
    switch (scalars, type) {
    case (.int(_, let nulls), .int), (.bool(_, let nulls), .bool), (.float(_, let nulls), .float),
      (.double(_, let nulls), .double):
      try require(nulls)
    case (.timestamp(let seconds, let nanoseconds, let nulls), .timestamp):
      try require(nulls)
      for row in seconds.indices where !nulls[row] {
        try checkDate(seconds[row], nanoseconds[row])
      }
    case (.decimal(let values), .decimal):
      guard !isRequired || !values.contains(where: \.isNull) else {
        throw BuildError(.nullInRequired)
      }
    case (.string(let values), .string):
      try check(values, isRequired: isRequired, limit: BlobLimits.string)
    case (.binary(let values), .binary):
      try check(values, isRequired: isRequired, limit: BlobLimits.binary)
    case (.objectId(let values), .objectId):
      try check(values, isRequired: isRequired, size: FixedBytesLeaf.objectIdSize)
    case (.uuid(let values), .uuid):
      try check(values, isRequired: isRequired, size: FixedBytesLeaf.uuidSize)
    default: throw BuildError(.wrongType)
    }
  }

  private func checkDate(_ seconds: Int64, _ nanoseconds: Int64) throws(BuildError) {
    guard TimestampLeaf.isDate(seconds: seconds, nanoseconds: nanoseconds) else {
      throw BuildError(.impossibleDate(seconds: seconds, nanoseconds: nanoseconds))
    }
  }

  private func check(
    _ values: SliceColumn, isRequired: Bool, limit: Int = .max, size: Int? = nil
  ) throws(BuildError) {
    var (hasNull, longest, hasOther) = (false, 0, false)
    for value in values.slices {
      guard let value else {
        hasNull = true
        continue
      }
      longest = max(longest, value.count)
      if let size, value.count != size { hasOther = true }
    }
    guard !hasNull || !isRequired else { throw BuildError(.nullInRequired) }
    guard longest <= limit else { throw BuildError(.tooLong(byteCount: longest, limit: limit)) }
    guard !hasOther else { throw BuildError(.wrongType) }
  }

  /// Checks the mixed values in `rows`, but not those in nested collections.
  func checkMixed(_ mixed: MixedColumn, _ rows: Range<Int>) throws(BuildError) {
    for value in mixed.values[rows] {
      switch value {
      // In a mixed leaf, binaries end with a zero byte as strings do.
      case .string(let bytes), .binary(let bytes):
        guard bytes.count <= BlobLimits.string else {
          throw BuildError(.tooLong(byteCount: bytes.count, limit: BlobLimits.string))
        }
      case .objectId(let bytes):
        guard bytes.count == FixedBytesLeaf.objectIdSize else { throw BuildError(.wrongType) }
      case .uuid(let bytes):
        guard bytes.count == FixedBytesLeaf.uuidSize else { throw BuildError(.wrongType) }
      case .timestamp(let seconds, let nanoseconds): try checkDate(seconds, nanoseconds)
      default: continue
      }
    }
  }
}
