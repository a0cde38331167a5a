import RealmStorage
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel

/// What the collections of a realm show about the platform of its app.
@Suite("Platform of a realm's app")
struct WriterPlatformTests {
  /// A realm with one object, which has a dictionary with `keys` and a set of `members`.
  private func build(
    _ number: Int, keys: [String], members: [String] = [], isSigned: Bool = true,
    isWide: Bool = true
  ) throws -> BuiltRealm {
    let bag = ObjectClass(
      name: Name("Bag"),
      properties: [
        Property(name: Name("counts"), type: .int, collection: .dictionary),
        Property(name: Name("words"), type: .string, collection: .set),
      ])
    let batch = ObjectBatch(
      classPosition: 0,
      columns: [
        .dictionaries(
          ends: [keys.count], keys: keys, elements: .ints(keys.indices.map { Int64($0) })),
        .lists(ends: [members.count], elements: .strings(members)),
      ])
    var request = RealmBuilder.Request()
    request.format = try #require(FileFormat(number))
    request.platform.hasSignedCharacters = isSigned
    request.platform.hasWideHashes = isWide
    return try BatchSource(schema: ObjectSchema(classes: [bag]), batches: [batch]).build(request)
  }

  private func platform(of built: BuiltRealm) throws -> WriterPlatform {
    try WriterPlatform(of: built.realm, for: built.realm.snapshot.fileFormat)
  }

  @Test("a dictionary of format 22 shows how wide its hashes are", arguments: [true, false])
  func hashes(isWide: Bool) throws {
    let built = try build(22, keys: ["one", "two", "é"], isWide: isWide)
    #expect(try platform(of: built).hasWideHashes == isWide)
  }

  @Test(
    "keys that differ in an upper bit show whether characters are signed", arguments: [true, false])
  func dictionaries(isSigned: Bool) throws {
    let built = try build(23, keys: ["a", "b", "bé", "bz"], isSigned: isSigned)
    #expect(try platform(of: built).hasSignedCharacters == isSigned)
  }

  @Test("so do members of a set", arguments: [(22, true), (22, false), (23, true), (23, false)])
  func sets(format: Int, isSigned: Bool) throws {
    let built = try build(format, keys: [], members: ["x", "ü", "y"], isSigned: isSigned)
    #expect(try platform(of: built).hasSignedCharacters == isSigned)
  }

  @Test("ASCII shows nothing, and then characters are signed", arguments: [22, 23])
  func nothing(format: Int) throws {
    let built = try build(
      format, keys: ["a", "b"], members: ["a", "ab"], isSigned: false)
    #expect(try platform(of: built) == WriterPlatform())
  }

  @Test("format 24 is the same on all platforms")
  func current() throws {
    let built = try build(24, keys: ["é", "z"], members: ["é", "z"], isSigned: false)
    #expect(
      try WriterPlatform(of: built.realm, for: try #require(FileFormat(23))) == WriterPlatform())
  }
}
