import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmSync

// Reads synced realms, and makes them.

/// The instructions of each local changeset of a realm.
func instructions(of path: String) throws -> [[Instruction]] {
  let snapshot = try Snapshot(path: path)
  var all: [[Instruction]] = []
  try ClientHistory(snapshot)?.forEachLocalChangeset(of: snapshot) {
    (changeset) throws(RealmFileError) in
    let bytes = try changeset.bytes()
    do throws(ChangesetError) {
      all.append(try ChangesetDecoder.instructions(bytes))
    } catch {
      Issue.record("\(path): \(error)")
    }
  }
  return all
}

/// Replays the changesets of a realm into a new one.
func replay(_ path: String, to target: String) throws {
  let snapshot = try Snapshot(path: path)
  let history = try #require(try ClientHistory(snapshot))
  let replay = ChangesetReplay()
  var changesets: [[UInt8]] = []
  try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
    changesets.append(try changeset.bytes())
  }
  for changeset in changesets { try replay.apply(changeset) }
  let file = try OutputFile(path: target, replacing: true)
  let builder = RealmBuilder(into: try RealmOutput(.file(file), key: nil))
  _ = try ObjectRoad(from: ReplayedObjects(replay), to: builder).run()
  try file.publish()
}

/// The objects of each class by primary key, or object key, with their properties by name.
func objectsByKey(of path: String) throws -> [String: [String: [String: JSONValue]]] {
  let document = try realmJSON(of: path)
  var keys: [String: String] = [:]
  // Elements of these are null if their target does not exist; links in others are left out.
  var mixed: Set<String> = []
  for content in document["schema"]?.array ?? [] {
    let name = content["name"]?.string ?? ""
    keys[name] = content["primaryKey"]?.string ?? content["keyMember"]?.string
    for property in content["properties"]?.members ?? [] {
      let type = property.value.string ?? ""
      if type.hasPrefix("mixed") { mixed.insert("\(name).\(property.name)") }
    }
  }
  var classes: [String: [String: [String: JSONValue]]] = [:]
  for content in document["objects"]?.members ?? [] {
    var objects: [String: [String: JSONValue]] = [:]
    for object in content.value.array ?? [] {
      let members = Dictionary(
        uniqueKeysWithValues: (object.members ?? []).map { member in
          let isMixed = mixed.contains("\(content.name).\(member.name)")
          return (member.name, seen(member.value, isMixed: isMixed))
        })
      objects["\(String(describing: members[keys[content.name] ?? ""]))"] = members
    }
    #expect(objects.count == content.value.array?.count)
    classes[content.name] = objects
  }
  return classes
}

/// The value as another client sees it, without links to objects that do not exist. Members are in the
/// order of their names, as the replay puts primary keys first.
private func seen(_ value: JSONValue, isMixed: Bool) -> JSONValue {
  switch value {
  case .array(let elements):
    return .array(
      elements.filter { isMixed || $0["$link"]?["unresolved"] == nil }.map {
        seen($0, isMixed: isMixed)
      })
  case .object(let members):
    guard value["$link"]?["unresolved"] == nil else { return .null }
    return .object(
      members.map { JSONValue.Member($0.name, seen($0.value, isMixed: isMixed)) }
        .sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) })
  default: return value
  }
}

/// Expects that two realms have the same objects as another client sees them.
func expectEqualObjects(_ path: String, _ other: String) throws {
  let (a, b) = (try objectsByKey(of: path), try objectsByKey(of: other))
  #expect(a.keys.sorted() == b.keys.sorted())
  for (name, objects) in a {
    for (key, object) in objects {
      let found = b[name]?[key]
      for (property, value) in object where found?[property] != value {
        let text = found?[property]?.text ?? "nothing"
        Issue.record("\(name).\(property) of \(key): \(text), expected \(value.text)")
      }
      #expect(found?.count == object.count, "\(name) \(key)")
    }
    #expect(b[name]?.count == objects.count)
  }
}

/// Makes a synced realm of a local realm in which all classes have primary keys of any name.
func makeSynced(_ path: String, to target: String) throws {
  let realm = try Realm(path: path)
  let history = UploadHistory(realm, now: 1_798_761_600)
  let file = try OutputFile(path: target, replacing: true)
  _ = try FileBuilder(
    realm.snapshot, top: FileBuilder.Top(of: realm.snapshot), edits: NodeEdits(),
    history: { (writer) throws(RealmFileError) in try history.append(to: writer) },
    into: try RealmOutput(.file(file), key: nil)
  ).write { _ in }
  try file.publish()
}
