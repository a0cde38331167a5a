import RealmReader
import TestSupport
import Testing

@Suite("Whole realms, read by the product for apps")
struct WholeRealmTests {
  /// Decodes all objects of a realm and compares them with the reference's reading.
  ///
  /// - Returns: the number of values.
  @discardableResult
  private func compare(_ realm: any OpenRealm, with text: [UInt8]) throws -> Int {
    let reference = try JSONParser.parse(text, as: .reference)
    var values = ReferenceValues(realm)
    let classes = realm.classes.filter { $0.kind != .embedded }
    #expect(classes.map(\.name.text) == reference.names.filter { $0 != "metadata" })
    for type in classes {
      let name = type.name.text
      let theirs = try #require(reference[name]?.array)
      #expect(realm.objectCount(ofClass: name) == theirs.count)
      let objects = try #require(try realm.objects(ofClass: name, as: AnyContent.self))
      for (i, other) in theirs.enumerated() {
        let object = try #require(try objects.next(), "\(name)[\(i)]")
        values.compare(object, other, type, "\(name)[\(i)]")
      }
      #expect(try objects.next() == nil)
    }
    #expect(values.differences == [])
    return values.count
  }

  @Test("every value of a golden realm is the reference's", arguments: Golden.names)
  func golden(name: String) throws {
    let key = name.hasSuffix("-encrypted") ? try KeyFile.read(Golden.path("\(name).key")).key : nil
    let realm = try RealmReader.open(Golden.path("\(name).realm"), key: key)
    let count = try compare(realm, with: try Golden.bytes("\(name).core-xjson-plus.json"))
    if name == "people" { #expect(count > 40_000) }
  }

  @Test("every value of a realm of formats 11 to 23 that has lived is the reference's")
  func lived() throws {
    var (formats, count): (Set<Int>, Int) = ([], 0)
    for name in Lived.names where name.hasPrefix("life-8") {
      let realm = try RealmReader.open(Lived.path("\(name).realm"))
      formats.insert(realm.snapshot.format)
      count += try compare(realm, with: try Lived.bytes("\(name).core-xjson-plus.json"))
    }
    #expect(formats == [11, 20, 22, 23])
    #expect(count > 10_000)
  }
}

@Suite("Realms of formats 2 to 9, read by the product for apps")
struct OldRealmTests {
  @Test("objects are iterated, found by key and primary key, and linked in both directions")
  func contacts() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(HandBuiltLegacy.contacts(), to: "x.realm")
    let realm = try RealmReader.open(path)
    #expect(realm.snapshot.isLegacy)
    try check(realm)
  }

  @Test(
    "so are those of realms from public repositories",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"),
    arguments: LegacyFile.all)
  func corpus(file: LegacyFile) throws {
    let realm = try RealmReader.open(file.path, key: file.key)
    let truth = try LegacyTruth(file.truth)
    for type in realm.classes where type.kind != .embedded {
      guard let table = truth.tables.first(where: { $0.name == "class_" + type.name.text }) else {
        continue
      }
      #expect(realm.objectCount(ofClass: type.name.text) == table.rowCount)
    }
    try check(realm, limit: 40)
  }

  /// A NaN differs from itself, its text does not.
  private func text(_ value: RealmValue?) -> String { value.map { "\($0)" } ?? "none" }

  /// Reads all objects, and some of them by their keys and links.
  private func check(_ realm: any OpenRealm, limit: Int = .max) throws {
    for type in realm.classes where type.kind != .embedded {
      let name = type.name.text
      var all: [RealmObject] = []
      let objects = try #require(try realm.objects(ofClass: name))
      while let object = try objects.next() { all.append(object) }
      #expect(all.count == realm.objectCount(ofClass: name))
      // Subtables without rows, and rows without columns.
      let decoded = try #require(try realm.objects(ofClass: name, as: AnyContent.self))
      for object in all.prefix(limit) {
        let content = try #require(try decoded.next())
        let again = try #require(try realm.object(ofClass: name, key: object.key))
        for property in type.properties {
          let value = try object.value(of: property.name.text)
          #expect(text(try again.value(of: property.name.text)) == text(value))
          #expect(text(content.values[property.name.text]) == text(value))
        }
        if let key = type.primaryKey {
          let property = type.properties[key].name.text
          let value = try #require(try object.value(of: property))
          let found = try #require(try realm.object(ofClass: name, primaryKey: value))
          #expect(try found.value(of: property) == value)
        }
      }
      for (i, object) in all.prefix(limit).enumerated() where i % 8 == 0 {
        for property in type.properties where property.type == .link {
          let value = try object.value(of: property.name.text)
          for link in value?.elements?.compactMap(\.link) ?? [value?.link].compactMap(\.self) {
            let target = try #require(try link.object)
            #expect(target.key == link.key)
            let back = try target.backlinks()
            #expect(
              back.contains {
                $0.className == name && $0.property == property.name.text && $0.key == object.key
              })
          }
        }
      }
      #expect(try realm.object(ofClass: name, key: ObjectKey(Int64(all.count))) == nil)
      #expect(try realm.object(ofClass: name, key: .null) == nil)
    }
  }
}
