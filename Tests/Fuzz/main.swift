// Mutates realms and reads the results: nothing may crash, hang, or take more memory than a
// small file may require. `make fuzz` runs it over 100,000 mutations.
//
//   fuzz [options] <realm>…
//     --mutations N    how many, spread over the realms (default 1000)
//     --first N        seed of the first one (default 0)
//     --processes N    processes that share the work (default 1)
//     --seconds N      the processor time that one step may take (default 2)
//     --megabytes N    the growth of the memory of a process; 0: any (default 256)
//     --key FILE       key of encrypted realms
//     --flips N        flips N single bits of reachable nodes of each realm instead, and counts which of
//                      them `verify` finds, which must include all on which an export fails
//     --tell-flips     with --flips, a line for each flip, to compare with another program: "flip", the
//                      name of the realm, byte, bit, the worst severity that verify reports or "sound",
//                      and the kind of the place, separated by tabs
//     --rewrites       compacts, encrypts, copies and converts the mutations instead of reading them, and
//                      verifies the results
//     --verify         verifies the mutations and does nothing else with them
//     --imports        mutates exports of the realms (Realm JSON, lines, plain JSON, CSV, folders of EJSON and
//                      of CSV) and imports them as dry runs, into new realms and into the exported ones
//     --queries        mutates queries on one realm, for which the queries of
//                      Tests/Fixtures/query are made
//     --salvage        salvages the mutations; the results must have no errors
//     --in-process     works in this process; by default, children work, so that a crash ends only one of them
//
// Each failure is a line with the seed: `fuzz --in-process --first SEED --mutations 1 <realm>…` with
// the same realms makes the same mutation again.

import Foundation
import RealmStorage

let options: FuzzOptions
do {
  options = try FuzzOptions(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("fuzz: \(error)\n".utf8))
  exit(64)
}
if let flips = options.flips {
  exit(try BitFlips.run(options, count: flips) ? 0 : 1)
} else if options.isInProcess {
  try Worker(options).run()
} else {
  exit(Parent(options).run() == 0 ? 0 : 1)
}
