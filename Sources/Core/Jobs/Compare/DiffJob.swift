public import RealmCompare
import RealmModel
public import RealmStorage

/// Compares two realms, texts that `export` wrote, or two versions of one realm. Reads one consistent version of each,
/// even while other processes write to the files, and changes nothing.
public struct DiffJob: Sendable {
  /// What to compare.
  public enum Inputs: Sendable {
    case two(from: String, to: String)
    /// The last two versions of a realm.
    case previous(String)
  }

  public struct Request: Sendable {
    public var inputs: Inputs
    /// The names of the compared classes, and which changes to report.
    public var diff = RealmDiff.Request()
    /// Ignored properties, as `Class.property`.
    public var ignored: [String] = []
    /// Maximum bytes of decrypted pages of each encrypted realm, and of records that match objects.
    public var memoryByteCount = Snapshot.usualCacheByteCount

    public init(_ inputs: Inputs) { self.inputs = inputs }
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// - Parameters:
  ///   - keys: the keys of the first realm and of the second one.
  ///   - begin: called with the comparison before it runs, and whether a realm is encrypted. Called again if a realm changed
  ///     and the comparison starts over.
  ///   - canStartOver: whether events can be taken back.
  ///   - receive: called from different threads, one call at a time.
  ///   - progress: receives the number of objects done and the total; called from several threads, one at a time.
  /// - Throws: the errors of opening a realm; ``ImportError`` for a wrong text; `noSuchClass`, `embeddedClass`,
  ///   `noSuchProperty`; `damaged`; `changedWhileReading`; the errors of `begin` and `receive`.
  public func run(
    keys: (from: some RealmKeySource, to: some RealmKeySource),
    begin: (RealmDiff, _ isEncrypted: Bool) throws -> Void, canStartOver: () -> Bool = { false },
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    _ receive: (RealmDiff, RealmDiff.Event) throws(RealmFileError) -> Void
  ) throws -> RealmDiff.Report {
    try ComparedInput.run(canStartOver: canStartOver) { access in
      let inputs = try open(keys, access)
      return try ComparedInput.proving([inputs.old, inputs.new]) {
        let before = try inputs.old.realm.current(jobs: request.diff.jobs)
        let after = try inputs.new.realm.current(jobs: request.diff.jobs)
        let diff = RealmDiff(
          from: before, to: after, try diffRequest(before, after),
          areVersionsOfOneFile: inputs.areVersionsOfOneFile)
        try begin(diff, inputs.old.isEncrypted || inputs.new.isEncrypted)
        return try diff.run(progress: progress) { (event) throws(RealmFileError) in
          try receive(diff, event)
        }
      }
    }
  }

  private func open(
    _ keys: (from: some RealmKeySource, to: some RealmKeySource), _ access: Snapshot.Access
  ) throws -> (old: ComparedInput, new: ComparedInput, areVersionsOfOneFile: Bool) {
    switch request.inputs {
    case .two(let from, let to):
      let old = try keys.from.open(from) { try ComparedInput(input(from, $0), access) }
      let new = try keys.to.open(to) { try ComparedInput(input(to, $0), access) }
      return (old, new, false)
    case .previous(let path):
      return try keys.to.open(path) { key in
        let new = try ComparedInput(input(path, key), access)
        var request = input(path, key)
        request.version = .previous
        let old = try ComparedInput(request, access)
        // A commit between both readings makes the newer version the previous one.
        guard old.realm.snapshot.top.version < new.realm.snapshot.top.version else {
          throw RealmFileError(.changedWhileReading, path: path)
        }
        return (old, new, !new.realm.snapshot.isLegacy)
      }
    }
  }

  private func input(_ path: String, _ key: RealmKey?) -> ComparedInput.Request {
    ComparedInput.Request(
      path: path, key: key, jobs: request.diff.jobs, memoryByteCount: request.memoryByteCount)
  }

  /// The request with the ignored properties, which one of the realms must have.
  ///
  /// - Throws: `noSuchClass`, `embeddedClass`, `noSuchProperty`.
  private func diffRequest(_ old: Realm, _ new: Realm) throws(RequestError) -> RealmDiff.Request {
    var diff = request.diff
    diff.memoryByteCount = request.memoryByteCount
    let schemas = [old.objectSchema, new.objectSchema]
    for name in (diff.classes ?? []).sorted() {
      let found = schemas.compactMap { $0.objectClass(named: name) }
      guard let objectClass = found.first else { throw RequestError(.noSuchClass(name)) }
      guard objectClass.kind != .embedded else { throw RequestError(.embeddedClass(name)) }
    }
    for text in request.ignored {
      let place = schemas.lazy.compactMap { DiffJob.property(text, in: $0) }.first
      guard let place else { throw RequestError(.noSuchProperty(text)) }
      diff.ignored[place.className, default: []].insert(place.property)
    }
    return diff
  }

  /// The class and property that `text` names, as `Class.property`; both names may contain points.
  private static func property(
    _ text: String, in schema: ObjectSchema
  ) -> (className: Name, property: Name)? {
    for objectClass in schema.appClasses.map({ schema.classes[$0] }) {
      let prefix = objectClass.name.text + "."
      guard text.hasPrefix(prefix) else { continue }
      if let property = objectClass.property(named: String(text.dropFirst(prefix.count))) {
        return (objectClass.name, property.name)
      }
    }
    return nil
  }
}
