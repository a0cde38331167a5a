package import RealmBuilding
import RealmLegacy
import RealmModel
package import RealmStorage

extension SalvageReport {
  /// The report on the file alone.
  private init(_ search: SalvageRootSearch) {
    let (file, roots) = (search.file, search.roots)
    (path, fileByteCount, isEncrypted) = (file.path, file.fileByteCount, file.isEncrypted)
    (headerProblems, cutOffRoot) = (roots.headerProblems, roots.cutOffRoot)
    dataByteCount = file.byteCount
    textUndo = file.textUndo.map {
      CarriageReturns(removed: $0.removed, kept: $0.kept, undecided: $0.undecided)
    }
  }

  /// Lists the versions in a file.
  ///
  /// - Parameter chosen: the version that would be read; nil if none can be.
  package init(
    listing search: SalvageRootSearch, _ chosen: SalvageRootSearch.Candidate?
  ) throws(RealmFileError) {
    self.init(search)
    var search = search
    roots = try search.candidates().map { candidate in
      var root = candidate.summary
      root.isChosen = root.offset == chosen?.root.ref && chosen?.root.origin != .rebuilt
      return root
    }
    if let chosen, chosen.root.origin == .rebuilt { roots.insert(chosen.chosenSummary, at: 0) }
  }

  /// The report on a version that is read: everything except its objects.
  package init(_ reading: SalvageReading) {
    let (search, chosen) = (reading.search, reading.chosen)
    self.init(search)
    correctedBits = search.flips + (reading.repairs?.correctedBits ?? [])
    if search.request.version != .newest {
      // The lost root is not the requested one.
      cutOffRoot = nil
    } else if chosen.root.origin != .rebuilt {
      isNewestLost = search.isOlder(chosen.root)
      isNewestUnknown = !isNewestLost && !search.isNewestKnown
    }
    roots = [reading.root]
    formatBefore = chosen.root.format
    unreadable = chosen.walk.deadRanges
    if let cutOffRoot, unreadable.last?.upperBound ?? 0 <= dataByteCount {
      unreadable.append(dataByteCount..<max(cutOffRoot, dataByteCount) + NodeHeader.byteCount)
    }
    areNamesLost =
      reading.repairs?.areTableNamesLost ?? reading.salvaged.conversion?.areTableNamesLost ?? false
    let older = reading.repairs?.olderTables ?? []
    // A table that still cannot be read is reported as lost instead.
    olderTables = reading.salvaged.realm.schema.tables.filter { older.contains($0.key.slot) }
      .map(\.className.text)
    foundTables = reading.salvaged.conversion?.foundTables ?? []
    olderVersions = reading.olderVersions
    (contradictions, contradictionCount) = (
      reading.contradictions.findings, reading.contradictions.count
    )
    guard let recovered = reading.recovered else { return }
    foundObjects = recovered.objectCount
    add(recovered.losses, chosen.walk)
  }

  /// Adds what is in the result, and what is missing from it.
  ///
  /// - Throws: `nothingToSave` if nothing is in the result although the realm had something; errors
  ///   that are not damage.
  package mutating func add(
    _ source: SalvageSource, _ built: RealmBuilder.Report, _ reading: SalvageReading
  ) throws(RealmFileError) {
    let (schema, outcome) = (source.salvageSchema, source.outcome)
    try addClasses(schema, outcome, built, reading)
    nulledLinks = outcome.links
    furtherLosses = outcome.furtherLosses
    renamed = schema.renamed
    lostSchema +=
      reading.salvaged.lostTables.filter { !$0.isInternal }.map {
        LostSchema(className: $0.name, property: nil, offset: $0.offset, why: $0.message)
      }
      + schema.lostProperties.map {
        LostSchema(className: $0.className, property: $0.property, offset: nil, why: $0.why)
      }
    lostSchema += (reading.salvaged.conversion?.schema ?? []).map {
      let what = $0.isInSchema ? "its name is lost: " : ""
      return LostSchema(
        className: $0.className, property: $0.property, offset: $0.error.offset,
        why: what + $0.error.finding)
    }
    if let lost = reading.lostVersion {
      // An SDK takes the result for a new realm.
      lostSchema.append(
        LostSchema(
          className: "metadata", property: "version", offset: lost.offset, why: lost.message))
    }
    add(outcome.losses, reading.chosen.walk)
    if let table = reading.salvaged.tableOfNoClass, !wasSynced {
      throw RealmFileError(
        .nothingToSave(
          "there is no class: the name of table \(table.name.text), which has "
            + "\(table.objectCount) objects, does not begin with class_"))
    }
    guard objectCount > 0 || isComplete || reading.chosen.isSound else {
      throw RealmFileError(.nothingToSave("no object of any class can be read"))
    }
    addLostNames(reading)
  }

  private mutating func addClasses(
    _ schema: SalvageSchema, _ outcome: SalvageSource.Outcome, _ built: RealmBuilder.Report,
    _ reading: SalvageReading
  ) throws(RealmFileError) {
    let origins = Dictionary(
      uniqueKeysWithValues: schema.lostClasses.map { ($0.value, $0.key) })
    let objectCounts = Dictionary(
      uniqueKeysWithValues: built.counts.map { (ObjectIdentifier($0.objectClass), $0.objects) })
    func count(_ position: Int) -> Int {
      objectCounts[ObjectIdentifier(schema.objects.classes[position])] ?? 0
    }
    // The classes that have all their objects, some of them from an older version.
    var filled = Set<String>()
    for position in schema.objects.appClasses {
      let objects = count(position)
      let counts = outcome.classes[position] ?? SalvageSource.Counts()
      let origin = origins[position].map { schema.objects.classes[$0].name.text }
      let partial = min(objects, counts.partial + counts.freedPartial)
      var lost = 0
      if origins[position] == nil {
        let table = reading.salvaged.realm.schema.tables[position]
        let keyless =
          schema.lostClasses[position]
          .map { count($0) - (outcome.classes[$0]?.freedObjects ?? 0) } ?? 0
        let stated: Int? =
          if let known = reading.recovered?.statedCounts[table.key.slot] { known } else {
            table.objectCount
          }
        let kept = objects + keyless
        lost =
          if let conversion = reading.salvaged.conversion {
            conversion.lostObjects[table.className.text] ?? 0
          } else {
            try addWrongCount(of: table, stated: stated, kept: kept, outcome, reading)
          }
        if let stated, stated <= kept, counts.filledObjects > 0 {
          filled.insert(table.className.text)
        }
      }
      classes.append(
        Class(
          name: schema.objects.classes[position].name.text, objects: objects,
          complete: objects - partial, partial: partial, lost: lost,
          lostValues: counts.lostValues, filledValues: counts.filledValues,
          filledObjects: counts.filledObjects, doubtfulValues: counts.doubtfulValues,
          doubtfulObjects: counts.doubtfulObjects, freedObjects: counts.freedObjects,
          freedPartial: counts.freedPartial,
          lostKeysOf: counts.freedObjects < objects || objects == 0 ? origin : nil,
          freedOf: counts.freedObjects > 0 ? origin : nil))
    }
    // The filled objects account for the lost nodes of these classes.
    losses.removeAll {
      $0.extent == .objects && $0.objectKeys.isEmpty && filled.contains($0.className ?? "")
    }
  }

  /// The number of lost objects of a table. If what the table states cannot be right, adds that.
  ///
  /// - Parameters:
  ///   - stated: the number of objects that the table states; nil if unknown.
  ///   - kept: number of objects in the result.
  private mutating func addWrongCount(
    of table: Table, stated: Int?, kept: Int, _ outcome: SalvageSource.Outcome,
    _ reading: SalvageReading
  ) throws(RealmFileError) -> Int {
    // In an undamaged realm too, embedded objects may have no owner.
    guard table.kind != .embedded || reading.chosen.walk.isDamaged, let stated, stated > kept
    else { return 0 }
    let lost = stated - kept
    let limit = try reading.lostLimit(of: table, kept: kept)
    guard lost > limit else { return lost }
    wrongCounts.append(
      WrongCount(
        className: table.className.text, stated: kept.saturatingSum(lost),
        possible: kept.saturatingSum(limit)))
    let known = outcome.losses.filter {
      $0.extent == .objects && $0.className == table.className.text && $0.origin == .lost
    }
    return Set(known.flatMap(\.keys)).count
  }

  /// Adds the properties that lost their names.
  private mutating func addLostNames(_ reading: SalvageReading) {
    for table in reading.salvaged.realm.schema.tables where table.isClass {
      guard let isDeduced = reading.repairs?.namelessTables[table.key.slot] else { continue }
      let why =
        isDeduced
        ? "its name is lost, and its type was inferred from its values; the class may have had other properties"
        : "its name is lost"
      lostSchema += table.columns.map {
        LostSchema(className: table.className.text, property: $0.name.text, offset: nil, why: why)
      }
    }
  }

  private mutating func add(_ values: [LostValues], _ walk: DamageWalk) {
    for loss in values {
      let extent: Loss.Extent =
        switch loss.extent {
        case .objects: .objects
        case .values: .values
        case .parts: .parts
        }
      let (bytes, message) = SalvageReport.place(of: loss, walk)
      let version: Int? = if case .version(let number) = loss.origin { number } else { nil }
      losses.append(
        Loss(
          extent: extent, className: loss.className, property: loss.property,
          objectKeys: loss.keys.map(\.raw), rule: loss.rule, bytes: bytes, message: message,
          filledFrom: version, isDoubtful: loss.origin == .doubtful))
    }
  }

  /// The bytes that caused a loss, and what is wrong with them.
  private static func place(of loss: LostValues, _ walk: DamageWalk) -> (Range<Int>, String) {
    let offset = loss.offset
    // The offset is that of a damaged ref, and can have any value.
    guard offset > 0, offset < .max - DamageWalk.blockByteCount else {
      return (0..<0, loss.message)
    }
    if let bytes = walk.deadBytes(around: offset) {
      return (
        bytes, "the bytes from \(bytes.lowerBound) to \(bytes.upperBound) are damaged or missing"
      )
    }
    let message =
      walk.isKilled(offset)
      ? "the node overlaps damaged bytes or another node" : loss.message
    return (offset..<offset, message)
  }
}

extension RealmFileError {
  /// What was found and what was expected.
  fileprivate var finding: String { Finding(self)?.message ?? "\(self)" }
}
