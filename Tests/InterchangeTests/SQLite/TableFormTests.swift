import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite("Dates, ids and tables in other forms")
struct TableFormTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func database(
    _ batch: ObjectBatch, _ schema: ObjectSchema, _ options: TableOptions
  ) throws -> (file: SQLiteFile, losses: FormatLosses) {
    let path = try folder.write([], to: "\(options.dates)-\(options.ids)-\(options.reader).sqlite")
    let written = try SQLiteExport.write(
      BatchSource(schema: schema, batches: [batch], classes: [0]),
      to: DatabaseFile(unfinishedPath: path, path: path), options: options, schemaVersion: 7,
      jobs: 1, progress: { _ in })
    let file = SQLiteFile(path)
    #expect(try file.problems() == [])
    return (file, written.losses)
  }

  private let dates = ObjectSchema(classes: [
    ObjectClass(
      name: Name("T"),
      properties: [Property(name: Name("d"), type: .timestamp, isOptional: true)])
  ])

  /// Half a second before 1970, a date of a millisecond, of a microsecond, of a nanosecond, and the last date.
  private let batch = ObjectBatch(
    classPosition: 0, keys: (0..<5).map { ObjectKey($0) },
    columns: [
      .dates([
        (seconds: 0, nanoseconds: -500_000_000), (seconds: 1_700_000_000, nanoseconds: 123_000_000),
        (seconds: 1_700_000_000, nanoseconds: 123_456_000),
        (seconds: -3, nanoseconds: -123_456_789),
        (seconds: .max, nanoseconds: 999_999_999),
      ])
    ])

  @Test("milliseconds are cut towards 1970, and counted")
  func milliseconds() throws {
    let (file, losses) = try database(batch, dates, TableOptions(dates: .unixMilliseconds))
    #expect(
      try file.rows("SELECT d FROM T") == [
        "-500", "1700000000123", "1700000000123", "-3123", "NULL",
      ])
    #expect(losses[.cutDates] == 2)
    #expect(losses[.outlyingDates] == 1)
  }

  @Test("a number of seconds is exact to the microsecond")
  func seconds() throws {
    let (file, losses) = try database(batch, dates, TableOptions(dates: .unix))
    #expect(
      try file.rows("SELECT d FROM T").dropLast() == [
        "-0.5", "1700000000.123", "1700000000.123456", "-3.123456789",
      ])
    #expect(losses[.cutDates] == 2)
    #expect(losses[.outlyingDates] == 0)
  }

  @Test("ids are their bytes, also in links and as owners")
  func blobs() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"),
        properties: [
          Property(name: Name("_id"), type: .objectId), Property(name: Name("u"), type: .uuid),
          Property(name: Name("next"), type: .link, isOptional: true, target: 0),
          Property(name: Name("all"), type: .link, collection: .list, target: 0),
        ], primaryKey: 0)
    ])
    let id = Array(UInt8(0)..<12)
    let links = BatchColumn.links(to: 0, primaryKeys: [.objectId(id)], type: .objectId)
    let batch = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(5)],
      columns: [
        .objectIds([id]), .uuids([Array(0..<16)]), links, .lists(ends: [1], elements: links),
      ])
    let (file, _) = try database(batch, schema, TableOptions(ids: .blob))
    let bytes = "x'000102030405060708090A0B'"
    #expect(
      try file.rows("SELECT * FROM T") == [
        "\(bytes)|x'000102030405060708090A0B0C0D0E0F'|\(bytes)"
      ])
    #expect(try file.rows("SELECT * FROM T_all") == ["1|\(bytes)|0|\(bytes)"])
  }

  @Test("for Room, mixed values are JSON, no key is deferred, and names have no quotation marks")
  func room() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("a`b"),
        properties: [
          Property(name: Name("id"), type: .int, isOptional: true),
          Property(name: Name("any"), type: .mixed, isOptional: true),
          Property(name: Name("me"), type: .link, isOptional: true, target: 0),
        ], primaryKey: 0)
    ])
    let batch = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(5)],
      columns: [
        .ints([7]), nil, .links(to: 0, primaryKeys: [.int(7)], type: .int),
      ])
    let (file, _) = try database(batch, schema, TableOptions(reader: .room))
    #expect(try file.rows("SELECT * FROM a_b") == ["5|7|NULL|7"])
    #expect(
      try file.rows("SELECT sql FROM sqlite_schema") == [
        """
        'CREATE TABLE "a_b" (
          "_key" INTEGER PRIMARY KEY NOT NULL,
          "id" INTEGER,
          "any" TEXT,
          "me" INTEGER REFERENCES "a_b"("id") ON DELETE SET NULL
        )'
        """,
        "'CREATE UNIQUE INDEX \"index_a_b_id\" ON \"a_b\" (\"id\")'",
        "'CREATE INDEX \"index_a_b_me\" ON \"a_b\" (\"me\")'",
      ])
    #expect(try file.rows("PRAGMA user_version") == ["1"])
  }
}
