import Foundation
import RealmQuery
import RealmStorage
import TestSupport

/// Gives inputs to a target, one after another.
///
/// Files are in a temporary folder; put `TMPDIR` on a file system in memory.
package final class FuzzRun: Sendable {
  private let target: FuzzTarget
  private let folder: TemporaryFolder
  /// The realm of queries, and their parts.
  private let queries: Queries?

  package init(_ target: FuzzTarget) throws {
    self.target = target
    folder = try TemporaryFolder()
    queries = target == .query ? try Queries() : nil
  }

  /// Gives `bytes` to the target.
  ///
  /// - Throws: ``FuzzFailure`` if a promise is broken.
  package func run(_ bytes: [UInt8]) throws {
    let choice = FuzzRun.choice(bytes)
    switch target {
    case .realm:
      try RealmReading(path: try folder.write(bytes, to: "x.realm"), choice: choice).run()
    case .encrypted:
      let key = try FuzzRun.key
      let path = try RealmReading.encrypt(bytes, with: key, in: folder)
      try RealmReading(path: path, key: key, choice: choice).run()
    case .rewrite: try Rewrites(of: try folder.write(bytes, to: "x.realm"), choice: choice).run()
    case .salvage: try Salvages(of: try folder.write(bytes, to: "x.realm"), choice: choice).run()
    case .import: try Imports(bytes, in: folder).run()
    case .query: try FuzzRun.expecting("query") { try queries?.run(bytes) }
    case .plan: try Plans(bytes, in: folder).run()
    case .archive: try Archives(bytes, in: folder, choice: choice).run()
    case .changeset: try Changesets(bytes).run()
    case .request: try Requests(bytes).run()
    }
  }

  private static var key: RealmKey { get throws { try RealmKey(bytes: Array(1...64)) } }

  /// A number that depends on all bytes, for parts of the work that are too slow to be done for every input
  /// (Fowler, Noll and Vo).
  private static func choice(_ bytes: [UInt8]) -> Int {
    var hash: UInt32 = 0x811C_9DC5
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return Int(hash >> 8)
  }

  /// Runs `body`, which may fail as any file may.
  ///
  /// - Returns: the error.
  @discardableResult
  static func expecting(_ what: String, _ body: () throws -> Void) throws -> (any PathError)? {
    do {
      try body()
      return nil
    } catch let error as any PathError {
      return error
    } catch let error as FuzzFailure {
      throw error
    } catch {
      throw FuzzFailure("\(what) ends with an error that has no path: \(error)")
    }
  }

  /// A change of `bytes` that keeps most of their form; nil if the target has no such changes.
  package func mutation(of bytes: [UInt8], seed: UInt64) -> [UInt8]? {
    switch target {
    case .realm, .encrypted, .rewrite, .salvage:
      var mutation = RealmMutation(of: bytes, seed: seed)
      return mutation.make()
    case .import:
      guard bytes.count > Imports.headerByteCount else { return nil }
      var mutation = TextMutation(of: Array(bytes[Imports.headerByteCount...]), seed: seed)
      return bytes[..<Imports.headerByteCount] + mutation.make()
    case .query:
      guard let queries, let first = bytes.first else { return nil }
      return [first] + queries.mutation(of: Array(bytes.dropFirst()), seed: seed)
    case .request:
      var mutation = TextMutation(of: bytes, seed: seed)
      return mutation.make()
    case .plan, .archive, .changeset: return nil
    }
  }
}
