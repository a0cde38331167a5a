import GRDB

/// The tables, as `realm-cli schema show --format sql` prints them for the realm of this app, and where the copy is.
enum Tables {
  /// The migrations of the app's database. Later versions of the app add theirs.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration(tables) { db in
      try db.execute(
        sql: """
          CREATE TABLE "Company" (
            "_id" TEXT PRIMARY KEY NOT NULL,
            "uuid" TEXT NOT NULL
          );
          CREATE TABLE "Company_ratings" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "owner" TEXT NOT NULL REFERENCES "Company"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            "key" TEXT NOT NULL,
            "value" INTEGER NOT NULL
          );
          CREATE TABLE "Company_offices" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "owner" TEXT NOT NULL REFERENCES "Company"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            "value" TEXT NOT NULL
          );
          CREATE TABLE "Counter" (
            "_key" INTEGER PRIMARY KEY NOT NULL,
            "n" INTEGER NOT NULL
          );
          CREATE TABLE "Person" (
            "_id" TEXT PRIMARY KEY NOT NULL,
            "firstName" TEXT NOT NULL,
            "lastName" TEXT NOT NULL,
            "age" INTEGER NOT NULL,
            "email" TEXT,
            "born" TEXT,
            "active" INTEGER NOT NULL,
            "balance" TEXT NOT NULL,
            "score" REAL,
            "avatar" BLOB,
            "bio" TEXT NOT NULL,
            "company" TEXT REFERENCES "Company"("_id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
            "manager" TEXT REFERENCES "Person"("_id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
          );
          CREATE TABLE "Person_tags" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "owner" TEXT NOT NULL REFERENCES "Person"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            "position" INTEGER NOT NULL,
            "value" TEXT NOT NULL
          );

          CREATE TABLE "LeavingRealm" (
            "class" TEXT PRIMARY KEY NOT NULL,
            "lastKey" INTEGER NOT NULL,
            "objectCount" INTEGER NOT NULL
          );
          """)
    }
    // After all rows, because that is faster.
    migrator.registerMigration(indexes) { db in
      try db.execute(
        sql: """
          CREATE INDEX "Company_uuid_index" ON "Company" ("uuid");
          CREATE INDEX "Company_ratings_owner_key_index" ON "Company_ratings" ("owner", "key");
          CREATE INDEX "Company_offices_owner_index" ON "Company_offices" ("owner");
          CREATE INDEX "Person_lastName_index" ON "Person" ("lastName");
          CREATE INDEX "Person_age_index" ON "Person" ("age");
          CREATE INDEX "Person_email_index" ON "Person" ("email");
          CREATE INDEX "Person_born_index" ON "Person" ("born");
          CREATE INDEX "Person_company_index" ON "Person" ("company");
          CREATE INDEX "Person_manager_index" ON "Person" ("manager");
          CREATE INDEX "Person_tags_owner_position_index" ON "Person_tags" ("owner", "position");
          """)
    }
    return migrator
  }

  static let tables = "the tables of the realm"
  static let indexes = "their indexes"
}

/// How far the copy of a class is. It is written in the transaction of the rows, so both survive a crash, or neither.
struct Progress: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "LeavingRealm"

  /// The name of the class, which is the primary key.
  var `class`: String
  /// The key of the last object that was copied. Objects come in the order of their keys.
  var lastKey: Int64
  var objectCount: Int
}
