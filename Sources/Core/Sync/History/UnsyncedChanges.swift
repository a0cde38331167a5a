public import RealmStorage

/// The changes in the changesets that are not uploaded, counted by class.
public struct UnsyncedChanges: Sendable {
  /// The number of changed objects of a class.
  public struct ClassChanges: Sendable, Equatable {
    public var className: String
    public var created = 0
    /// Objects that the server already has.
    public var updated = 0
    /// Objects that the server still has.
    public var deleted = 0
  }

  /// A changeset that cannot be decoded.
  public struct Undecoded: Sendable {
    /// The version that the changeset produced.
    public var version: Int
    /// Uncompressed bytes of the changeset; nil if unknown.
    public var byteCount: Int?
    /// Why the changeset cannot be decoded: a clause without a full stop.
    public var reason: String
  }

  /// Maximum number of objects whose changes are counted.
  private static let objectLimit = 200_000
  /// Maximum bytes of changesets that are unpacked.
  private static let byteLimit = 1 << 30
  /// Maximum number of undecoded changesets that are listed.
  private static let undecodedLimit = 1000

  /// The classes with changes, sorted by name.
  public private(set) var classes: [ClassChanges] = []
  /// Number of instructions that change the schema.
  public private(set) var schemaChanges = 0
  public private(set) var undecoded: [Undecoded] = []
  /// False if there are more changes than were counted.
  public private(set) var isComplete = true

  /// Counts the changes in the pending changesets of `history`, the history of `snapshot`.
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

  /// Counts the objects of each class by their fate.
  private struct Counts {
    /// The effect of all changesets together on an object.
    private enum Fate {
      case created, updated
      /// Deleted; the server has the object.
      case deleted
      /// Deleted, then created.
      case recreated
      /// Created, then deleted: the server never gets the object.
      case gone

      /// The fate after one more instruction.
      static func after(_ fate: Fate?, _ next: Fate) -> Fate {
        switch (fate, next) {
        case (.created, .deleted), (.gone, .deleted): .gone
        case (.deleted, .created), (.recreated, .created): .recreated
        // Creating an object that exists has no effect.
        case (.updated, .created): .updated
        case (.created?, .updated), (.recreated?, .updated), (.gone?, .updated),
          (.deleted?, .updated):
          fate ?? .updated
        default: next
        }
      }
    }

    /// The objects of a class, by the hashes of their identities because keys can be long. Even among the maximum
    /// number of objects, the probability that two have the same hash is one in a billion.
    private struct Objects {
      let name: Instruction.InternedName
      var fates: [Int: Fate] = [:]
    }

    /// Bytes of a class name that are kept; no class of a realm has a longer one.
    private static let nameLimit = 64

    /// By the hashes of the class names.
    private var objects: [Int: Objects] = [:]
    private var objectCount = 0
    var schemaChanges = 0
    var isComplete = true

    /// Adds the instructions of a changeset.
    ///
    /// - Throws: `unsupported` for a changeset that cannot be decoded. The instructions before the error count.
    mutating func add(_ bytes: [UInt8]) throws(RealmFileError) {
      var decoder = ChangesetDecoder(bytes)
      do throws(ChangesetError) {
        while let instruction = try decoder.next() { add(instruction) }
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
  /// Why a changeset cannot be decoded, without its place; nil if it could not be read.
  package var undecodedReason: String? {
    switch kind {
    case .unsupported(let why): why
    case .damaged(.historyWrapper): detail
    default: nil
    }
  }
}
