import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite(
  "Realms of formats 2 to 9 from public repositories",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct LegacyTruthTests {
  @Test("the library exported many realms of each format")
  func count() throws {
    #expect(LegacyFile.all.count >= 70)
    let formats = try Set(
      LegacyFile.all.map { try Snapshot(path: $0.path, key: $0.key).format })
    #expect(formats == [2, 3, 5, 6, 7, 8, 9])
  }

  @Test("the schema is the one that the library reads", arguments: LegacyFile.all)
  func schema(file: LegacyFile) throws {
    let realm = try LegacyRealm(try Snapshot(path: file.path, key: file.key))
    let truth = try LegacyTruth(file.truth)
    #expect(realm.tables.map(\.name.text) == truth.tables.map(\.name))
    #expect(realm.tables.map(\.rowCount) == truth.tables.map(\.rowCount))
    for (position, table) in truth.tables.enumerated() {
      let layout = realm.layouts[position]
      let properties = realm.schema.classes[position].properties
      let hidden = table.columns.filter { $0.name.hasPrefix("!") || $0.isEmptyTable }
      #expect(properties.count == table.columns.count - hidden.count)
      for (property, column) in zip(properties, layout.columns) {
        let expected = table.columns[column.position]
        if !expected.name.isEmpty, !property.name.text.hasPrefix(expected.name) {
          Issue.record("\(property.name) is not \(expected.name)")
        }
        #expect(property.codeOfType == expected.type)
        if property.collection == nil, property.type != .link, property.type != .mixed {
          #expect(property.isOptional == expected.isNullable)
          #expect(column.isIndexed == expected.isIndexed)
        }
        if let target = expected.target { #expect(property.target == target) }
      }
    }
  }

  @Test("every value is the one that the library reads", arguments: LegacyFile.all)
  func values(file: LegacyFile) throws {
    let realm = try LegacyRealm(try Snapshot(path: file.path, key: file.key))
    let truth = try LegacyTruth(file.truth)
    var request = ObjectRequest()
    request.links = .keys
    let source = LegacySource(realm, request, classes: Array(realm.tables.indices))
    let cursor = try source.makeCursor()
    var counts = Array(repeating: 0, count: realm.tables.count)
    for part in source.parts() {
      let position = part.classPosition
      let properties = realm.schema.classes[position].properties
      try cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          let rows = truth.tables[position].rows
          let expected = try properties.isEmpty ? [] : #require(rows[safe: counts[position]])
          #expect(batch.keys[row] == ObjectKey(Int64(counts[position])))
          for (i, property) in properties.enumerated() {
            let value = try batch.value(ofProperty: i, row: row)
            let text = LegacyText(schema: realm.schema).text(value, property)
            let wanted = try #require(
              expected[safe: realm.layouts[position].columns[i].position],
              "\(truth.tables[position].name) \(counts[position]) \(property.name): \(expected)")
            guard text != wanted.withNewDates else { continue }
            Issue.record(
              "\(truth.tables[position].name) \(counts[position]) \(property.name): \(text), not \(wanted)"
            )
          }
          counts[position] += 1
        }
      }
      try source.accept(cursor.close(), of: part)
    }
    #expect(counts == realm.tables.map { $0.spec.columns.isEmpty ? 0 : $0.rowCount })
  }
}

extension Array {
  /// The element at `position`; nil if there is none.
  fileprivate subscript(safe position: Int) -> Element? {
    indices.contains(position) ? self[position] : nil
  }
}

extension Property {
  /// The code of the type in the exports of the library.
  fileprivate var codeOfType: Int {
    switch (type, collection, target) {
    case (.link, .list?, _) where !isListOfObjects: 13
    case (_, .list?, _): 5
    case (.int, _, _): 0
    case (.bool, _, _): 1
    case (.string, _, _): 2
    case (.binary, _, _): 4
    case (.mixed, _, _): 6
    case (.timestamp, _, _): 8
    case (.float, _, _): 9
    case (.double, _, _): 10
    case (.link, _, _): 12
    default: -1
    }
  }

  /// Whether a list holds embedded objects: the generated realms have one such property.
  private var isListOfObjects: Bool { name.text == "nest" }
}

extension String {
  /// The same string with old dates as dates.
  fileprivate var withNewDates: String {
    guard contains("o") else { return self }
    return replacing(#/o(-?\d+)/#) { "t\($0.1),0" }
  }
}

/// Values as the library exports them.
struct LegacyText {
  let schema: ObjectSchema

  func text(_ value: RealmValue, _ property: Property) -> String {
    guard property.collection != nil else { return text(value, isMixed: property.type == .mixed) }
    let elements = value.elements ?? []
    if property.type == .link, property.target.map({ schema.classes[$0].kind }) == .topLevel {
      return "L" + elements.map { String(text($0).dropFirst()) }.joined(separator: ",")
    }
    guard let target = property.target, schema.classes[target].kind == .embedded else {
      return "(" + elements.map { text($0) + "|/" }.joined() + ")"
    }
    let properties = schema.classes[target].properties
    let rows = elements.map { element in
      guard case .object(let values) = element else { return "no object" }
      return zip(values, properties).map { text($0, $1) + "|" }.joined() + "/"
    }
    return "(" + rows.joined() + ")"
  }

  private func text(_ value: RealmValue, isMixed: Bool = false) -> String {
    let text =
      switch value {
      case .null: "N"
      case .int(let number): "i\(number)"
      case .bool(let flag): flag ? "B1" : "B0"
      case .float(let number): "f" + LegacyText.hex(UInt64(number.bitPattern), digits: 8)
      case .double(let number): "d" + LegacyText.hex(number.bitPattern, digits: 16)
      case .string(let string): "s" + LegacyText.hex(Array(string.utf8))
      case .malformedString(let bytes): "s" + LegacyText.hex(bytes)
      case .binary(let bytes): "b" + LegacyText.hex(bytes)
      case .date(let seconds, let nanoseconds): "t\(seconds),\(nanoseconds)"
      case .link(let link): "l\(link.key?.raw ?? -1)"
      case .list(let rows):
        "("
          + rows.map { row in
            guard case .dictionary(let cells) = row else { return "no row" }
            return cells.map { self.text($0.value) + "|" }.joined() + "/"
          }.joined() + ")"
      case .decimal, .objectId, .uuid, .object, .dictionary: "unknown"
      }
    return isMixed ? "m" + text : text
  }

  private static func hex(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { hex(UInt64($0), digits: 2) }.joined()
  }
}
