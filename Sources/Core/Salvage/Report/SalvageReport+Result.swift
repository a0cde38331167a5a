package import RealmBuilding
import RealmModel
package import RealmStorage

extension SalvageReport {
  /// Adds that the schema version could not be read: an SDK takes the result for a new realm.
  package mutating func add(_ lostVersion: Finding) {
    lostSchema.append(
      LostSchema(
        className: "metadata", property: "version", offset: lostVersion.offset,
        why: lostVersion.message))
  }

  /// Leaves out the objects in freed space of the class that a new realm refuses, and tells of it.
  ///
  /// - Returns: false if the error is not about such a class.
  package mutating func leaveOutFreed(
    _ error: BuildError, _ source: SalvageSource, _ older: inout OlderObjects?
  ) -> Bool {
    let schema = source.salvageSchema
    guard let name = error.className,
      let origin = schema.lostClasses.first(where: {
        schema.objects.classes[$0.value].name.text == name
      })?.key, older?.hasFreed(ofClass: origin) ?? false
    else { return false }
    older?.removeFreed(ofClass: origin)
    lostSchema.append(LostSchema(className: name, property: nil, offset: nil, why: "\(error)"))
    return true
  }

  /// Adds the properties whose names are lost.
  package mutating func addLostNames(_ reading: SalvageReading) {
    for table in reading.salvaged.realm.schema.tables where table.isClass {
      guard let isDeduced = reading.repairs?.namelessTables[table.key.slot] else { continue }
      let why =
        isDeduced
        ? "its name is lost, and its type is concluded from its values; the class may have had other properties"
        : "its name is lost"
      lostSchema += table.columns.map {
        LostSchema(className: table.className.text, property: $0.name.text, offset: nil, why: why)
      }
    }
  }

  /// Adds what is damaged, and what was found without the nodes that led to it or in older versions.
  package mutating func add(_ reading: SalvageReading) {
    unreadable = reading.chosen.walk.deadRanges
    if let cutOffRoot, unreadable.last?.upperBound ?? 0 <= dataByteCount {
      unreadable.append(dataByteCount..<max(cutOffRoot, dataByteCount) + NodeHeader.byteCount)
    }
    areNamesLost = reading.repairs?.areTableNamesLost ?? false
    correctedBits += reading.repairs?.correctedBits ?? []
    let older = reading.repairs?.olderTables ?? []
    // One that cannot be read in spite of that is told as lost.
    olderTables = reading.salvaged.realm.schema.tables.filter { older.contains($0.key.slot) }
      .map(\.className.text)
    olderVersions = reading.olderVersions
    guard let recovered = reading.recovered else { return }
    foundObjects = recovered.objectCount
    add(recovered.losses, reading.chosen)
  }

  /// Adds what the result has, and what it lacks.
  package mutating func add(
    _ source: SalvageSource, _ built: RealmBuilder.Report, _ reading: SalvageReading
  ) throws(RealmFileError) {
    let (salvaged, chosen, recovered) = (reading.salvaged, reading.chosen, reading.recovered)
    let (schema, outcome) = (source.salvageSchema, source.outcome)
    let origins = Dictionary(
      uniqueKeysWithValues: schema.lostClasses.map { ($0.value, $0.key) })
    var counts: [ObjectIdentifier: Int] = [:]
    for (objectClass, objects) in built.counts { counts[ObjectIdentifier(objectClass)] = objects }
    func count(_ position: Int) -> Int {
      counts[ObjectIdentifier(schema.objects.classes[position])] ?? 0
    }
    // Nodes whose objects all come from an older version are told with these.
    var filled = Set<String>()
    for position in schema.objects.appClasses {
      let objects = count(position)
      let freed = outcome.freed[position] ?? (0, 0)
      let origin = origins[position].map { schema.objects.classes[$0].name.text }
      let partial = min(objects, (outcome.partial[position] ?? 0) + freed.partial)
      var lost = 0
      if origins[position] == nil {
        let table = salvaged.realm.schema.tables[position]
        let stated: Int? =
          if let known = recovered?.statedCounts[table.key.slot] { known } else {
            table.objectCount
          }
        // In a sound realm too, embedded objects may have no owner.
        let tells = table.kind != .embedded || chosen.walk.isDamaged
        let lostClass = schema.lostClasses[position]
        let kept =
          objects + (lostClass.map { count($0) - (outcome.freed[$0]?.objects ?? 0) } ?? 0)
        lost = tells ? max(0, (stated ?? kept) - kept) : 0
        if lost > 0 {
          let limit = try reading.lostLimit(of: table, kept: kept)
          if lost > limit {
            wrongCounts.append(
              WrongCount(
                className: table.className.text, stated: kept.saturatingSum(lost),
                possible: kept.saturatingSum(limit)))
            lost = knownLost(table.className.text, outcome.losses)
          }
        }
        if let stated, stated <= kept, outcome.filledObjects[position] ?? 0 > 0 {
          filled.insert(table.className.text)
        }
      }
      classes.append(
        Class(
          name: schema.objects.classes[position].name.text, objects: objects,
          complete: objects - partial, partial: partial, lost: lost,
          lostValues: outcome.values[position] ?? 0,
          filledValues: outcome.filledValues[position] ?? 0,
          filledObjects: outcome.filledObjects[position] ?? 0,
          freedObjects: freed.objects, freedPartial: freed.partial,
          lostKeysOf: freed.objects < objects || objects == 0 ? origin : nil,
          freedOf: freed.objects > 0 ? origin : nil))
    }
    losses.removeAll {
      $0.extent == .objects && $0.objectKeys.isEmpty && filled.contains($0.className ?? "")
    }
    nulledLinks = outcome.links
    furtherLosses = outcome.furtherLosses
    renamed = schema.renamed
    lostSchema +=
      salvaged.lostTables.filter { !$0.isInternal }.map {
        LostSchema(className: $0.name, property: nil, offset: $0.offset, why: $0.message)
      }
      + schema.lostProperties.map {
        LostSchema(className: $0.className, property: $0.property, offset: nil, why: $0.why)
      }
    add(outcome.losses, chosen)
  }

  /// Number of the lost objects of a class whose keys are known.
  private func knownLost(_ className: String, _ values: [LostValues]) -> Int {
    let keys = values.filter {
      $0.extent == .objects && $0.className == className && $0.filledFrom == nil
    }.flatMap(\.keys)
    return Set(keys).count
  }

  private mutating func add(_ values: [LostValues], _ chosen: SalvageRootSearch.Candidate) {
    for loss in values {
      let extent: Loss.Extent =
        switch loss.extent {
        case .objects: .objects
        case .values: .values
        case .parts: .parts
        }
      let (bytes, message) = place(of: loss, chosen.walk)
      losses.append(
        Loss(
          extent: extent, className: loss.className, property: loss.property,
          objectKeys: loss.keys.map(\.raw), rule: loss.rule, bytes: bytes, message: message,
          filledFrom: loss.filledFrom))
    }
  }

  /// The bytes that a loss is about, and what is wrong with them.
  private func place(of loss: LostValues, _ walk: DamageWalk) -> (Range<Int>, String) {
    let block = DamageWalk.blockByteCount
    let start = loss.offset / block * block
    // A ref can have any value.
    guard loss.offset > 0, loss.offset < .max - block else { return (0..<0, loss.message) }
    if walk.isDead(loss.offset..<loss.offset + 1) {
      return (
        start..<start + block, "the bytes from \(start) to \(start + block) are damaged or missing"
      )
    }
    guard walk.isKilled(loss.offset) else {
      return (loss.offset..<loss.offset, loss.message)
    }
    return (
      loss.offset..<loss.offset,
      "the node extends into damaged bytes, or overlaps another one"
    )
  }
}
