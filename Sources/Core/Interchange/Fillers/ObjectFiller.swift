import RealmBuilding
import RealmModel
import RealmStorage

/// Collects the objects of one class.
final class ObjectFiller {
  let classPosition: Int
  private let objectClass: ObjectClass
  private let context: FillContext
  private let columns: [ColumnFiller]
  /// The member names of the properties.
  private let names: MemberNames
  /// The member names of the properties that are left out.
  private let leftOutNames: [[UInt8]]
  /// The name of the member with the object key; nil if the class has no object keys.
  private let keyMember: [UInt8]?
  private var keys: [ObjectKey] = []
  /// Whether the objects have keys, also those of earlier batches; nil before the first one.
  private var haveKeys: Bool?
  /// The properties found in the current object. All are false as long as its members are in the order of the
  /// properties, without gaps.
  private var seen: [Bool]
  /// Number of objects.
  private(set) var count = 0
  /// For staged objects, the values that each object lacks; nil for an object that lacks none.
  private var marks: [AddedMark?]?
  /// Number of ignored members.
  private var ignoredCount = 0

  init(_ classPosition: Int, _ context: FillContext) {
    (self.classPosition, self.context) = (classPosition, context)
    objectClass = context.schema.classes[classPosition]
    columns = objectClass.properties.map { ColumnFiller.make($0, context) }
    names = MemberNames(context.memberNames(classPosition))
    leftOutNames = context.leftOutNames(classPosition)
    keyMember = context.keyMember(classPosition)
    seen = Array(repeating: false, count: columns.count)
    marks = context.options.isStaged && objectClass.kind != .embedded ? [] : nil
  }

  /// Appends the object of token `i`.
  func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    guard record.kind(i) == .object else {
      throw ValueError(.wrongType(expected: "an object"), at: i)
        .adding(className: objectClass.name.text, property: nil)
    }
    let end = record.end(i)
    let keyCount = keys.count
    var (position, next, members, isInOrder) = (i + 1, 0, 0, true)
    while position < end {
      let value = position + 1
      if names.isName(next, record, position), isInOrder || !seen[next] {
        if !isInOrder { seen[next] = true }
        try add(record, value, to: next)
        (next, members) = (next + 1, members + 1)
      } else {
        if isInOrder { for k in 0..<next { seen[k] = true } }
        isInOrder = false
        if let property = names.firstName(record, position) {
          guard !seen[property] else {
            throw ValueError(.duplicateMember(record.bytes(position).text), at: position)
              .adding(className: objectClass.name.text, property: nil)
          }
          seen[property] = true
          try add(record, value, to: property)
          (next, members) = (property + 1, members + 1)
        } else {
          try appendOther(record, position, keyCount)
        }
      }
      position = record.end(value)
    }
    try checkKey(keys.count > keyCount, at: i)
    marks?.append(nil)
    if members < columns.count {
      if isInOrder { for k in 0..<next { seen[k] = true } }
      isInOrder = false
      try appendMissing(i)
    }
    if !isInOrder { for k in seen.indices { seen[k] = false } }
    count += 1
  }

  @inline(__always)
  private func add(
    _ record: JSONRecord, _ value: Int, to property: Int
  ) throws(ValueError) {
    do throws(ValueError) {
      try columns[property].add(record, value)
    } catch {
      throw error.adding(
        className: objectClass.name.text, property: objectClass.properties[property].name.text)
    }
  }

  /// Reads the object key, or handles a member that the class does not have.
  private func appendOther(_ record: JSONRecord, _ i: Int, _ keyCount: Int) throws(ValueError) {
    if let keyMember, record.isText(i, keyMember) {
      guard keys.count == keyCount else {
        throw ValueError(.duplicateMember(record.bytes(i).text), at: i)
          .adding(className: objectClass.name.text, property: nil)
      }
      let key: ObjectKey
      do throws(ValueError) {
        key = try record.objectKey(i + 1)
      } catch {
        throw error.adding(className: objectClass.name.text, property: nil)
      }
      return keys.append(key)
    }
    guard !leftOutNames.contains(where: { record.isText(i, $0) }) else { return }
    // Ignored as unknown, the primary key would be lost.
    if let name = context.replacedKeyMember(classPosition), record.isText(i, name) {
      throw ValueError(
        .structure(
          "the first object of the class has the primary key in _id, but this object in "
            + record.bytes(i).text), at: i
      ).adding(className: objectClass.name.text, property: nil)
    }
    guard context.options.ignoresUnknown else {
      throw ValueError(.unknownProperty(record.bytes(i).text), at: i)
        .adding(className: objectClass.name.text, property: nil)
    }
    ignoredCount += 1
  }

  /// Checks that the object of token `i` has a key if the objects before it have keys, and none otherwise.
  private func checkKey(_ hasKey: Bool, at i: Int) throws(ValueError) {
    guard haveKeys ?? hasKey == hasKey else {
      throw ValueError(.structure(ObjectFiller.keyProblem(hasKey: hasKey)), at: i)
        .adding(className: objectClass.name.text, property: nil)
    }
    haveKeys = hasKey
  }

  /// Why an object is refused that has a key, or none, unlike those before it.
  static func keyProblem(hasKey: Bool) -> String {
    hasKey
      ? "the object has an object key, but the objects of the class before it have none"
      : "the object has no object key, but the objects of the class before it have one"
  }

  /// Appends the values that the object of token `i` does not have.
  private func appendMissing(_ i: Int) throws(ValueError) {
    var mark = AddedMark(propertyCount: columns.count)
    for (k, column) in columns.enumerated() where !seen[k] {
      mark.insert(k)
      guard column.hasDefault || marks != nil && k != objectClass.primaryKey else {
        throw ValueError(.missingProperty, at: i).adding(
          className: objectClass.name.text, property: objectClass.properties[k].name.text)
      }
      column.appendNull()
    }
    if let marks { self.marks?[marks.count - 1] = mark }
  }

  /// The number of members ignored since the last call.
  func takeIgnoredCount() -> Int {
    defer { ignoredCount = 0 }
    return ignoredCount
  }

  /// Returns the collected objects, and starts a new batch.
  ///
  /// - Parameter owner: keeps the memory of the values readable.
  func finish(owner: (any Sendable)?) -> ObjectBatch {
    defer { (keys, count) = ([], 0) }
    var values = columns.map { $0.finish() }
    if let marks {
      values.append(.scalar(.binary(SliceColumn(copying: marks.map { $0?.stored }))))
      self.marks = []
    }
    return ObjectBatch(
      classPosition: classPosition, count: count, keys: keys, columns: values, owner: owner)
  }
}

/// The member names of the properties of a class, in one block of memory.
private struct MemberNames {
  private let bytes: [UInt8]
  /// The start of each name, then the end of the last one.
  private let starts: [Int]

  init(_ names: [[UInt8]]) {
    bytes = names.flatMap(\.self)
    starts = names.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
  }

  /// Whether token `i` is the name of `property`. False for a position after the last property.
  @inline(__always)
  func isName(_ property: Int, _ record: JSONRecord, _ i: Int) -> Bool {
    guard property + 1 < starts.count else { return false }
    return record.isText(i, bytes, starts[property]..<starts[property + 1])
  }

  /// The property with the name in token `i`.
  func firstName(_ record: JSONRecord, _ i: Int) -> Int? {
    (0..<(starts.count - 1)).first { isName($0, record, i) }
  }
}
