import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport

/// Realms of 20,000 objects that the importer makes.
enum BuiltRealms {
  private static let objectCount = 20_000
  /// The number of imports into the live realm.
  private static let importCount = 8

  /// Makes `imported.realm` with one import; `live.realm`, which grows by imports that also change objects, each of
  /// which writes it whole; and `compacted.realm`, its compacted copy.
  ///
  /// - Returns: the paths.
  static func make(in folder: TemporaryFolder) throws -> [String] {
    let names = ["imported", "live", "compacted"].map { folder.path("\($0).realm") }
    _ = try ImportJob(
      path: try text(0..<objectCount, seed: 1, in: folder),
      to: .new(names[0], replacing: false, key: nil)
    ).run()
    let step = objectCount / importCount
    for i in 0..<importCount {
      let added = try text(i * step..<(i + 1) * step, seed: 1, in: folder)
      guard i > 0 else {
        _ = try ImportJob(path: added, to: .new(names[1], replacing: false, key: nil)).run()
        continue
      }
      _ = try ImportJob(path: added, to: target(names[1])).run()
      // Some of the existing objects get other values.
      let changed = stride(from: i, to: i * step, by: 97).map { $0 }
      _ = try ImportJob(
        path: try text(changed, seed: UInt64(100 + i), in: folder), to: target(names[1])
      )
      .run()
    }
    _ = try CompactJob(path: names[1], key: nil, destination: .file(names[2], replacing: false))
      .run()
    return names
  }

  private static func target(_ path: String) -> ImportJob.Destination {
    .existing(ImportJob.Target(path: path, key: nil, mode: .upsert))
  }

  /// Writes lines of people.
  private static func text(
    _ numbers: some Sequence<Int>, seed: UInt64, in folder: TemporaryFolder
  ) throws -> String {
    var random = SplitMix64(seed: seed)
    var lines = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"Person",\
      "primaryKey":"_id","properties":{"_id":"int","name":"string",\
      "email":{"type":"string?","indexed":true},"age":"int?","height":"double","isActive":"bool",\
      "born":"date","tags":"string[]","friend":"Person?"}}]}

      """
    var count = 0
    for number in numbers {
      func value(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
      let name = (0..<3 + value(20)).map { _ in String(UnicodeScalar(UInt8(97 + value(26)))) }
        .joined()
      let tags = (0..<value(4)).map { _ in "\"tag \(value(1000))\"" }.joined(separator: ",")
      count += 1
      lines += """
        {"class":"Person","object":{"_id":\(number),"name":"\(name)",\
        "email":"\(name)\(number)@example.com","age":\(value(5) == 0 ? "null" : "\(value(100))"),\
        "height":\(Double(value(1000)) / 7),"isActive":\(value(2) == 0),\
        "born":"20\(10 + value(10))-0\(1 + value(9))-11T10:00:00Z","tags":[\(tags)],\
        "friend":\(number == 0 ? "null" : "\(value(number))")}}

        """
    }
    lines += "{\"counts\":{\"Person\":\(count)}}\n"
    return try folder.write(Array(lines.utf8), to: "people.ndjson")
  }
}
