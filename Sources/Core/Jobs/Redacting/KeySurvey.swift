import RealmModel
import RealmStorage
import Synchronization

/// Finds the attempts that give each primary key a mask of its own.
struct KeySurvey {
  let realm: Realm
  let scope: RedactionScope
  let jobs: Int
  let originals: OriginalTexts

  /// The attempts of strings whose first mask another primary key has, by ``MaskDomain/firstCode(of:)``.
  ///
  /// - Throws: `unsupported` if there are more short primary keys than masks for them; the errors of reading.
  func attempts() throws(RealmFileError) -> [UInt64: UInt8] {
    let schema = realm.schema.objects
    var request = ObjectRequest()
    request.links = .keys
    let classes = schema.topLevelClasses.filter { position in
      guard let key = schema.classes[position].primaryKey,
        schema.classes[position].properties[key].type == .string,
        !scope.keeps(key, ofClass: position)
      else { return false }
      request.properties[position] = [key]
      return true
    }
    guard !classes.isEmpty else { return [:] }
    var masks = try firstMasks(RealmSource(realm, request, classes: classes))
    guard !masks.repeated.isEmpty else { return [:] }
    return try attempts(RealmSource(realm, request, classes: classes), &masks)
  }

  private func firstMasks(_ source: RealmSource) throws(RealmFileError) -> KeyMasks {
    let sink = KeySink(TextMask(originals: originals), scope)
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try ObjectRoad(from: source, to: sink, jobs: jobs).run()
    } catch {
      throw error.failure
    }
  }

  /// Tries again for the primary keys whose mask comes more than once, in the order of the objects. The first one of each
  /// keeps it.
  private func attempts(
    _ source: RealmSource, _ masks: inout KeyMasks
  ) throws(RealmFileError) -> [UInt64: UInt8] {
    let texts = TextMask(originals: originals)
    /// What the mask of each of these keys is made with.
    var attempts: [UInt64: UInt8] = [:]
    /// The masks that a key has kept.
    var kept: Set<Int> = []
    var mask: [UInt8] = []
    func hash(_ text: ByteSlice, _ domain: MaskDomain) -> Int {
      mask.removeAll(keepingCapacity: true)
      texts.append(text, domain, to: &mask)
      return mask.hashValue
    }
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        for text in batch.keyTexts(scope.schema) {
          let first = hash(text, scope.identities)
          guard masks.repeated.contains(first) else { continue }
          let code = scope.identities.firstCode(of: text)
          guard attempts[code] == nil else { continue }
          var domain = scope.identities
          if !kept.insert(first).inserted {
            repeat {
              guard domain.attempt < .max else {
                throw RealmFileError(
                  .unsupported(
                    "there are too many primary keys of \(text.count) bytes to mask them"))
              }
              domain.attempt += 1
            } while !masks.all.insert(hash(text, domain)).inserted
          }
          attempts[code] = domain.attempt
        }
      }
      try source.accept(cursor.close(), of: part)
    }
    return attempts.filter { $0.value > 0 }
  }
}

/// The masks of primary keys in the first attempt, by their hashes.
private struct KeyMasks: Sendable {
  var all: Set<Int> = []
  /// Those that come more than once: of different keys, or of equal ones in several classes.
  var repeated: Set<Int> = []
}

extension ObjectBatch {
  /// The primary keys that are strings.
  fileprivate func keyTexts(_ schema: ObjectSchema) -> [ByteSlice] {
    guard let key = schema.classes[classPosition].primaryKey,
      case .scalar(.string(let texts)) = columns[key]
    else { return [] }
    return texts.compactMap { $0 }
  }
}

/// Takes the hashes of the masks of primary keys.
private final class KeySink: ObjectSink {
  typealias Failure = RealmFileError
  typealias Encoder = KeyEncoder
  typealias Report = KeyMasks

  private let texts: TextMask
  private let scope: RedactionScope
  private let masks = Mutex(KeyMasks())

  init(_ texts: TextMask, _ scope: RedactionScope) { (self.texts, self.scope) = (texts, scope) }

  func begin(_ schema: ObjectSchema, classes: [Int]) {}

  func makeEncoder() -> KeyEncoder { KeyEncoder(texts, scope) }

  func accept(_ output: [Int], of part: ObjectPart, isLast: Bool) {
    masks.withLock { masks in
      for hash in output where !masks.all.insert(hash).inserted { masks.repeated.insert(hash) }
    }
  }

  func finish() -> KeyMasks { masks.withLock { $0 } }
}

/// Masks the primary keys of a part.
private struct KeyEncoder: ObjectEncoder {
  typealias Failure = RealmFileError
  typealias Output = [Int]

  private let texts: TextMask
  private let scope: RedactionScope
  private var hashes: [Int] = []

  init(_ texts: TextMask, _ scope: RedactionScope) { (self.texts, self.scope) = (texts, scope) }

  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<[Int], RealmFileError>) {
    hashes = []
  }

  mutating func encode(_ batch: ObjectBatch) {
    var mask: [UInt8] = []
    for text in batch.keyTexts(scope.schema) {
      mask.removeAll(keepingCapacity: true)
      texts.append(text, scope.identities, to: &mask)
      hashes.append(mask.hashValue)
    }
  }

  func end() -> [Int] { hashes }

  static func weight(of output: [Int]) -> Int { 8 * output.count }
}
