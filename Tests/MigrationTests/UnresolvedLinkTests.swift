import RealmStorage
import TestSupport
import Testing

/// Links to missing objects when the primary key that identifies these objects changes.
@Suite("Migrations of links to deleted objects")
struct UnresolvedLinkTests {
  private static let text = #"""
    {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[
    {"name":"A","primaryKey":"_id","properties":{"_id":"int","n":"string"}},
    {"name":"B","primaryKey":"_id","properties":{"_id":"int","a":"A?","all":"A[]","any":"mixed"}}],
    "objects":{
    "A":[{"_id":1,"n":"x"},{"_id":2,"n":"y"}],
    "B":[
    {"_id":1,"a":\#(gone),"all":[2,\#(gone),1],"any":\#(gone)},
    {"_id":2,"a":1,"all":[1],"any":{"$link":{"class":"A","id":2}}}]}}
    """#
  private static let gone = #"{"$link":{"class":"A","id":9,"unresolved":true}}"#

  /// Steps, and the objects of `B` after them.
  private static let cases = [
    (
      "set-values: {class: A, values: {_id: _id + 10}}",
      #"""
      [{"_id":1,"a":\#(gone),"all":[12,\#(gone),11],"any":\#(gone)},
      {"_id":2,"a":11,"all":[11],"any":{"$link":{"class":"A","id":12}}}]
      """#
    ),
    (
      "set-primary-key: {class: A, name: n}",
      #"""
      [{"_id":1,"a":null,"all":["y","x"],"any":null},
      {"_id":2,"a":"x","all":["x"],"any":{"$link":{"class":"A","id":"y"}}}]
      """#
    ),
    (
      "change-type: {class: A, name: _id, type: string}",
      #"""
      [{"_id":1,"a":null,"all":["2","1"],"any":null},
      {"_id":2,"a":"1","all":["1"],"any":{"$link":{"class":"A","id":"2"}}}]
      """#
    ),
    (
      "delete-objects: {class: A, where: _id == 1}",
      #"""
      [{"_id":1,"a":\#(gone),"all":[2,\#(gone)],"any":\#(gone)},
      {"_id":2,"a":null,"all":[],"any":{"$link":{"class":"A","id":2}}}]
      """#
    ),
  ]

  @Test("links to live objects stay, and others stay as long as something identifies their targets")
  func links() throws {
    for (steps, expected) in Self.cases {
      let json = try MigrationWorld(text: Self.text).migrate(steps).json
      #expect(json["objects"]?["B"] == (try JSONValue(expected)), "\(steps)")
    }
  }

  @Test("without a primary key, links to deleted objects stay unresolved")
  func removedKey() throws {
    let json = try MigrationWorld(text: Self.text).migrate("remove-primary-key: {class: A}").json
    #expect(json["objects"]?["A"]?.array?.count == 2)
    let links = [json.values(of: "B", "a"), json.values(of: "B", "any")].compactMap(\.first)
    #expect(links.count == 2 && links.allSatisfy { $0?["$link"]?["unresolved"]?.bool == true })
    #expect(json.values(of: "B", "a").last == json["objects"]?["A"]?.array?.first?["_key"])
  }
}
