import RealmModel
import RealmStorage

/// Collects the identities of a class's objects: object keys or primary keys.
enum IdentityFiller {
  case keys
  case int(PlainFiller<Int64>)
  case slices(SliceFiller)

  init(_ objectClass: ObjectClass, _ context: FillContext) {
    guard let primaryKey = objectClass.primaryKey else {
      self = .keys
      return
    }
    switch objectClass.properties[primaryKey].type {
    case .string: self = .slices(SliceFiller(.string, context, isOptional: true))
    case .objectId: self = .slices(SliceFiller(.objectId, context, isOptional: true))
    case .uuid: self = .slices(SliceFiller(.uuid, context, isOptional: true))
    default: self = .int(PlainFiller<Int64>(isOptional: true, expected: "an int"))
    }
  }
}

/// Collects links to the objects of one class.
final class LinkFiller: ColumnFiller {
  private let target: Int
  private let context: FillContext
  private let identities: IdentityFiller
  private let keys = ValueBuffer<ObjectKey>()
  private var nulls = NullMask()
  private var unresolved = NullMask()
  private var links = 0

  init(_ target: Int, _ context: FillContext, isOptional: Bool) {
    (self.target, self.context) = (target, context)
    let objectClass = context.schema.classes[target]
    identities = IdentityFiller(objectClass, context)
    super.init(isOptional: isOptional, expected: "the identity of a \(objectClass.name)")
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    if let inner = record.only(i, "$link") {
      try append(record, LinkParts(record, inner))
    } else if let reference = LinkParts(reference: i, in: record) {
      try append(record, reference)
    } else {
      try append(record, identity: i, isUnresolved: false)
    }
  }

  private func append(_ record: JSONRecord, _ parts: LinkParts) throws(ValueError) {
    if let name = parts.className, try context.classPosition(record, name) != target {
      throw ValueError(.wrongType(expected: expected), at: name)
    }
    try append(record, identity: parts.id, isUnresolved: parts.isUnresolved)
  }

  private func append(
    _ record: JSONRecord, identity i: Int, isUnresolved: Bool
  ) throws(ValueError) {
    if isUnresolved { unresolved.insert(links) }
    switch identities {
    case .keys: keys.append(try record.objectKey(i, isUnresolved: isUnresolved))
    case .int(let filler): try filler.add(record, i)
    case .slices(let filler): try filler.add(record, i)
    }
    links += 1
  }

  override func appendNull() {
    nulls.insert(links)
    switch identities {
    case .keys: keys.append(.null)
    case .int(let filler): filler.appendNull()
    case .slices(let filler): filler.appendNull()
    }
    links += 1
  }

  override var count: Int { links }

  override func finish() -> ColumnValues {
    defer { (nulls, unresolved, links) = (NullMask(), NullMask(), 0) }
    var scalars: ScalarColumn?
    switch identities {
    case .keys: break
    case .int(let filler): scalars = filler.finishScalars()
    case .slices(let filler): scalars = filler.finishScalars()
    }
    return .link(
      LinkColumn(
        target: target, count: links, nulls: nulls, unresolved: unresolved, keys: keys.take(),
        identities: scalars))
  }
}
