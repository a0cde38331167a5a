import Foundation
import RealmBuilding
import RealmJobs
import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Upgrading a damaged realm")
struct UpgradeJobTests {
  @Test(
    "a link to an object that does not exist is reported with its place, and nothing is written")
  func danglingLink() throws {
    let editor = try RealmEditor("links.realm")
    let leaf = try editor.leaf("owner", of: "Dog") { $0.width >= 4 }
    let node = try editor.node(leaf)
    let row = try #require((0..<node.count).first { node.integer(at: $0) > 0 })
    // The largest key that fits; a stored link is the key plus one.
    let stored = node.width < 8 ? 1 << node.width - 1 : 1 << (node.width - 1) - 1
    try editor.set(leaf, row, stored)
    // The header names the format of both roots (chapter 1, section 1.1).
    (editor.bytes[20], editor.bytes[21]) = (23, 23)
    let folder = try TemporaryFolder()
    let path = try folder.write(editor.bytes, to: "a.realm")
    #expect {
      _ = try UpgradeJob(path: path, key: nil, destination: .inPlace(backup: true)).run()
    } throws: { error in
      guard let error = error as? RebuildError else { return false }
      return error.path == path && error.error.className == "Dog"
        && error.error.property == "owner"
        && error.error.kind == .missingTargetKey(className: "Person", key: Int64(stored - 1))
    }
    #expect(try Set(folder.contents().keys).isSubset(of: ["a.realm", "a.realm.lock"]))
    #expect(try folder.contents()["a.realm"]?.bytes == Data(editor.bytes))
  }
}
