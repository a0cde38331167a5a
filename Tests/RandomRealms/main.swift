// Makes realms of random classes and objects from Realm JSON that this program writes without the
// engine, and tests that nothing is lost: the export of such a realm equals the
// JSON, a realm made from the export has the same export byte for byte, `verify` finds nothing in either, and the
// SQLite database has no errors and all objects.
//
//   random-realms [options]
//     --first N   seed of the first one (default 0)
//     --seeds N   how many (default 20)
//     --jobs N    realms that are made at the same time (default: the processors)
//     --synced    makes realms that can be synced: primary keys, keys of dictionaries
//     --keep DIR  keeps the results of each seed there: the JSON <seed>.made.json (or .ndjson), the realm
//                 <seed>.made.realm, and <seed>.again.realm, which was made from the export of the first
//
// Each failure is a line with the seed; `random-realms --first SEED --seeds 1` makes the same realm again.

import Foundation
import Synchronization

let options: RandomRealmOptions
do {
  options = try RandomRealmOptions(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("random-realms: \(error)\n".utf8))
  exit(64)
}
let next = Mutex(options.first)
let failures = Mutex(0)
DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
  while true {
    let seed = next.withLock { next in
      defer { next += 1 }
      return next
    }
    guard seed < options.first + options.seeds else { return }
    do {
      try RoundTrip(seed: seed, isSynced: options.isSynced, keeping: options.folder).run()
    } catch {
      failures.withLock { $0 += 1 }
      print("seed \(seed): \(error)")
    }
  }
}
let count = failures.withLock { $0 }
print("\(options.seeds) realms, \(count) failures")
exit(count == 0 ? 0 : 1)
