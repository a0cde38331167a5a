import RealmModel
import RealmStorage

/// Appends changesets of this client to a history, and cuts them: a client uploads a changeset as a whole.
package struct ChangesetRun {
  /// Objects and bytes at which a changeset ends.
  private static let (objectLimit, byteLimit) = (1000, 500_000)
  /// Maximum bytes of a changeset: servers refuse messages of more than 16 MiB, header included.
  package static let sizeLimit = 16 << 20 - 256
  /// The most objects that are named because they are too large.
  private static let obstacleLimit = 100

  /// The result.
  package struct Report: Sendable {
    package var objectCount = 0
    /// Changesets that are not empty.
    package var changesetCount = 0
    /// Bytes of the changesets.
    package var byteCount = 0
    /// Objects that are too large to upload.
    package var obstacles: [SyncObstacle] = []

    /// - Throws: `unsupported` if an object is too large.
    func checkFits() throws(RealmFileError) {
      guard obstacles.isEmpty else {
        throw RealmFileError(.unsupported("objects are too large to upload"))
      }
    }
  }

  var history: ClientHistoryWriter
  private(set) var report = Report()
  private let instructions: ObjectInstructions
  private let time: Int64
  private let remoteVersion: Int64
  private let sizeLimit: Int
  private var changeset = ChangesetEncoder()
  /// Objects in the changeset.
  private var objectCount = 0

  /// - Parameters:
  ///   - history: receives the changesets after the entries that it has.
  ///   - now: seconds since 1970.
  ///   - remoteVersion: the server version that the changes build upon.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  init(
    _ history: ClientHistoryWriter, _ instructions: ObjectInstructions, now: Int,
    remoteVersion: Int64, sizeLimit: Int = ChangesetRun.sizeLimit
  ) {
    (self.history, self.instructions) = (history, instructions)
    time = Int64(now) * 1000 - ClientHistoryWriter.epoch
    (self.remoteVersion, self.sizeLimit) = (remoteVersion, sizeLimit)
  }

  /// Appends a changeset with the classes and properties that `old` does not have; it may be empty.
  ///
  /// - Parameter old: nil for all classes.
  mutating func addSchema(beyond old: ObjectSchema?) throws(RealmFileError) {
    instructions.addSchema(beyond: old, to: &changeset)
    try endChangeset()
  }

  /// Adds an object to the changeset, and ends that if it is large. An object that no changeset can hold is
  /// noted in the report.
  ///
  /// - Throws: the errors of reading a large collection and of writing.
  mutating func add(_ object: ChangedObject) throws(RealmFileError) {
    // A large collection is read once, so its object is not tried twice.
    if object.isLarge { try endObjects() }
    let mark = changeset.mark
    var fits = try instructions.add(object, to: &changeset, sizeLimit: sizeLimit)
    if !fits {
      changeset.reset(to: mark)
      if objectCount > 0 {
        try endChangeset()
        fits = try instructions.add(object, to: &changeset, sizeLimit: sizeLimit)
        if !fits { changeset = ChangesetEncoder() }
      }
    }
    guard fits else {
      guard report.obstacles.count < ChangesetRun.obstacleLimit else { return }
      report.obstacles.append(instructions.obstacle(object, sizeLimit: sizeLimit))
      return
    }
    objectCount += 1
    if objectCount == ChangesetRun.objectLimit || changeset.bytes.count >= ChangesetRun.byteLimit {
      try endChangeset()
    }
  }

  /// Appends the changeset, also an empty one, and begins the next one.
  mutating func endChangeset() throws(RealmFileError) {
    try history.append(
      ClientHistoryWriter.Entry(
        changeset: StoredChangeset.wrap(changeset.bytes), remoteVersion: remoteVersion,
        timestamp: time))
    report.byteCount += changeset.bytes.count
    report.changesetCount += changeset.bytes.isEmpty ? 0 : 1
    report.objectCount += objectCount
    changeset = ChangesetEncoder()
    objectCount = 0
  }

  /// Appends the changeset if there are objects in it.
  mutating func endObjects() throws(RealmFileError) {
    if objectCount > 0 { try endChangeset() }
  }
}
