public import RealmStorage

/// What the changesets that are not uploaded change, counted by class.
public struct UnsyncedChanges: Sendable {
  /// The objects of a class.
  public struct ClassChanges: Sendable, Equatable {
    public var className: String
    public var created = 0
    /// Changed, but created before.
    public var updated = 0
    public var deleted = 0
  }

  /// A changeset that cannot be decoded.
  public struct Undecoded: Sendable {
    /// The version that it produced.
    public var version: Int
    /// Bytes of the changeset, uncompressed.
    public var byteCount: Int
    /// A clause.
    public var reason: String
  }

  /// The objects that are told apart; changes of others are not counted.
  private static let objectLimit = 200_000
  /// The most bytes that are unpacked.
  private static let byteLimit = 1 << 30
  private static let undecodedLimit = 1000

  /// Sorted by the names of the classes.
  public private(set) var classes: [ClassChanges] = []
  /// Instructions that change the schema.
  public private(set) var schemaChanges = 0
  public private(set) var undecoded: [Undecoded] = []
  /// False if there are more changes than were counted.
  public private(set) var isComplete = true

  /// Counts the pending changesets of `history`, the one of `snapshot`.
  ///
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`.
  public init(_ history: ClientHistory, of snapshot: Snapshot) throws(RealmFileError) {
    guard history.schemaVersion >= ClientHistory.oldestDecodedSchemaVersion else {
      undecoded = history.pending.prefix(UnsyncedChanges.undecodedLimit).map {
        Undecoded(
          version: $0.version, byteCount: $0.byteCount,
          reason: "histories of schema version \(history.schemaVersion) are not decoded")
      }
      isComplete = undecoded.count == history.pending.count
      return
    }
    var counts = Counts()
    var byteCount = 0
    var (undecoded, isComplete): ([Undecoded], Bool) = ([], true)
    try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
      guard changeset.isPending else { return }
      let size = try changeset.byteCount()
      byteCount = byteCount.addingReportingOverflow(size).partialValue
      guard size <= StoredChangeset.sizeLimit, byteCount <= UnsyncedChanges.byteLimit else {
        isComplete = false
        return
      }
      do throws(RealmFileError) {
        try counts.add(try changeset.bytes())
      } catch {
        guard undecoded.count < UnsyncedChanges.undecodedLimit else {
          isComplete = false
          return
        }
        undecoded.append(
          Undecoded(version: changeset.version, byteCount: size, reason: error.reason))
      }
    }
    (self.undecoded, self.isComplete) = (undecoded, isComplete && counts.isComplete)
    schemaChanges = counts.schemaChanges
    classes = counts.classes
  }

  /// The last known fate of each object.
  private struct Counts {
    private enum Fate { case created, updated, deleted }

    private var fates: [Instruction.InternedName: [Instruction.ObjectIdentity: Fate]] = [:]
    private var objectCount = 0
    var schemaChanges = 0
    var isComplete = true

    /// - Throws: `damaged` for a changeset that cannot be decoded; what precedes the error counts.
    mutating func add(_ bytes: [UInt8]) throws(RealmFileError) {
      var changeset = Changeset(bytes)
      do throws(ChangesetError) {
        while let instruction = try changeset.next() { add(instruction) }
      } catch {
        throw RealmFileError(.unsupported(error.description))
      }
    }

    private mutating func add(_ instruction: Instruction) {
      switch instruction {
      case .addTable, .eraseTable, .addColumn, .eraseColumn: schemaChanges += 1
      case .createObject(let table, let key): set(table, key, .created)
      case .eraseObject(let table, let key): set(table, key, .deleted)
      case .update(let place, _, _), .addInteger(let place, _), .arrayInsert(let place, _, _),
        .arrayMove(let place, _, _), .arrayErase(let place, _), .clear(let place, _),
        .setInsert(let place, _), .setErase(let place, _):
        guard fates[place.table]?[place.key] == nil else { return }
        set(place.table, place.key, .updated)
      }
    }

    private mutating func set(
      _ table: Instruction.InternedName, _ key: Instruction.ObjectIdentity, _ fate: Fate
    ) {
      if fates[table]?[key] == nil {
        guard objectCount < UnsyncedChanges.objectLimit else {
          isComplete = false
          return
        }
        objectCount += 1
      }
      fates[table, default: [:]][key] = fate
    }

    var classes: [ClassChanges] {
      fates.map { name, objects in
        var changes = ClassChanges(className: name.text)
        for fate in objects.values {
          switch fate {
          case .created: changes.created += 1
          case .updated: changes.updated += 1
          case .deleted: changes.deleted += 1
          }
        }
        return changes
      }.sorted { $0.className < $1.className }
    }
  }
}

extension RealmFileError {
  /// Why a changeset cannot be decoded, without its place.
  fileprivate var reason: String {
    if case .unsupported(let why) = kind { why } else { description }
  }
}
