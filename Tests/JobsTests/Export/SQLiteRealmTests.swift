import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Realms in a database of SQLite")
struct SQLiteRealmTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "the database of every golden and lived realm has no errors, and has the objects that info counts",
    arguments: Golden.names.map { Golden.path("\($0).realm") } + Lived.names.map(Lived.path))
  func valid(path: String) throws {
    let path = path.hasSuffix(".realm") ? path : path + ".realm"
    let name = (path as NSString).lastPathComponent.replacingOccurrences(of: ".realm", with: "")
    let key = try Golden.key(name)
    let (file, _) = try exportDatabase(path, in: folder, key: key)
    let info = try InfoJob(path: path, key: key).run()
    for objectClass in info.classes where objectClass.kind == .topLevel {
      let table = objectClass.name.replacingOccurrences(of: "\"", with: "\"\"")
      #expect(
        try file.rows("SELECT count(*) FROM \"\(table)\"") == ["\(objectClass.objectCount)"])
    }
  }

  @Test("values equal the reference's", arguments: ["AllTypes", "Lists", "Dicts"])
  func values(className: String) throws {
    let (file, _) = try exportDatabase(Golden.path("all-types.realm"), in: folder)
    func reference(_ format: String) throws -> [JSONValue] {
      let text = try Golden.bytes("all-types.\(format).json")
      return try JSONParser.parse(text, as: .reference)[className]?.array ?? []
    }
    var compared = 0
    for (object, plain) in zip(try reference("core-xjson"), try reference("core-json")) {
      let id = object["_id"]?["$numberLong"]?.string ?? ""
      for member in object.members ?? [] where member.name != "any" && member.name != "_id" {
        let (name, expected) = (member.name, plain[member.name] ?? .null)
        let type = name.replacingOccurrences(of: "Opt", with: "")
        switch member.value {
        case .array(let elements):
          let rows = try file.rows(
            "SELECT position, value FROM \"\(className)_\(name)\" WHERE owner = \(id) ORDER BY 1")
          #expect(rows.count == elements.count)
          for (i, element) in elements.enumerated() {
            guard let text = sqlText(element, expected[i] ?? .null, type) else { continue }
            #expect(rows[i] == "\(i)|\(text)", "\(name) of object \(id)")
            compared += 1
          }
        case .object(let entries) where className == "Dicts":
          let rows = try file.rows(
            "SELECT key, value FROM \"\(className)_\(name)\" WHERE owner = \(id)")
          #expect(rows.count == entries.count)
          for entry in entries {
            guard let text = sqlText(entry.value, expected[entry.name] ?? .null, type) else {
              continue
            }
            #expect(rows.contains("'\(entry.name)'|\(text)"), "\(name) of object \(id)")
            compared += 1
          }
        case let value:
          guard let text = sqlText(value, expected, type) else { continue }
          #expect(
            try file.rows("SELECT \"\(name)\" FROM \(className) WHERE _id = \(id)") == [text],
            "\(name) of object \(id)")
          compared += 1
        }
      }
    }
    #expect(compared > 500)
  }

  /// A value of the reference in the notation of ``SQLiteFile``; nil if the two cannot be compared.
  ///
  /// - Parameter plain: the same in `core-json`, whose dates have nanoseconds.
  private func sqlText(_ value: JSONValue, _ plain: JSONValue, _ type: String) -> String? {
    switch type {
    case "int": return value["$numberLong"]?.string ?? "NULL"
    case "bool": return value.bool.map { $0 ? "1" : "0" } ?? "NULL"
    case "float", "double":
      guard let token = value["$numberDouble"]?.string, token.lowercased() != "nan" else {
        return "NULL"
      }
      let number = type == "float" ? Float(token).map { Double($0) } : Double(token)
      // SQLite stores the zero without a sign.
      return number.map { $0 == 0 ? "0.0" : "\($0)" }
    case "string": return value.string.map { "'\($0)'" } ?? "NULL"
    case "data":
      guard let base64 = value["$binary"]?["base64"]?.string else { return "NULL" }
      guard let data = Data(base64Encoded: base64) else { return nil }
      return "x'" + data.map { String(format: "%02X", $0) }.joined() + "'"
    case "date":
      guard let date = plain.string else { return "NULL" }
      // Years of four digits; for others, the reference does not always print a date.
      guard date.utf8.count == 19 || date.utf8.count == 29 else { return nil }
      let fraction = date.utf8.count == 19 ? ".000000000" : ""
      return "'" + date.replacingOccurrences(of: " ", with: "T") + fraction + "Z'"
    case "decimal":
      guard let number = value["$numberDecimal"]?.string else { return "NULL" }
      // The reference writes some exponents in its own way.
      let infinite = ["Inf": "Infinity", "-Inf": "-Infinity"]
      return number.contains("E") ? nil : "'\(infinite[number] ?? number)'"
    case "objectId": return value["$oid"]?.string.map { "'\($0)'" } ?? "NULL"
    case "uuid": return plain.string.map { "'\($0)'" } ?? "NULL"
    default: return nil
    }
  }

  @Test("values of mixed type have a column for their type")
  func mixed() throws {
    let (file, _) = try exportDatabase(Golden.path("nested-mixed.realm"), in: folder)
    #expect(
      try file.rows("SELECT * FROM Doc WHERE _id = 2") == [
        "2|'{\"items\":[0,1,{\"deep\":{\"$uuid\":\"3b241101-e2bb-4255-8caf-000000000002\"},"
          + "\"deeper\":[null]}],\"name\":\"n2\",\"x\":3.0}'|'dictionary'"
      ])
    #expect(
      try file.rows("SELECT owner, position, value, type FROM Doc_list WHERE owner = 0") == [
        "0|0|1|'bool'", "0|1|'[\"in\"]'|'list'",
      ])
    #expect(
      try file.rows("SELECT owner, key, value, type FROM Doc_dict WHERE owner = 3 ORDER BY key")
        == [
          "3|'k'|'64f0c0de00000003abcdef03'|'objectId'",
          "3|'sub'|'{\"z\":{\"$numberDecimal\":\"1.10\"}}'|'dictionary'",
        ])
    let (links, _) = try exportDatabase(Golden.path("links.realm"), in: folder)
    #expect(
      try links.rows("SELECT any_type, count(*) FROM Person GROUP BY 1 ORDER BY 1")
        == ["NULL|7", "'object:Dog'|7", "'object:Person'|7", "'string'|7"])
    #expect(
      try links.rows(
        "SELECT count(*) FROM Person JOIN Dog ON any_type = 'object:Dog' AND any = Dog._key")
        == ["7"])
  }

  @Test("with some classes only, links to the others keep their values but are not foreign keys")
  func someClasses() throws {
    let (file, report) = try exportDatabase(
      Golden.path("links.realm"), in: folder, classes: ["Dog"])
    #expect(try file.tables() == ["Dog"])
    #expect(report.counts.map(\.name) == ["Dog"])
    #expect(try file.rows("SELECT * FROM pragma_foreign_key_list('Dog')") == [])
    let (whole, _) = try exportDatabase(Golden.path("links.realm"), in: folder)
    #expect(try whole.tables().contains("Address"))
    let owners = "SELECT count(owner) FROM Dog"
    #expect(try file.rows(owners) == (try whole.rows(owners)))
  }

  @Test("an output that is not a file is refused")
  func stream() throws {
    let job = ExportJob(ExportJob.Request(format: .sqlite))
    #expect(throws: (any Error).self) {
      try job.run(
        open: { access in
          try Snapshot(path: Golden.path("links.realm"), key: nil, access: access)
        },
        makeOutput: { _ in
          .database(try OutputFile(path: "/dev/null", replacing: true))
        },
        canStartOver: true, progress: { _, _ in })
    }
  }
}
