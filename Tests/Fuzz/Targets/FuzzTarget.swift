import Foundation
import TestSupport

/// What untrusted bytes are given to.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A realm, read in every way.
  case realm
  /// The same for a realm that is encrypted, so that its nodes are read from decrypted pages.
  case encrypted
  /// A realm that is rewritten; the result must have no errors that the realm does not have.
  case rewrite
  /// A realm that is salvaged; the result must have no errors.
  case salvage
  /// A file that is imported. The first byte selects the name of the file, the second the request.
  case `import`
  /// A query. The first byte selects the class.
  case query
  /// A migration plan in YAML. The first byte selects the realm.
  case plan
  /// A backup, which is listed, verified and restored.
  case archive
  /// A changeset, stored or unwrapped.
  case changeset
  /// A request to the server of `browse`: a head, and a body that may be a form.
  case request
}

/// An input broke a promise.
package struct FuzzFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension FuzzTarget {
  /// The folder of the kept inputs. All targets that take a realm share one.
  private var corpusName: String {
    switch self {
    case .realm, .encrypted, .rewrite, .salvage: FuzzTarget.realm.rawValue
    default: rawValue
    }
  }

  /// The kept inputs, in the order of their names.
  package func corpus() throws -> [(path: String, bytes: [UInt8])] {
    let folder = packageFolder.appending(path: "Tests/Fuzz/Corpus/\(corpusName)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      let path = folder.appending(path: name).path
      return (path, try readFile(path))
    }
  }
}
