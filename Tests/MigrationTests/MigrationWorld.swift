import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// A realm of schema version 3 with classes of all kinds, and migrations of it.
struct MigrationWorld {
  let folder: TemporaryFolder
  let path: String

  init() throws { try self.init(text: MigrationWorld.text) }

  /// - Parameter text: Realm JSON.
  init(text: String) throws {
    folder = try TemporaryFolder()
    path = try folder.importRealm(text, as: "world")
  }

  /// Migrates the realm to version 4 or later, and verifies the result.
  ///
  /// - Parameters:
  ///   - steps: the steps, one a line.
  ///   - jobs: number of threads.
  /// - Returns: the result as Realm JSON, and what the job reports.
  func migrate(
    _ steps: String, samples: Int = 0, jobs: Int = 2
  ) throws -> (json: JSONValue, report: MigrateJob.Report) {
    let plan = try folder.write(Array(migrationPlan(steps).utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    let report = try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil), sampleCount: samples, jobs: jobs
    ).runVerified()
    return (try realmJSON(of: out), report)
  }

  static let text = #"""
    {
    "realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[
    {"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","age":"int","score":"double?","nick":"string?","active":"bool","born":"date?","tags":"string[]","marks":"int?{}","any":"mixed","friend":"Person?","pets":"Dog[]","home":"Address?","notes":"Note[]","main":"Note?"}},
    {"name":"Dog","keyMember":"_key","properties":{"name":"string","owner":"Person?","price":"decimal128"}},
    {"name":"Address","embedded":true,"properties":{"street":"string","geo":"Geo?"}},
    {"name":"Geo","embedded":true,"properties":{"lat":"double"}},
    {"name":"Note","keyMember":"_key","properties":{"text":"string","place":"Geo?"}}
    ],
    "objects":{
    "Person":[
    {"_id":1,"name":"Ann","age":30,"score":1.5,"nick":"A","active":true,"born":{"$date":"2000-01-02T03:04:05Z"},"tags":["x","y"],"marks":{"a":1,"b":null},"any":5,"friend":2,"pets":[0,1,0],"home":{"street":"Elm","geo":{"lat":1.0}},"notes":[0,1,1],"main":0},
    {"_id":2,"name":"Bob","age":40,"score":null,"nick":null,"active":false,"born":null,"tags":[],"marks":{},"any":{"$link":{"class":"Dog","id":1}},"friend":null,"pets":[],"home":null,"notes":[],"main":null},
    {"_id":3,"name":"Cyd","age":50,"score":2.0,"nick":"C","active":true,"born":null,"tags":["z"],"marks":{"k":3},"any":[1,{"$link":{"class":"Dog","id":0}},"s"],"friend":1,"pets":[1],"home":{"street":"Oak","geo":null},"notes":[],"main":null}
    ],
    "Dog":[
    {"_key":0,"name":"Rex","owner":1,"price":{"$numberDecimal":"1.50"}},
    {"_key":1,"name":"Fido","owner":3,"price":{"$numberDecimal":"20"}}
    ],
    "Note":[
    {"_key":0,"text":"n0","place":{"lat":9.0}},
    {"_key":1,"text":"n1","place":null},
    {"_key":2,"text":"lonely","place":{"lat":7.0}}
    ]
    }
    }
    """#
}

extension JSONValue {
  /// The properties of a class in an exported realm, as `{"name":"string"}`.
  func properties(of name: String) -> JSONValue? {
    self["schema"]?.array?.first { $0["name"]?.string == name }?["properties"]
  }

  /// The objects of a class in an exported realm, reduced to one property each.
  func values(of name: String, _ property: String) -> [JSONValue?] {
    (self["objects"]?[name]?.array ?? []).map { $0[property] }
  }

  init(_ text: String) throws { self = try JSONParser.parse(Array(text.utf8)) }
}

/// The differences of two schemas, as `Person.name` or `Person`.
func schemaDifferences(from: String, to: String) throws -> [String] {
  try SchemaDiffJob(from: from, to: to).run(keys: TestKeys(key: nil)).changes.map { change in
    "\(change.className)" + (change.property.map { ".\($0)" } ?? "")
  }
}
