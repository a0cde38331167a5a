public import RealmStorage

/// What the changesets that are not uploaded change, counted by class.
public struct UnsyncedChanges: Sendable {
  /// The objects of a class.
  public struct ClassChanges: Sendable, Equatable {
    public var className: String
    public var created = 0
    /// Changed, but created before.
    public var updated = 0
    /// Deleted, but created before.
    public var deleted = 0
  }

  /// A changeset that cannot be decoded.
  public struct Undecoded: Sendable {
    /// The version that it produced.
    public var version: Int
    /// Bytes of the changeset, uncompressed; nil if that is unknown.
    public var byteCount: Int?
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
    var room = UnsyncedChanges.byteLimit
    var (undecoded, isComplete): ([Undecoded], Bool) = ([], true)
    try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
      guard changeset.isPending else { return }
      let size = try changeset.byteCount()
      do throws(RealmFileError) {
        // A changeset that is too large is not unpacked.
        if let size, size <= StoredChangeset.sizeLimit {
          guard size <= room else {
            isComplete = false
            return
          }
          room -= size
        }
        try counts.add(try changeset.bytes())
      } catch {
        guard let reason = error.undecodedReason else { throw error }
        guard undecoded.count < UnsyncedChanges.undecodedLimit else {
          isComplete = false
          return
        }
        undecoded.append(Undecoded(version: changeset.version, byteCount: size, reason: reason))
      }
    }
    (self.undecoded, self.isComplete) = (undecoded, isComplete && counts.isComplete)
    schemaChanges = counts.schemaChanges
    classes = counts.classes
  }

  /// The last known fate of each object.
  private struct Counts {
    private enum Fate {
      case created, updated
      /// The server knows the object.
      case deleted
      /// Deleted and then created.
      case recreated
      /// Created and then deleted: the server never knows the object.
      case gone

      /// The fate after one more instruction.
      static func after(_ fate: Fate?, _ next: Fate) -> Fate {
        switch (fate, next) {
        case (.created, .deleted), (.gone, .deleted): .gone
        case (.deleted, .created), (.recreated, .created): .recreated
        // Creating an object that exists changes nothing.
        case (.updated, .created): .updated
        case (.created?, .updated), (.recreated?, .updated), (.gone?, .updated),
          (.deleted?, .updated):
          fate ?? .updated
        default: next
        }
      }
    }

    /// The objects of a class by the hash of their identity, as keys can be long. Among the most objects that are
    /// counted, two have the same one in one of a billion cases.
    private struct Objects {
      let name: Instruction.InternedName
      var fates: [Int: Fate] = [:]
    }

    /// Bytes of the name of a class that are kept: more than any class of a realm has.
    private static let nameLimit = 64

    /// By the hash of the name.
    private var objects: [Int: Objects] = [:]
    private var objectCount = 0
    var schemaChanges = 0
    var isComplete = true

    /// - Throws: `unsupported` for a changeset that cannot be decoded; what precedes the error counts.
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
        set(place.table, place.key, .updated)
      }
    }

    private mutating func set(
      _ table: Instruction.InternedName, _ key: Instruction.ObjectIdentity, _ next: Fate
    ) {
      let (table, name) = (table.hashValue, table.bytes.prefix(Counts.nameLimit))
      let key = key.hashValue
      let fate = objects[table]?.fates[key]
      if fate == nil {
        guard objectCount < UnsyncedChanges.objectLimit else {
          isComplete = false
          return
        }
        objectCount += 1
      }
      objects[table, default: Objects(name: Instruction.InternedName(Array(name)))].fates[key] =
        Fate.after(fate, next)
    }

    /// The classes with changes.
    var classes: [ClassChanges] {
      objects.values.map { objects in
        var changes = ClassChanges(className: objects.name.text)
        for fate in objects.fates.values {
          switch fate {
          case .created, .recreated: changes.created += 1
          case .updated: changes.updated += 1
          case .deleted: changes.deleted += 1
          case .gone: break
          }
        }
        return changes
      }
      .filter { $0.created + $0.updated + $0.deleted > 0 }
      .sorted { $0.className < $1.className }
    }
  }
}

extension UnsyncedChanges.ClassChanges: CustomStringConvertible {
  /// `Person: 2 created, 1 updated, 0 deleted`.
  public var description: String {
    "\(className): \(created) created, \(updated) updated, \(deleted) deleted"
  }
}

extension RealmFileError {
  /// Why a changeset cannot be decoded, without its place; nil for an error of reading it.
  package var undecodedReason: String? {
    switch kind {
    case .unsupported(let why): why
    case .damaged(.historyWrapper): detail
    default: nil
    }
  }
}
