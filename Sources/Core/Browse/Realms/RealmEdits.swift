import RealmJobs
import RealmStorage
import Synchronization

/// What is edited of a realm and not saved yet: its objects in a draft, its classes in a plan.
final class RealmEdits: Sendable {
  let draft: Draft
  let plan: SchemaPlan
  private let editing: Editing
  /// Whether a save of this process kept the original.
  private let hasOriginal = Mutex(false)

  /// - Parameter path: path of the realm.
  /// - Throws: the errors of naming the files of the draft and the plan.
  init(_ editing: Editing, path: String) throws(RealmFileError) {
    self.editing = editing
    var (patch, plan): (DraftFile?, DraftFile?)
    if let folder = editing.stateFolder {
      patch = try DraftFile(stateFolder: folder, realm: path)
      plan = try DraftFile(stateFolder: folder, realm: path, ending: "yml")
    }
    (draft, self.plan) = (Draft(file: patch), SchemaPlan(file: plan))
  }

  /// Saves in the realm. The first save keeps the original.
  ///
  /// - Parameter save: saves, and returns the path of the kept original, if there is one.
  /// - Throws: the errors of `save`.
  func saving<Report>(
    _ save: (Draft.Destination) throws -> Report, original: (Report) -> String?
  ) throws -> Report {
    try hasOriginal.withLock { hasOriginal in
      let report = try save(.realm(keepsOriginal: editing.keepsOriginal && !hasOriginal))
      if original(report) != nil { hasOriginal = true }
      return report
    }
  }
}

/// The name of a copy beside a realm.
enum CopyName {
  private static let ending = ".realm"
  /// Maximum number of bytes of a file name.
  private static let byteLimit = 255

  /// The path of a new file in the folder of a realm.
  ///
  /// - Throws: ``HTTPError`` if `name` is a path, hidden, or not the name of a realm.
  static func path(_ name: String, beside realm: String) throws(HTTPError) -> String {
    // Bytes, because a character such as a dot with an accent is no dot.
    guard name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else {
      throw HTTPError(422, "the name of a copy ends with .realm")
    }
    guard name.utf8.first != UInt8(ascii: "."), name.utf8.count <= byteLimit,
      !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") })
    else {
      throw HTTPError(
        422, "the name of a copy has no slash, does not begin with a dot, and has at most 255 bytes"
      )
    }
    let folder = realm.utf8.lastIndex(of: UInt8(ascii: "/")).map { realm[...$0] } ?? ""
    return folder + name
  }
}
