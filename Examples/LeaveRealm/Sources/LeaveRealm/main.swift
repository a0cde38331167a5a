import Foundation
import RealmReader

// Moves the data of an app from Realm to GRDB:
//
//     LeaveRealm <realm> <database> [<key file>]
//
// An app calls `Leaving` where it opened its realm before, and shows the progress.

let arguments = CommandLine.arguments
guard arguments.count == 3 || arguments.count == 4 else {
  FileHandle.standardError.write(Data("LeaveRealm <realm> <database> [<key file>]\n".utf8))
  exit(64)
}

/// Writes a line at once, also into a pipe.
func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

do {
  let key = arguments.count == 4 ? try KeyFile.read(arguments[3]).key : nil
  var leaving = try Leaving(from: arguments[1], key: key, to: arguments[2])
  leaving.progress = { name, count, all in report("\(name): \(count) of \(all)") }
  try leaving.run()
  report("all rows are there")
} catch {
  FileHandle.standardError.write(Data("LeaveRealm: \(error)\n".utf8))
  exit(1)
}
