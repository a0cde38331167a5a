public import RealmModel
public import RealmStorage
import Synchronization

/// Compares two realms: their schemas, and their objects with all values.
///
/// Objects are matched by primary key, in classes without one by object key. Both sides are read once, in the order of
/// their object keys; objects whose counterpart has another object key are matched afterwards by digests of their
/// primary keys.
///
/// ```swift
/// let diff = RealmDiff(from: try Realm(before), to: try Realm(after))
/// let report = try diff.run { event in
///   if case .change(let change) = event { print(change.kind, change.className, change.identity) }
/// }
/// ```
///
/// The events depend only on the realms, not on the number of threads.
public struct RealmDiff: Sendable {
  /// What to compare, and which changes to report.
  public struct Request: Sendable {
    /// Names of classes; nil for all.
    public var classes: Set<String>?
    /// Properties that are not compared, by name of their class.
    public var ignored: [Name: Set<Name>] = [:]
    /// Whether objects of classes without a primary key are matched by their values instead of their object keys. Then
    /// none of them is changed; those without a counterpart are added or removed.
    public var matchesContent = false
    /// Maximum number of changes of a class that are reported one by one; the others are only counted.
    public var changeLimit = Int.max
    /// Whether changes of added and removed objects have their values.
    public var includesObjects = true
    /// Number of threads.
    public var jobs = 1
    /// Maximum bytes of records that match objects; the others go to unlinked files.
    public var memoryByteCount = 256 << 20

    public init() {}
  }

  /// A part of the result, in order.
  public enum Event: Sendable {
    case change(ObjectChange)
    /// All changes of a class have been reported.
    case endOfClass(ClassDifference)
  }

  /// The result without the changed objects.
  public struct Report: Sendable {
    public let schemaChanges: [SchemaChange]
    public let classes: [ClassDifference]

    /// Whether neither the schemas nor any objects differ.
    public var isEqual: Bool { schemaChanges.isEmpty && classes.allSatisfy(\.isEqual) }
  }

  let old: Realm
  let new: Realm
  private let request: Request
  private let areVersionsOfOneFile: Bool
  let schemas: SchemaPair

  /// - Parameter areVersionsOfOneFile: whether both realms are versions of the same file. Nodes with equal refs are then
  ///   equal, and most of them are not read.
  public init(
    from old: Realm, to new: Realm, _ request: Request = Request(),
    areVersionsOfOneFile: Bool = false
  ) {
    (self.old, self.new, self.request) = (old, new, request)
    self.areVersionsOfOneFile = areVersionsOfOneFile
    schemas = SchemaPair(old.objectSchema, new.objectSchema, ignored: request.ignored)
  }

  /// The names of classes at the positions that links of changes have.
  public var classNames: [Name] { schemas.classNames }

  /// The changes of the compared classes from the old to the new schema, without those of ignored properties.
  public var schemaChanges: [SchemaChange] {
    SchemaComparison(from: old.objectSchema, to: new.objectSchema).changes.filter { change in
      isWanted(change.className)
        && !(change.property.map { isIgnored($0, change.className) } ?? false)
    }
  }

  func isIgnored(_ property: Name, _ className: Name) -> Bool {
    request.ignored[className]?.contains(property) ?? false
  }

  func isWanted(_ className: Name) -> Bool {
    request.classes?.contains(className.text) ?? true
  }

  /// Compares the realms.
  ///
  /// - Parameters:
  ///   - progress: receives the number of objects done and the total, from different threads, one call at a time.
  ///   - receive: called from different threads, one call at a time.
  /// - Throws: `damaged`, with rule `key.duplicate` for objects with the same primary key; the errors of an encrypted
  ///   realm and of temporary files; the errors of `receive`.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    _ receive: (Event) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Report {
    let pairs = schemas.classes(matchesContent: request.matchesContent).filter {
      isWanted($0.name)
    }
    let states = Pool(old, new, schemas, request)
    let shared = areVersionsOfOneFile ? SharedNodes(old: old, new: new, schemas: schemas) : nil
    let total = pairs.reduce(0) { $0 + count($1) }
    var done = 0
    var classes: [ClassDifference] = []
    for pair in pairs {
      let before = done
      let difference: ClassDifference
      do throws(RealmFileError) {
        difference = try withoutActuallyEscaping(receive) { (receive) throws(RealmFileError) in
          try ClassComparison(pair, old, new, request, shared, states, receive).run {
            progress(min(before + $0, total), total)
          }
        }
      } catch {
        throw error.adding(className: pair.name.text)
      }
      done += count(pair)
      classes.append(difference)
      try receive(.endOfClass(difference))
    }
    return Report(schemaChanges: schemaChanges, classes: classes)
  }

  /// Number of objects of a class on the side with more of them.
  private func count(_ pair: ClassPair) -> Int {
    max(
      pair.old.map { old.schema.tables[$0].objectCount } ?? 0,
      pair.new.map { new.schema.tables[$0].objectCount } ?? 0)
  }
}

/// The states of threads, which are used again for the next class.
final class Pool: Sendable {
  private let old: Realm
  private let new: Realm
  private let schemas: SchemaPair
  private let request: RealmDiff.Request
  /// The states that no thread uses.
  private let idle = Mutex<[PartComparison]>([])

  init(_ old: Realm, _ new: Realm, _ schemas: SchemaPair, _ request: RealmDiff.Request) {
    (self.old, self.new, self.schemas, self.request) = (old, new, schemas, request)
  }

  /// Calls `body` with a state that no other thread uses meanwhile.
  func with<R>(
    _ body: (PartComparison) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    let known = idle.withLock { $0.popLast() }
    let state =
      if let known { known } else { try PartComparison(old, new, schemas, request) }
    // After an error, the state may be in the middle of a part, so it is dropped.
    let result = try body(state)
    idle.withLock { $0.append(state) }
    return result
  }
}
