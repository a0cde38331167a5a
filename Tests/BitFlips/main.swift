// Flips single bits of reachable nodes of realms, and counts which of them `verify` finds, which must include
// all on which an export fails.
//
//   bit-flips [options] <realm>…
//     --flips N   how many in each realm (default 1000)
//     --seed N    selects them (default 0)
//     --tell      a line for each flip, to compare with another program: "flip", the name of the realm, byte,
//                 bit, the worst severity that verify reports or "sound", and the kind of the place, separated
//                 by tabs

import Foundation

do {
  let options = try BitFlipOptions(Array(CommandLine.arguments.dropFirst()))
  exit(try BitFlips.run(options) ? 0 : 1)
} catch let error as BitFlipOptions.Unknown {
  FileHandle.standardError.write(Data("bit-flips: \(error)\n".utf8))
  exit(64)
}
