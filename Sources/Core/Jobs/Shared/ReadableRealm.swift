package import RealmLegacy
package import RealmModel
package import RealmStorage
import RealmSync

/// One version of a realm of any format, open for reading, with its decoded schema.
package enum ReadableRealm: Sendable {
  /// Formats from 10 on.
  case current(Realm)
  /// Formats 2 to 9.
  case legacy(LegacyRealm)

  /// - Throws: `halfUpgraded`; `damaged`; the errors of an encrypted source. All errors have the path.
  package init(_ snapshot: Snapshot) throws(RealmFileError) {
    self =
      snapshot.isLegacy ? .legacy(try LegacyRealm(snapshot)) : .current(try Realm(snapshot))
  }

  package var snapshot: Snapshot {
    switch self {
    case .current(let realm): realm.snapshot
    case .legacy(let realm): realm.snapshot
    }
  }

  package var schema: ObjectSchema {
    switch self {
    case .current(let realm): realm.schema.objects
    case .legacy(let realm): realm.schema
    }
  }

  /// The schema version set by the app; nil if it set none.
  ///
  /// - Throws: `damaged`.
  package func schemaVersion() throws(RealmFileError) -> UInt64? {
    switch self {
    case .current(let realm): try realm.schemaVersion()
    case .legacy(let realm): try realm.schemaVersion()
    }
  }

  /// The objects of classes, in this order; nil for all classes of the app except the embedded ones.
  func source(
    _ request: ObjectRequest, classes: [Int]? = nil
  ) -> any RealmObjectSource {
    switch self {
    case .current(let realm): RealmSource(realm, request, classes: classes)
    case .legacy(let realm): LegacySource(realm, request, classes: classes)
    }
  }

  /// Number of objects of the class at `position`; nil for an embedded class of
  /// formats 2 to 9, because only reading all objects shows it.
  package func objectCount(_ position: Int) -> Int? {
    switch self {
    case .current(let realm): realm.schema.tables[position].objectCount
    case .legacy(let realm): realm.layouts[position].table?.rowCount
    }
  }

  /// The properties that link to the class at `position`, as `Class.property`.
  package func origins(ofLinksTo position: Int) -> [String] {
    switch self {
    case .current(let realm): realm.schema.origins(ofLinksTo: position)
    case .legacy(let realm): realm.schema.origins(ofLinksTo: position)
    }
  }

  /// Whether the realm was used with flexible sync, which did not exist before format 10.
  var isFlexibleSync: Bool {
    switch self {
    case .current(let realm): InternalTables.isFlexibleSync(realm.schema)
    case .legacy: false
    }
  }

  /// This realm if its format is 10 or later; otherwise a realm of the current format in an unlinked file,
  /// with the same objects under the same keys.
  ///
  /// - Parameters:
  ///   - className: the class that is read; nil for all. Classes that no link connects with it may be empty.
  ///   - jobs: number of threads.
  /// - Throws: ``RebuildError`` for objects that no realm of the current format can hold; the errors of reading and
  ///   writing a realm. All errors have the path.
  package func current(ofClass className: String? = nil, jobs: Int) throws -> Realm {
    switch self {
    case .current(let realm): return realm
    case .legacy(let realm):
      do {
        return try rebuilt(realm, className, jobs: jobs)
      } catch {
        throw error.adding(path: realm.snapshot.path)
      }
    }
  }

  private func rebuilt(
    _ realm: LegacyRealm, _ className: String?, jobs: Int
  ) throws -> Realm {
    let classes = className.flatMap { realm.schema.connected(to: $0) }
    return try LegacyRebuild(realm, classes: classes, isTemporary: true, jobs: jobs)
      .staged(key: realm.snapshot.key) { _, _ in }
  }
}

extension ObjectRequest {
  /// The request for objects that a builder of a format 24 realm needs.
  static var forRebuild: ObjectRequest {
    var request = ObjectRequest()
    request.links = .keys
    request.normalization = .format24
    return request
  }
}

extension ObjectSchema {
  /// The positions of the classes that links connect with a class, in either direction; nil if there is no
  /// such class, or if a class has mixed values, which can link to any class.
  fileprivate func connected(to className: String) -> Set<Int>? {
    var waiting = classes.indices.filter { classes[$0].name.text == className }
    let hasMixed = classes.contains { $0.properties.contains { $0.type == .mixed } }
    guard !waiting.isEmpty, !hasMixed else { return nil }
    var neighbors = Array(repeating: [Int](), count: classes.count)
    for (origin, objectClass) in classes.enumerated() {
      for case let target? in objectClass.properties.map(\.target) {
        neighbors[origin].append(target)
        neighbors[target].append(origin)
      }
    }
    var reached = Set(waiting)
    while let position = waiting.popLast() {
      for next in neighbors[position] where reached.insert(next).inserted { waiting.append(next) }
    }
    return reached
  }

  /// The properties that link to the class at `position`, as `Class.property`.
  fileprivate func origins(ofLinksTo position: Int) -> [String] {
    appClasses.flatMap { origin in
      classes[origin].properties.filter { $0.type == .link && $0.target == position }.map {
        "\(classes[origin].name).\($0.name)"
      }
    }
  }
}
