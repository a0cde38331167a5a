// Commits to a realm repeatedly, like an app, for tests that read it meanwhile.
//
//   test-writer <realm> <class> <property> [--lock] [--pause MICROSECONDS] [--objects COUNT]
//
// The property is one of doubles, without an index. In each version all of its values are the number of
// the version, so an export with two of them was read from two versions. With --lock
// the shared lock is held that every app holds on `<realm>.lock`. With --objects, a commit changes only COUNT
// objects, the first ones of as many clusters. Writes `ready` after the first commit, works until standard
// input is closed, and then prints the number of commits.

import Foundation
import Synchronization

let arguments = CommandLine.arguments.dropFirst()
let names = Array(arguments.prefix { !$0.hasPrefix("--") })
/// The number after an option.
func number(_ option: String) -> Int? {
  arguments.firstIndex(of: option).flatMap { Int(arguments[$0 + 1]) }
}
guard names.count == 3 else {
  FileHandle.standardError.write(Data("test-writer: <realm> <class> <property>\n".utf8))
  exit(64)
}
let pause = number("--pause").map { UInt32($0) } ?? 5_000
if arguments.contains("--lock") {
  let lock = unsafe open(names[0] + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
  precondition(lock >= 0 && flock(lock, LOCK_SH) == 0)
}

let isStopped = Atomic(false)
Thread.detachNewThread {
  _ = try? FileHandle.standardInput.readToEnd()
  isStopped.store(true, ordering: .relaxed)
}

let writer = try Writer(
  path: names[0], className: names[1], property: names[2], objectLimit: number("--objects"))
var commits = 0
repeat {
  writer.commit()
  if commits == 0 { FileHandle.standardOutput.write(Data("ready\n".utf8)) }
  commits += 1
  if pause > 0 { usleep(UInt32.random(in: 0..<pause)) }
} while !isStopped.load(ordering: .relaxed)
FileHandle.standardOutput.write(Data("\(commits) commits\n".utf8))
