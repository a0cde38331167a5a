package import RealmModel
import RealmStorage

/// Reads lines of a patch, and values of properties, from Realm JSON in memory. Used by one thread.
package final class PatchValues {
  private let schema: ObjectSchema
  private let context: FillContext
  private let parser = JSONParser()

  /// - Parameter schema: the schema of the realm that receives the changes.
  package init(_ schema: ObjectSchema) {
    self.schema = schema
    context = FillContext(schema, ImportOptions())
  }

  // MARK: Values

  /// The value of a property, or an element of its collection.
  ///
  /// - Throws: `notJSON`, `truncated`, `tooLarge`; errors of the value, with its offset in `text`.
  package func value(
    _ text: [UInt8], of property: Property, isElement: Bool = false
  ) throws(ImportError) -> RealmValue {
    // The parser takes only arrays and objects, so the value becomes the only element of an array.
    let (record, block) = try parse([UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
    defer { withExtendedLifetime(block) {} }
    guard record.count(0) == 1 else { throw ImportError(.notJSON("expected one value")) }
    do throws(ValueError) {
      return try value(record, 1, of: isElement ? property.element : property)
    } catch {
      throw ImportError(error.kind, offset: max(0, record.offset(error.token) - 1))
    }
  }

  /// The values of a property as a column with one row, and the owner of their memory.
  package func column(
    _ text: [UInt8], of property: Property
  ) throws(ImportError) -> (values: ColumnValues, owner: any Sendable) {
    let (record, block) = try parse([UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
    let filler = ColumnFiller.make(property, context)
    do throws(ValueError) {
      try filler.add(record, 1)
    } catch {
      throw ImportError(error.kind, offset: max(0, record.offset(error.token) - 1))
    }
    return (filler.finish(), block)
  }

  private func parse(_ text: [UInt8]) throws(ImportError) -> (JSONRecord, TextBlock) {
    let block = TextBlock(0..<text.count)
    block.fill(text)
    return (try parser.parse(block, block.range), block)
  }

  private func value(
    _ record: JSONRecord, _ token: Int, of property: Property
  ) throws(ValueError) -> RealmValue {
    let filler = ColumnFiller.make(property, context)
    try filler.add(record, token)
    do throws(RealmFileError) {
      return try BatchColumn(filler.finish()).value(at: 0).withoutKeysOfNamedLinks
    } catch {
      throw ValueError(.file(error), at: token)
    }
  }

  // MARK: Lines

  /// The changes in `text`, one in each line. Empty lines are passed over.
  ///
  /// - Throws: errors of a line or of a value, with the number of the line.
  package func lines(_ text: [UInt8]) throws(ImportError) -> [PatchLine] {
    var lines: [PatchLine] = []
    for (number, line) in text.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    )
    .enumerated()
    where !line.allSatisfy({ JSONScan.isSpace($0) }) {
      do throws(ImportError) {
        lines.append(try self.line(Array(line)))
      } catch {
        var error = error
        error.line = number + 1
        throw error
      }
    }
    return lines
  }

  /// The change in a line.
  private func line(_ text: [UInt8]) throws(ImportError) -> PatchLine {
    let (record, block) = try parse(text)
    defer { withExtendedLifetime(block) {} }
    do throws(ValueError) {
      return try line(record)
    } catch {
      throw located(error, record)
    }
  }

  private func located(_ error: ValueError, _ record: JSONRecord) -> ImportError {
    var located = ImportError(
      error.kind, offset: record.offset(error.token), className: error.className,
      property: error.property)
    located.pointer = record.pointer(to: error.token)
    return located
  }

  private func line(_ record: JSONRecord) throws(ValueError) -> PatchLine {
    let (old, new) = (record.member(0, "old"), record.member(0, "new"))
    guard let name = record.member(0, "class"), old != nil || new != nil,
      record.count(0) == [name, old, new].count(where: { $0 != nil })
    else { throw ValueError(.patch("expected {\"class\":…,\"old\":…,\"new\":…}"), at: 0) }
    let position = try context.classPosition(record, name)
    guard schema.classes[position].kind != .embedded else {
      throw ValueError(
        .structure("objects of embedded classes belong inside their owners"), at: name)
    }
    var before: Side?
    var after: Side?
    if let old { before = try side(record, old, position) }
    if let new { after = try side(record, new, position) }
    guard let identity = before?.identity ?? after?.identity else {
      throw ValueError(.patch("the object has no identity"), at: 0)
    }
    if let new, let old, let before, let after {
      guard before.identity == after.identity else {
        throw ValueError(.patch("the old object has another identity than the new one"), at: new)
      }
      for property in before.values.keys where after.values[property] == nil {
        let name = schema.classes[position].properties[property].name.text
        throw ValueError(
          .patch("the old object has a value of \(name), the new one has none"), at: old)
      }
    }
    return PatchLine(
      classPosition: position, identity: identity, old: before?.values, new: after?.values)
  }

  private typealias Side = (identity: RealmValue, values: [Int: RealmValue])

  /// An object of a line.
  private func side(
    _ record: JSONRecord, _ token: Int, _ classPosition: Int
  ) throws(ValueError) -> Side {
    let (identity, values) = try object(record, token, classPosition)
    guard let identity else {
      let owner = schema.classes[classPosition]
      let member = RealmJSONSchema.identityMember(of: owner)
      throw ValueError(.patch("the object has no \(member)"), at: token)
        .adding(className: owner.name.text, property: nil)
    }
    return (identity, values)
  }

  /// The object in `text`, with its identity if it has one, and its values by position of the property.
  ///
  /// - Throws: errors of the object and its values, with their offset in `text`.
  package func object(
    _ text: [UInt8], ofClassAt position: Int
  ) throws(ImportError) -> (identity: RealmValue?, values: [Int: RealmValue]) {
    let (record, block) = try parse(text)
    defer { withExtendedLifetime(block) {} }
    do throws(ValueError) {
      return try object(record, 0, position)
    } catch {
      throw located(error, record)
    }
  }

  private func object(
    _ record: JSONRecord, _ token: Int, _ classPosition: Int
  ) throws(ValueError) -> (identity: RealmValue?, values: [Int: RealmValue]) {
    guard record.kind(token) == .object else {
      throw ValueError(.wrongType(expected: "an object"), at: token)
    }
    let owner = schema.classes[classPosition]
    let keyMember = RealmJSONSchema.keyMember(of: owner).map { Array($0.utf8) }
    let names = context.memberNames(classPosition)
    var (identity, values): (RealmValue?, [Int: RealmValue]) = (nil, [:])
    for name in record.names(token) {
      if let keyMember, record.isText(name, keyMember) {
        guard identity == nil else { throw duplicate(record, name) }
        identity = .int(try record.objectKey(name + 1).raw)
        continue
      }
      guard let property = names.firstIndex(where: { record.isText(name, $0) }) else {
        throw ValueError(.unknownProperty(record.bytes(name).text), at: name)
          .adding(className: owner.name.text, property: nil)
      }
      guard values[property] == nil, property != owner.primaryKey || identity == nil else {
        throw duplicate(record, name)
      }
      let value: RealmValue
      do throws(ValueError) {
        value = try self.value(record, name + 1, of: owner.properties[property])
      } catch {
        throw error.adding(
          className: owner.name.text, property: owner.properties[property].name.text)
      }
      if property == owner.primaryKey { identity = value } else { values[property] = value }
    }
    return (identity, values)
  }

  private func duplicate(_ record: JSONRecord, _ name: Int) -> ValueError {
    ValueError(.duplicateMember(record.bytes(name).text), at: name)
  }
}

extension Property {
  /// The property of one element of the collection.
  package var element: Property {
    collection == nil
      ? self : Property(name: name, type: type, isOptional: isOptional, target: target)
  }
}

extension RealmValue {
  /// The value whose links have either a primary key or an object key, so that equal links are equal wherever they come
  /// from.
  package var withoutKeysOfNamedLinks: RealmValue {
    switch self {
    case .link(var link):
      if !link.primaryKey.isEmpty { link.key = nil }
      return .link(link)
    case .object(let values): return .object(values.map(\.withoutKeysOfNamedLinks))
    case .list(let values): return .list(values.map(\.withoutKeysOfNamedLinks))
    case .dictionary(let entries):
      return .dictionary(
        entries.map { RealmEntry(key: $0.key, value: $0.value.withoutKeysOfNamedLinks) })
    default: return self
    }
  }
}
