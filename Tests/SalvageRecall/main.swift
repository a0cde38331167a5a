import Foundation
import TestSupport

// Damages realms in many ways, salvages them, and prints a table of the recovered values for docs/salvage.md.
//
//   salvage-recall [--runs N] [--first N] [--built] [--legacy] [--tell] [--only TEXT] [--keep FOLDER] [<realm>…]
//     --runs N      seeds for each realm and kind of damage (default 3)
//     --first N     the first of these seeds (default 0)
//     --built       also realms of 20,000 objects that the importer makes
//     --legacy      only the realms of formats 2 to 9 in the corpus beside the package, with another table; with realms,
//                   these by their size
//     --tell        prints what is not recovered, for each run that recovers less than 99 % or has wrong values
//     --only TEXT   only the kinds of damage whose name begins with TEXT
//     --keep FOLDER keeps the damaged realms there; of formats 2 to 9, those with wrong values
//
// The key of an encrypted realm is in a file next to it that ends with .key. At most a quarter of the blocks of a realm
// is damaged. Survivors and Tally describe the counts.

var arguments = CommandLine.arguments.dropFirst()
var (runs, first, isTelling, isWithBuilt) = (3, 0, false, false)
var only = ""
var isLegacy = false
var kept: String?
while let option = arguments.first, option.hasPrefix("--") {
  arguments.removeFirst()
  switch option {
  case "--first": first = arguments.popFirst().flatMap(Int.init) ?? first
  case "--only": only = arguments.popFirst() ?? ""
  case "--keep": kept = arguments.popFirst()
  case "--tell": isTelling = true
  case "--built": isWithBuilt = true
  case "--legacy": isLegacy = true
  default: runs = arguments.popFirst().flatMap(Int.init) ?? runs
  }
}
func share(_ part: Int, _ whole: Int) -> String {
  whole == 0 ? "–" : String(format: "%.2f %%", Double(part) / Double(whole) * 100)
}
if isLegacy {
  let seeds = first..<first + runs
  if arguments.isEmpty {
    try LegacyTable.print(seeds: seeds, only: only, isTelling: isTelling, kept: kept)
  } else {
    try LegacyTable.printBySize(arguments, seeds: seeds, isTelling: isTelling, kept: kept)
  }
  exit(0)
}
let folder = try TemporaryFolder()
let paths = Array(arguments) + (isWithBuilt ? try BuiltRealms.make(in: folder) : [])
guard !paths.isEmpty else {
  FileHandle.standardError.write(
    Data(
      "salvage-recall [--runs N] [--first N] [--built] [--legacy] [--tell] [--only TEXT] [--keep FOLDER] [<realm>…]\n"
        .utf8))
  exit(64)
}
let originals = try paths.map { try Original($0) }
print(
  "| damage | runs | nothing saved | surviving cells | recovered | described cells | recovered "
    + "| wrong | unseen | invented objects | older |")
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
for damage in Damage.all where damage.description.hasPrefix(only) {
  var total = Tally()
  for (i, original) in originals.enumerated() {
    let other = originals[(i + 1) % originals.count].bytes
    for seed in first..<first + runs {
      do {
        guard
          let tally = try Run.tally(damage, on: original, other: other, seed: seed, folder: folder)
        else {
          continue
        }
        total += tally
        if let kept {
          let name = "\(original.name) \(damage) \(seed).realm"
          try FileManager.default.createDirectory(
            atPath: kept, withIntermediateDirectories: true)
          try FileManager.default.copyItem(
            atPath: folder.path("damaged.realm"), toPath: "\(kept)/\(name)")
        }
        if isTelling,
          tally.wrong + tally.invented > 0 || tally.recovered * 100 < tally.surviving * 99
            || tally.describedRecovered < tally.described
        {
          print(
            "\(original.name) \(damage) seed \(seed): \(tally.recovered) of \(tally.surviving), wrong"
              + " \(tally.wrong), invented \(tally.invented): \(tally.causesText); described: \(tally.rulesText);"
              + " \(tally.examples)"
          )
        }
      } catch {
        print("\(original.name) \(damage) seed \(seed): \(error)")
        exit(1)
      }
    }
  }
  guard total.runs > 0 else { continue }
  print(
    "| \(damage) | \(total.runs) | \(total.refused) | \(total.surviving) | "
      + "\(share(total.recovered, total.surviving)) | \(total.described) | "
      + "\(share(total.describedRecovered, total.described)) | \(total.wrong) | \(total.unseen) | "
      + "\(total.invented) | \(total.older) |")
  if isTelling {
    print("not recovered: \(total.causesText)")
    print("of these described: \(total.rulesText)")
  }
}
