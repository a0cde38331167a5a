import RealmModel
import RealmStorage

/// Reads the strings of a realm that a redaction replaces.
struct OriginalSurvey {
  let realm: Realm
  let scope: RedactionScope
  let code: MessageCode
  private(set) var originals = OriginalTexts()

  init(_ realm: Realm, _ scope: RedactionScope, _ code: MessageCode) {
    (self.realm, self.scope, self.code) = (realm, scope, code)
  }

  /// Reads all strings, then the primary keys again, because their masks must differ.
  ///
  /// - Parameter progress: receives the number of objects read.
  /// - Throws: `unsupported` if there are more short primary keys than masks for them; the errors of reading.
  mutating func run(_ progress: (Int) -> Void) throws(RealmFileError) {
    var count = 0
    try forEachBatch(ObjectRequest(), realm.schema.objects.topLevelClasses) {
      (survey, batch) throws(RealmFileError) in
      try survey.add(batch)
      count += batch.count
      progress(count)
    }
    let schema = realm.schema.objects
    let keyed = schema.topLevelClasses.filter { position in
      schema.classes[position].primaryKey.map {
        schema.classes[position].properties[$0].type == .string
          && !scope.keeps($0, ofClass: position)
      } ?? false
    }
    var request = ObjectRequest()
    for position in keyed {
      request.properties[position] = schema.classes[position].primaryKey.map { [$0] } ?? []
    }
    var (known, masks): (Set<UInt64>, Set<Int>) = ([], [])
    try forEachBatch(request, keyed) { (survey, batch) throws(RealmFileError) in
      guard let key = schema.classes[batch.classPosition].primaryKey,
        case .scalar(.string(let texts)) = batch.columns[key]
      else { return }
      for case let text? in texts where known.insert(text.contentHash).inserted {
        try survey.addKey(text, &masks)
      }
    }
  }

  private mutating func forEachBatch(
    _ request: ObjectRequest, _ classes: [Int],
    _ body: (inout OriginalSurvey, ObjectBatch) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let source = RealmSource(realm, request, classes: classes)
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() { try body(&self, batch) }
      try source.accept(cursor.close(), of: part)
    }
  }

  private mutating func addKey(_ text: ByteSlice, _ masks: inout Set<Int>) throws(RealmFileError) {
    let texts = TextMask(code: code, originals: originals)
    var domain = scope.identities
    while !masks.insert(try texts.text(text, domain).hashValue).inserted {
      guard domain.attempt < .max else {
        throw RealmFileError(
          .unsupported("there are too many primary keys of \(text.count) bytes to mask them"))
      }
      domain.attempt += 1
    }
    if domain.attempt > 0 { originals.setAttempt(domain.attempt, of: text) }
  }

  // MARK: Values

  private mutating func add(_ batch: ObjectBatch) throws(RealmFileError) {
    for (i, column) in batch.columns.enumerated() {
      guard let column else { continue }
      let domain = scope.domain(of: i, ofClass: batch.classPosition)
      if domain?.isByWord == true, case .scalar(.string(let texts)) = column {
        // First the words: then most strings have one that is avoided already.
        for case let text? in texts { originals.add(wordsOf: text) }
      }
      try add(column, isKept: domain == nil)
    }
  }

  /// - Parameter isKept: whether only embedded objects and links are redacted.
  private mutating func add(_ values: ColumnValues, isKept: Bool) throws(RealmFileError) {
    switch values {
    case .scalar(let column): if !isKept { add(column) }
    case .link(let column):
      if let identities = column.identities, scope.domain(ofKeyOf: column.target) != nil {
        add(identities)
      }
    case .embedded(let column): try add(column.objects)
    case .mixed(let column):
      for value in column.values {
        if case .string(let text) = value, !isKept { originals.add(text) }
      }
      for link in column.links {
        if case .string(let text)? = link.identity, scope.domain(ofKeyOf: link.target) != nil {
          originals.add(text)
        }
      }
      if let lists = column.lists { try add(lists, isKept: isKept) }
      if let dictionaries = column.dictionaries { try add(dictionaries, isKept: isKept) }
    case .collection(let column): try add(column, isKept: isKept)
    }
  }

  private mutating func add(
    _ collections: CollectionColumn, isKept: Bool
  ) throws(RealmFileError) {
    guard let runs = collections.runs else {
      if let keys = collections.keys, !isKept { add(keys) }
      return try add(collections.elements, isKept: isKept)
    }
    while let run = try runs.next() { try add(run, isKept: isKept) }
  }

  private mutating func add(_ column: ScalarColumn) {
    guard case .string(let texts) = column else { return }
    for case let text? in texts { originals.add(text) }
  }
}
