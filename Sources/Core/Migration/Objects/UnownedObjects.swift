import RealmModel
import RealmStorage
import Synchronization

/// Finds out whether a realm has embedded objects without an owner. Some versions of the reference leave such objects
/// behind.
struct UnownedObjects {
  let realm: Realm
  let jobs: Int

  /// Whether there are fewer links to embedded objects than embedded objects. Reads only these links.
  func exist() throws(RealmFileError) -> Bool {
    let schema = realm.schema.objects
    let embedded = Set(schema.appClasses.filter { schema.classes[$0].kind == .embedded })
    let objects = embedded.reduce(0) { $0 + realm.schema.tables[$1].objectCount }
    guard objects > 0 else { return false }
    var request = ObjectRequest()
    (request.links, request.embedded) = (.keys, .asClass)
    var owners: [Int] = []
    for position in schema.appClasses {
      let owning = schema.classes[position].properties.indices.filter {
        schema.classes[position].properties[$0].target.map(embedded.contains) ?? false
      }
      request.properties[position] = Set(owning)
      if !owning.isEmpty { owners.append(position) }
    }
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try ObjectRoad(
        from: RealmSource(realm, request, classes: owners), to: LinkCountSink(), jobs: jobs
      ).run() < objects
    } catch {
      throw error.failure
    }
  }
}

/// The sink that counts links.
private final class LinkCountSink: ObjectSink {
  typealias Failure = RealmFileError
  typealias Report = Int

  private let count = Atomic(0)

  func begin(_ schema: ObjectSchema, classes: [Int]) {}
  func makeEncoder() -> Encoder { Encoder() }

  func accept(_ output: Int, of part: ObjectPart, isLast: Bool) {
    count.add(output, ordering: .relaxed)
  }

  func finish() -> Report { count.load(ordering: .relaxed) }

  /// Counts the links of a part. Used by one thread.
  final class Encoder: ObjectEncoder {
    typealias Failure = RealmFileError
    private var count = 0

    func begin(_ part: ObjectPart, _ outlet: PartOutlet<Int, RealmFileError>) { count = 0 }

    func encode(_ batch: ObjectBatch) throws(RealmFileError) {
      for column in batch.columns {
        if let column { count += try links(in: column) }
      }
    }

    private func links(in column: ColumnValues) throws(RealmFileError) -> Int {
      switch column {
      case .link(let links): return (0..<links.count).count { !links.nulls[$0] }
      case .collection(let collection):
        guard let runs = collection.runs else { return try links(in: collection.elements) }
        var count = 0
        while let run = try runs.next() { count += try links(in: run.elements) }
        return count
      case .scalar, .embedded, .mixed: return 0
      }
    }

    func end() -> Int { count }
    static func weight(of output: Int) -> Int { 8 }
  }
}
