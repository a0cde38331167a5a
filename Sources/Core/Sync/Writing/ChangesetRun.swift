import RealmBuilding
import RealmModel
import RealmStorage

/// Appends changesets of this client to a history, and limits their size, because a client uploads each as a whole.
package struct ChangesetRun {
  /// A changeset ends when it has this many objects or bytes.
  private static let (objectLimit, byteLimit) = (1000, 500_000)
  /// Maximum bytes of a changeset: servers refuse messages of more than 16 MiB, including the header.
  package static let sizeLimit = 16 << 20 - 256
  /// Maximum number of objects that are reported as obstacles, each by name.
  private static let obstacleLimit = 100

  /// The result: what was appended, and which objects no changeset can hold.
  package struct Report: Sendable {
    package var objectCount = 0
    /// The number of changesets that are not empty.
    package var changesetCount = 0
    /// Bytes of the changesets.
    package var byteCount = 0
    /// The objects that no changeset can hold.
    package var obstacles: [SyncObstacle] = []
    /// The number of objects in the last obstacle, if it counts further objects.
    fileprivate var unnamed = 0

    package init() {}

    /// Adds the report of a further run.
    mutating func add(_ other: Report) {
      objectCount += other.objectCount
      changesetCount += other.changesetCount
      byteCount += other.byteCount
      obstacles += other.obstacles
    }

    /// - Throws: `unsupported` if there are obstacles.
    func checkFits() throws(RealmFileError) {
      guard obstacles.isEmpty else {
        throw RealmFileError(.unsupported("objects cannot be uploaded"))
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
  ///   - history: receives the changesets, after its entries so far.
  ///   - now: seconds since 1970.
  ///   - remoteVersion: the server version on which the changes build.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller limits.
  init(
    _ history: ClientHistoryWriter, _ instructions: ObjectInstructions, now: Int,
    remoteVersion: Int64, sizeLimit: Int = ChangesetRun.sizeLimit
  ) {
    (self.history, self.instructions) = (history, instructions)
    time = ClientHistoryWriter.timestamp(now)
    (self.remoteVersion, self.sizeLimit) = (remoteVersion, sizeLimit)
  }

  /// Appends a changeset, which may be empty, with the classes and properties that `old` does not have.
  ///
  /// - Parameter old: nil for all classes.
  mutating func addSchema(beyond old: ObjectSchema?) throws(RealmFileError) {
    instructions.addSchema(beyond: old, to: &changeset)
    if changeset.bytes.count > sizeLimit {
      report.obstacles.append(
        SyncObstacle(
          kind: .schemaTooLarge(byteCount: changeset.bytes.count, limit: sizeLimit),
          className: "", property: nil))
    }
    try endChangeset()
  }

  /// Adds an object to the changeset, and ends the changeset if it is large. An object that no changeset can hold is
  /// reported as an obstacle.
  ///
  /// - Throws: the errors of reading a large collection and of writing.
  mutating func add(_ object: ChangedObject) throws(RealmFileError) {
    // A large collection can be read only once, so its object begins a changeset.
    if object.isLarge { try endObjects() }
    let mark = changeset.mark
    var refusal = try instructions.add(object, to: &changeset, sizeLimit: sizeLimit)
    if refusal != nil {
      changeset.reset(to: mark)
      if refusal == .tooLarge, objectCount > 0 {
        try endChangeset()
        refusal = try instructions.add(object, to: &changeset, sizeLimit: sizeLimit)
        if refusal != nil { changeset = ChangesetEncoder() }
      }
    }
    if let refusal {
      guard report.obstacles.count < ChangesetRun.obstacleLimit else { return noteUnnamed() }
      report.obstacles.append(instructions.obstacle(object, refusal, sizeLimit: sizeLimit))
      return
    }
    objectCount += 1
    if objectCount == ChangesetRun.objectLimit || changeset.bytes.count >= ChangesetRun.byteLimit {
      try endChangeset()
    }
  }

  /// Adds an instruction to the changeset, and ends the changeset if it is large.
  ///
  /// - Throws: the errors of writing.
  mutating func append(_ instruction: Instruction) throws(RealmFileError) {
    changeset.append(instruction)
    if changeset.bytes.count >= ChangesetRun.byteLimit { try endChangeset() }
  }

  /// Appends the changeset if it has instructions, and begins the next one.
  mutating func endInstructions() throws(RealmFileError) {
    if !changeset.bytes.isEmpty { try endChangeset() }
  }

  /// Counts a further object that no changeset can hold, in the last obstacle.
  private mutating func noteUnnamed() {
    if report.unnamed > 0 { report.obstacles.removeLast() }
    report.unnamed += 1
    report.obstacles.append(
      SyncObstacle(
        kind: .more(count: report.unnamed), className: "", property: nil))
  }

  /// Appends the changeset, even if it is empty, and begins the next one.
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

  /// Appends the changeset if it has objects, and begins the next one.
  mutating func endObjects() throws(RealmFileError) {
    if objectCount > 0 { try endChangeset() }
  }
}

/// An object that a changeset creates or changes.
struct ChangedObject {
  let batch: ObjectBatch
  let row: Int
  /// Whether the realm did not have the object before.
  let isNew: Bool
  private let values: (Int) -> (values: ColumnValues, row: Int)?

  /// A new object with all values of the batch.
  init(_ batch: ObjectBatch, row: Int) {
    (self.batch, self.row, isNew) = (batch, row, true)
    values = { property in batch.columns[property].map { ($0, row) } }
  }

  /// An object that a realm has, with new values of some properties.
  ///
  /// - Parameter changed: positions of the properties.
  init(_ batch: ObjectBatch, row: Int, changed: [Int]) {
    (self.batch, self.row, isNew) = (batch, row, false)
    values = { property in
      changed.contains(property) ? batch.columns[property].map { ($0, row) } : nil
    }
  }

  /// An object that is added to a realm.
  init(_ objects: AddedObjects, row: Int) {
    (batch, self.row, isNew) = (objects.batch, row, objects.areNew)
    values = { objects.values(ofProperty: $0, row: row) }
  }

  /// Whether a collection of the object comes in runs.
  var isLarge: Bool { batch.columns.contains { $0?.hasRuns ?? false } }

  /// The place of the value of a property; nil if the changeset does not set the property.
  func values(ofProperty property: Int) -> (values: ColumnValues, row: Int)? { values(property) }
}
