import Foundation
import RealmModel
import RealmQuery

// Measures queries in one process, like a program with an open realm: without opening the
// realm, and with its pages in memory.
//
//   time-queries REALM CLASS JOBS QUERY...
//
// Prints one line for each query: the shortest time of 30 runs in milliseconds, and the number of found objects.

let arguments = CommandLine.arguments
guard arguments.count > 4, let jobs = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: time-queries REALM CLASS JOBS QUERY...\n".utf8))
  exit(64)
}
let realm = try Realm(path: arguments[1])
let clock = ContinuousClock()
for text in arguments[4...] {
  let query = try Query(text, ofClass: arguments[2], in: realm.schema.objects)
  var (least, count) = (Duration.seconds(3600), 0)
  for _ in 0..<30 {
    let time = try clock.measure { count = try query.run(in: realm, jobs: jobs).keys.count }
    least = min(least, time)
  }
  let microseconds = least.components.attoseconds / 1_000_000_000_000
  print("\(Double(microseconds) / 1000)\t\(count)")
}
