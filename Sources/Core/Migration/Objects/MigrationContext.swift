import RealmInterchange
import RealmModel
import RealmQuery
import RealmStorage
import Synchronization

/// The time of a migration, and the source of new identifiers. All expressions share it.
package final class MigrationClock: Sendable {
  let now: (seconds: Int64, nanoseconds: Int64)
  private let next: Mutex<UInt64>

  /// - Parameters:
  ///   - seconds: the time, in seconds since 1970.
  ///   - firstNumber: the number from which those of new ObjectIds grow; tests set it to know the ObjectIds.
  package init(
    seconds: Int = UTCTime.now.seconds, firstNumber: UInt64 = .random(in: 0...UInt64.max)
  ) {
    now = (Int64(seconds), 0)
    next = Mutex(firstNumber)
  }

  /// A new ObjectId: the time, and a number that starts at random and grows with each call. It differs from all others
  /// of this program, and almost certainly from those of other programs.
  package func makeObjectId() -> [UInt8] {
    let number = next.withLock { next in
      next &+= 1
      return next
    }
    let time = UInt32(truncatingIfNeeded: now.seconds)
    return bytes(of: time) + bytes(of: number)
  }

  /// A random UUID of version 4 (RFC 4122).
  package func makeUUID() -> [UInt8] {
    var uuid = (0..<16).map { _ in UInt8.random(in: 0...255) }
    uuid[6] = uuid[6] & 0x0F | 0x40
    uuid[8] = uuid[8] & 0x3F | 0x80
    return uuid
  }

  private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: number >> $0)
    }
  }
}

/// What the evaluation of expressions needs. Used by one thread.
final class MigrationContext: FormulaContext {
  private let clock: MigrationClock
  private let realm: Realm
  private var fetcher: ObjectFetcher?
  /// Positions of the properties of linked objects that expressions read, by position of their class.
  private let linked: [Int: Set<Int>]
  /// The names of the classes of the schema.
  private let classNames: [String]

  init(_ clock: MigrationClock, _ realm: Realm, linked: [Int: Set<Int>], classNames: [String]) {
    (self.clock, self.realm, self.linked) = (clock, realm, linked)
    self.classNames = classNames
  }

  var now: (seconds: Int64, nanoseconds: Int64) { clock.now }
  package func makeObjectId() -> [UInt8] { clock.makeObjectId() }
  package func makeUUID() -> [UInt8] { clock.makeUUID() }

  func objects(
    _ keys: [ObjectKey], ofClass position: Int
  ) throws(RealmFileError) -> ObjectBatch {
    try objectFetcher().fetch(keys, of: realm.schema.tables[position])
  }

  /// The fetcher of linked objects, made on first use: most migrations need none.
  private func objectFetcher() throws(RealmFileError) -> ObjectFetcher {
    if let fetcher { return fetcher }
    var request = ObjectRequest()
    (request.links, request.embedded, request.properties) = (.keys, .asClass, linked)
    let fetcher = try ObjectFetcher(realm, request)
    self.fetcher = fetcher
    return fetcher
  }

  func className(at position: Int) -> String {
    classNames.indices.contains(position) ? classNames[position] : ""
  }

  func text(ofDate seconds: Int64, nanoseconds: Int64) -> String? {
    var text = TextBuffer(capacity: 64)
    guard text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds) else { return nil }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  func text(ofObjectId bytes: ByteSlice) -> String {
    bytes.bytes.hexadecimal
  }

  func text(ofUUID bytes: ByteSlice) -> String {
    // Leaves and the parser always give 16 bytes.
    guard bytes.count == 16 else { return text(ofObjectId: bytes) }
    var text = TextBuffer(capacity: 36)
    text.append(uuid: bytes)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  func date(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)? { DateText.parse(text) }
}
