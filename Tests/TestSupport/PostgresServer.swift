import Foundation

/// A new, empty PostgreSQL server, which ends with this object. `Tests/Readback/with-postgres` starts it.
public final class PostgresServer {
  /// Whether `psql` and the server are installed.
  public static let isInstalled =
    Programs.isInstalled("psql")
    && (Programs.isInstalled("initdb")
      || FileManager.default.fileExists(atPath: "/usr/lib/postgresql"))

  /// The variables by which `psql` finds it.
  public let environment: [String: String]
  private let process = Process()
  private let input = Pipe()

  public init() throws {
    let output = Pipe()
    process.executableURL = packageFolder.appending(path: "Tests/Readback/with-postgres")
    // The server runs until its input is closed.
    process.arguments = ["sh", "-c", "echo $PGHOST; cat"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw CocoaError(.fileReadUnknown) }
      line += bytes
    }
    let host = String(decoding: line.dropLast(), as: UTF8.self)
    environment = ["PGHOST": host, "PGUSER": "realm", "PGDATABASE": "postgres"]
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
