import GRDB
import RealmReader

/// Copies a realm into a database of GRDB, a thousand objects at a time.
///
/// Each transaction has the rows of its objects and the key of the last one. So whatever ends the app, the next start goes on
/// behind the last transaction, and each object is in the database once.
struct Leaving {
  let realm: any OpenRealm
  let database: DatabaseQueue
  /// Objects in a transaction.
  var batchSize = 1000
  /// Is called after each transaction, with a class, its objects in the database and all of them.
  var progress: (String, Int, Int) -> Void = { _, _, _ in }

  /// - Parameters:
  ///   - path: the realm; it is never changed.
  ///   - databasePath: the database, which is created if it does not exist.
  init(from path: String, key: RealmKey? = nil, to databasePath: String) throws {
    realm = try RealmReader.open(path, key: key)
    var configuration = Configuration()
    // An object can link to one that is copied later. `finish` checks all links together.
    configuration.foreignKeysEnabled = false
    // Primary keys do not come in their order, so the database returns to all parts of their index.
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -32000") }
    database = try DatabaseQueue(path: databasePath, configuration: configuration)
  }

  /// Copies what is not yet in the database, and checks all of it.
  func run() throws {
    let done = try database.read { db in try Tables.migrator.appliedIdentifiers(db) }
    // The app can have ended after the last migration, during the check.
    if !done.contains(Tables.tables) {
      try Tables.migrator.migrate(database, upTo: Tables.tables)
    }
    try copy(Company.self)
    try copy(Counter.self)
    try copy(Person.self)
    try Tables.migrator.migrate(database)
    try database.read { db in try db.checkForeignKeys() }
    try check(Company.self)
    try check(Counter.self)
    try check(Person.self)
  }

  /// Copies the objects of a class.
  private func copy<Record: Copied>(_ type: Record.Type) throws {
    let name = Record.databaseTableName
    var copied =
      try database.read { db in try Progress.fetchOne(db, key: name) }
      ?? Progress(class: name, lastKey: -1, objectCount: 0)
    guard let objects = try realm.objects(ofClass: name),
      let all = realm.objectCount(ofClass: name)
    else { throw LeavingError.noClass(name) }
    var isDone = copied.objectCount == all
    while !isDone {
      // The records of a batch are in memory, whatever the realm's size.
      var next = copied
      try database.write { db in
        while next.objectCount - copied.objectCount < batchSize {
          guard let object = try objects.next() else { break }
          // Copied by an earlier run of the app.
          if object.key.raw <= next.lastKey { continue }
          var record = try Record.record(of: object)
          try record.insert(db)
          for var row in try record.collections(of: object) { try row.insert(db) }
          next.lastKey = object.key.raw
          next.objectCount += 1
        }
        try next.save(db)
      }
      isDone = next.objectCount - copied.objectCount < batchSize
      copied = next
      progress(name, copied.objectCount, all)
    }
  }

  /// Compares each object of a class with its rows.
  ///
  /// - Throws: ``LeavingError``.
  private func check<Record: Copied>(_ type: Record.Type) throws {
    let name = Record.databaseTableName
    guard let objects = try realm.objects(ofClass: name) else { throw LeavingError.noClass(name) }
    try database.read { db in
      let columns = try db.primaryKey(name).columns
      let row = try db.cachedStatement(
        sql: "SELECT * FROM \"\(name)\" WHERE \"\(columns[0])\" = ?")
      var rowCounts: [String: Int] = [name: 0]
      while let object = try objects.next() {
        let record = try Record.record(of: object)
        let expected = try record.databaseDictionary
        guard let key = expected[columns[0]],
          let found = try Row.fetchOne(row, arguments: [key]), Self.isSame(found, expected)
        else { throw LeavingError.differs(name, object.key.raw) }
        rowCounts[name, default: 0] += 1
        let collections = try record.collections(of: object)
        for table in Set(collections.map { Swift.type(of: $0).databaseTableName }).sorted() {
          let wanted = collections.filter { Swift.type(of: $0).databaseTableName == table }
          let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM \"\(table)\" WHERE owner = ? ORDER BY id"),
            arguments: [key])
          guard rows.count == wanted.count,
            try zip(rows, wanted).allSatisfy({ Self.isSame($0, try $1.databaseDictionary) })
          else { throw LeavingError.differs(table, object.key.raw) }
          rowCounts[table, default: 0] += rows.count
        }
      }
      for (table, count) in rowCounts {
        let found = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"")
        guard found == count else { throw LeavingError.rowCount(table, found ?? 0, count) }
      }
    }
  }

  /// Whether a row has the values of a record. The database numbers the rows of collections itself.
  private static func isSame(_ row: Row, _ record: [String: DatabaseValue]) -> Bool {
    row.allSatisfy { column, value in
      column == "id" && record[column]?.isNull != false || record[column] == value
    }
  }
}

/// Why the data did not arrive.
enum LeavingError: Error, CustomStringConvertible {
  /// The realm has no such class.
  case noClass(String)
  /// The rows of a table are not the values of the object with a key.
  case differs(String, Int64)
  /// A table has another number of rows than the realm has objects or elements.
  case rowCount(String, Int, Int)

  var description: String {
    switch self {
    case .noClass(let name): "the realm has no class \(name)"
    case .differs(let table, let key): "\(table): the rows of object \(key) differ from it"
    case .rowCount(let table, let found, let expected):
      "\(table): \(found) rows, expected \(expected)"
    }
  }
}
