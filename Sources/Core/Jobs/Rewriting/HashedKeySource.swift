import RealmBuilding
import RealmModel
import RealmStorage
import RealmSync

/// The objects of a realm, those with primary keys in the order of their hashed keys and with these keys.
struct HashedKeySource: ObjectSource {
  typealias Failure = RealmFileError

  private static let keysPerPart = 4 * ObjectBatch.capacity

  /// What a part holds.
  fileprivate enum Content {
    /// Objects that keep their keys.
    case clusters(ObjectPart)
    /// Objects with primary keys, as a range of the order of their class.
    case keys(Range<Int>)
  }

  fileprivate let realm: Realm
  fileprivate let keys: HashedKeys
  fileprivate let base: RealmSource
  let classes: [Int]
  private let all: [ObjectPart]
  /// By number of the part.
  fileprivate let contents: [Content]

  /// - Throws: `damaged`; the errors of an encrypted realm.
  init(_ realm: Realm, _ keys: HashedKeys) throws(RealmFileError) {
    (self.realm, self.keys) = (realm, keys)
    let schema = realm.schema.objects
    classes = schema.topLevelClasses + schema.keptInternalClasses()
    base = RealmSource(
      realm, HashedKeySource.request, classes: classes.filter { keys.orders[$0] == nil })
    let others = Dictionary(grouping: try base.parts(), by: \.classPosition)
    var (all, contents): ([ObjectPart], [Content]) = ([], [])
    func add(_ content: Content, of position: Int) {
      all.append(ObjectPart(classPosition: position, number: all.count))
      contents.append(content)
    }
    for position in classes {
      guard let count = keys.orders[position]?.stored.count else {
        for part in others[position] ?? [] { add(.clusters(part), of: position) }
        continue
      }
      for start in stride(from: 0, to: count, by: HashedKeySource.keysPerPart) {
        add(.keys(start..<min(start + HashedKeySource.keysPerPart, count)), of: position)
      }
    }
    (self.all, self.contents) = (all, contents)
  }

  /// Links name their targets by primary key, because the object keys change.
  fileprivate static var request: ObjectRequest {
    var request = ObjectRequest.forRebuild
    request.links = .identities
    return request
  }

  var schema: ObjectSchema { realm.schema.objects }
  var objectCount: Int {
    base.objectCount + keys.orders.values.reduce(0) { $0 + $1.stored.count }
  }

  func parts() -> [ObjectPart] { all }

  func makeCursor() throws(RealmFileError) -> HashedKeyCursor {
    HashedKeyCursor(
      self, base: try base.makeCursor(), try ObjectFetcher(realm, HashedKeySource.request))
  }

  func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    if case .clusters(let part) = contents[part.number] { try base.accept(report, of: part) }
  }
}

/// Reads the objects of parts of a ``HashedKeySource``. Used by one thread.
final class HashedKeyCursor: ObjectCursor {
  typealias Failure = RealmFileError

  private let source: HashedKeySource
  private let base: RealmCursor
  private let fetcher: ObjectFetcher
  /// Takes the object keys off links that have primary keys.
  private let settler: LinkSettler
  private var position = 0
  /// The objects of the part that are still to be read; nil for objects that keep their keys.
  private var remaining: Range<Int>?
  private var report = PartReport()

  fileprivate init(_ source: HashedKeySource, base: RealmCursor, _ fetcher: ObjectFetcher) {
    (self.source, self.base, self.fetcher) = (source, base, fetcher)
    settler = LinkSettler(
      positions: Array(source.schema.classes.indices), asksAboutKeys: false
    ) { _, _ in .unresolved }
  }

  func open(_ part: ObjectPart) {
    (position, report) = (part.classPosition, PartReport())
    switch source.contents[part.number] {
    case .clusters(let part):
      remaining = nil
      base.open(part)
    case .keys(let range): remaining = range
    }
  }

  func next() throws(RealmFileError) -> ObjectBatch? {
    guard let remaining else {
      guard let batch = try base.next() else { return nil }
      return try settled(batch, batch.keys)
    }
    guard !remaining.isEmpty, let order = source.keys.orders[position] else { return nil }
    let wanted = remaining.prefix(ObjectBatch.capacity)
    let batch = try fetcher.fetch(
      Array(order.stored[wanted]), of: source.realm.schema.tables[position])
    let read = remaining.prefix(batch.count)
    self.remaining = read.upperBound..<remaining.upperBound
    report.objectCount += batch.count
    return try settled(batch, Array(order.new[read]))
  }

  /// The objects with new keys, and with links that name their targets by primary key.
  private func settled(
    _ batch: ObjectBatch, _ keys: [ObjectKey]
  ) throws(RealmFileError) -> ObjectBatch {
    let settled = try settler.settle(batch)
    return ObjectBatch(
      classPosition: position, count: batch.count, keys: keys, columns: settled.columns,
      owner: settled)
  }

  func close() -> PartReport { remaining == nil ? base.close() : report }
}
