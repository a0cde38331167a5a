import Commands
import Foundation
import RealmStorage
import TestSupport
import Testing

@Suite("Signals")
struct SignalsTests {
  @Test(
    "an interrupted process removes its unfinished output and its folder, and ends with the signal's code"
  )
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.json")

    await #expect(processExitsWith: .exitCode(143)) { [path = path as String] in
      try end(with: SIGTERM, writing: path)
    }
    await #expect(processExitsWith: .exitCode(130)) { [path = path as String] in
      try end(with: SIGINT, writing: path)
    }
    let inside = folder.path("out")
    await #expect(processExitsWith: .exitCode(143)) { [inside = inside as String] in
      Signals.install()
      let created = CreatedFolders()
      try TargetFolder.make([], in: inside, created: created)
      let file = try OutputFile(path: inside + "/a.csv", replacing: false)
      // The folder is not empty yet, so it stays until the file is gone.
      created.removeEmpty()
      kill(getpid(), SIGTERM)
      sleep(10)
      try file.publish()
    }
    #expect(try folder.names() == [])
  }
}

private func end(with signal: Int32, writing path: String) throws {
  Signals.install()
  let file = try OutputFile(path: path, replacing: false)
  try file.write("half")
  kill(getpid(), signal)
  // Another thread may be the one that the system chose for the signal.
  sleep(10)
  try file.publish()
}
