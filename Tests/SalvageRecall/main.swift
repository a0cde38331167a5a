import Foundation
import RealmMaintenance
import RealmModel
import RealmStorage
import TestSupport

// Damages realms in many ways, salvages them, and prints a table of what came back: for docs/salvage.md.
//
//   salvage-recall [--runs N] [--tell] [--only TEXT] <realm>…
//     --runs N      seeds for each realm and kind of damage (default 3)
//     --tell        a line for each run that has wrong values, or recovers less than 99 %
//     --only TEXT   only the kinds of damage whose name has this text
//
// The key of an encrypted realm is in a file beside it that ends with .key. Of a realm, at most a quarter of the
// blocks is damaged.
//
// A cell is a value of a property of an object. It survives if the damage hits none of the nodes that hold the
// value. Wrong is a cell of the result that differs from the original although the report does not call it lost.

/// The sums of the runs of a kind of damage.
struct Tally {
  var (runs, refused) = (0, 0)
  var (surviving, recovered, wrong, invented) = (0, 0, 0, 0)
  /// The first cells that are wrong or not recovered.
  var examples: [String] = []

  mutating func note(_ example: String) { if examples.count < 6 { examples.append(example) } }
}

/// A cell of the result by the key of its object, as reports name it.
struct Told: Hashable {
  let className: String
  let property: String
  let key: Int64
}

func run(_ damage: Damage, on path: String, seed: Int, folder: TemporaryFolder) throws -> Tally? {
  var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  var random = SplitMix64(seed: UInt64(seed))
  let keyPath = String(path.dropLast(".realm".count)) + ".key"
  let key = FileManager.default.fileExists(atPath: keyPath) ? try KeyFile.read(keyPath).key : nil
  guard damage.isOfEncrypted == (key != nil) else { return nil }
  let realm = try Realm(path: path, key: key)
  guard
    let ranges = damage.apply(to: &bytes, innerNodes: try innerNodes(of: realm), &random)
  else { return nil }
  var tally = Tally()
  tally.runs = 1
  let original = try Cells(realm)
  let survivors = try Survivors(realm, damaged: ranges)
  let damaged = try folder.write(bytes, to: "damaged.realm")
  let target = folder.path("saved.realm")
  try? FileManager.default.removeItem(atPath: target)
  var saved: Cells?
  var isOlder = false
  var told = Set<Told>()
  do {
    var request = SalvageJob.Request(path: damaged)
    (request.jobs, request.key) = (2, key)
    let report = try SalvageJob(request).run(to: .realm(target, replacing: false))
    isOlder = report.isNewestLost
    for loss in report.losses {
      for key in loss.objectKeys {
        told.insert(
          Told(className: loss.className ?? "", property: loss.property ?? "", key: key))
      }
    }
    var verifying = VerifyJob.Request(path: target)
    verifying.key = key
    let verified = try VerifyJob(verifying).run()
    guard verified.count(.error) == 0 else {
      throw Unsound(findings: verified.findings.filter { $0.severity == .error })
    }
    saved = try Cells(try Realm(path: target, key: key))
  } catch let error as JobError {
    tally.refused = 1
    tally.note("\(error)")
  }
  var found: [String: Cells.Object] = [:]
  var lostKeys: [String: Cells.Object] = [:]
  for object in saved?.objects ?? [] {
    if object.className.hasPrefix(SalvageSchema.lostPrefix) {
      lostKeys[object.className.dropFirst(SalvageSchema.lostPrefix.count) + "/\(object.key)"] =
        object
    } else {
      found[object.className + "/" + object.identity] = object
    }
  }
  let schema = realm.schema.objects
  for object in original.objects {
    let table =
      schema.classes.firstIndex { !$0.isInternal && $0.name.text == object.className } ?? 0
    let other =
      found.removeValue(forKey: object.className + "/" + object.identity)
      ?? lostKeys["\(object.className)/\(object.key)"]
    for (i, property) in schema.classes[table].properties.enumerated() {
      let name = property.name.text
      let isEqual = other.map { $0.values[name] == object.values[name] } ?? false
      let isTold =
        other.map {
          told.contains(Told(className: object.className, property: name, key: $0.key))
            || $0.className != object.className && schema.classes[table].primaryKey == i
        } ?? true
      if survivors.survives(table: table, key: object.key, column: i),
        isEqual || !object.links.contains(name)
      {
        tally.surviving += 1
        if isEqual {
          tally.recovered += 1
        } else {
          tally.note("not \(object.className).\(name) of \(object.identity)")
        }
      }
      // A property whose name is lost has no value that could be wrong.
      if !isEqual, !isTold, !isOlder, other?.values[name] != nil {
        tally.wrong += 1
        tally.note("wrong \(object.className).\(name) of \(object.identity)")
      }
    }
  }
  tally.invented = isOlder ? 0 : found.count
  for (name, _) in found.prefix(2) { tally.note("invented \(name)") }
  return tally
}

struct Unsound: Error {
  let findings: [Finding]
}

/// The nodes with refs of a realm that lead to objects.
func innerNodes(of realm: Realm) throws -> [Range<Int>] {
  let nodes = try realm.snapshot.makeReader()
  var (ranges, stack): ([Range<Int>], [Ref]) = ([], [realm.snapshot.top.tables])
  while let ref = stack.popLast() {
    let node = try nodes.lookUp(ref)
    guard node.hasRefs else { continue }
    ranges.append(ref..<ref + node.header.nodeByteCount)
    for i in 0..<node.count {
      if case .ref(let child) = node.element(at: i) { stack.append(child) }
    }
  }
  return ranges
}

var arguments = CommandLine.arguments.dropFirst()
var (runs, isTelling) = (3, false)
var only: String?
while let option = arguments.first, option.hasPrefix("--") {
  arguments.removeFirst()
  switch option {
  case "--only": only = arguments.popFirst()
  case "--tell": isTelling = true
  default: runs = arguments.popFirst().flatMap(Int.init) ?? runs
  }
}
let realms = Array(arguments)
guard !realms.isEmpty else {
  FileHandle.standardError.write(
    Data("salvage-recall [--runs N] [--tell] [--only TEXT] <realm>…\n".utf8))
  exit(64)
}
let folder = try TemporaryFolder()
print("| damage | runs | nothing saved | surviving cells | recovered | wrong | invented objects |")
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
for damage in Damage.all where only.map({ damage.description.contains($0) }) ?? true {
  var total = Tally()
  for path in realms {
    for seed in 0..<runs {
      do {
        guard let tally = try run(damage, on: path, seed: seed, folder: folder) else { continue }
        total.runs += tally.runs
        total.refused += tally.refused
        total.surviving += tally.surviving
        total.recovered += tally.recovered
        total.wrong += tally.wrong
        total.invented += tally.invented
        if isTelling,
          tally.wrong + tally.invented > 0 || tally.recovered * 100 < tally.surviving * 99
        {
          print("\(path) \(damage) seed \(seed): \(tally)")
        }
      } catch {
        print("\(path) \(damage) seed \(seed): \(error)")
        exit(1)
      }
    }
  }
  let share = Double(total.recovered) / Double(max(1, total.surviving)) * 100
  print(
    "| \(damage) | \(total.runs) | \(total.refused) | \(total.surviving) | "
      + String(format: "%.2f %%", share) + " | \(total.wrong) | \(total.invented) |")
}
