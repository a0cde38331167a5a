package import RealmBuilding
import RealmModel
package import RealmStorage

/// Which objects and values of a reading go into the new realm: all except those whose primary key
/// is lost, and those that the builder refused.
package struct SalvageSelection {
  private let reading: SalvageReading
  private var keys: SalvageKeys
  private var older: OlderObjects?
  private var refused: [SalvageSource.RefusedValue] = []

  /// - Throws: read errors that are not damage.
  package init(_ reading: SalvageReading, jobs: Int) throws(RealmFileError) {
    (self.reading, older) = (reading, reading.older)
    keys = try SalvageKeys(
      reading.salvaged, isDamaged: reading.isDamaged, isDoubtful: reading.isDoubtful, jobs: jobs)
  }

  package var source: SalvageSource {
    SalvageSource(
      reading.salvaged, isDamaged: reading.isDamaged, isDoubtful: reading.isDoubtful,
      doubtful: reading.salvaged.conversion == nil ? DoubtfulNodes(reading.chosen.walk) : nil, keys,
      firstNewKeys: reading.recovered?.firstNewKeys ?? [:], older: older, refused: refused)
  }

  /// Leaves out what the builder refused.
  ///
  /// - Parameters:
  ///   - source: what the builder read.
  ///   - report: receives the class that is left out, if it is one.
  /// - Returns: false if the error is not about something that can be left out.
  package mutating func leaveOut(
    _ error: BuildError, _ source: SalvageSource, _ report: inout SalvageReport
  ) -> Bool {
    guard let name = error.className else { return false }
    return leaveOutFreed(ofClass: name, error, source.salvageSchema, &report)
      || leaveOutValue(ofClass: name, error)
  }

  /// Leaves out the objects in freed space that are in the class of the error.
  private mutating func leaveOutFreed(
    ofClass name: String, _ error: BuildError, _ schema: SalvageSchema,
    _ report: inout SalvageReport
  ) -> Bool {
    let origin = schema.lostClasses.first { schema.objects.classes[$0.value].name.text == name }?
      .key
    guard let origin, older?.freed[origin] != nil else { return false }
    older?.freed[origin] = nil
    report.lostSchema.append(
      SalvageReport.LostSchema(className: name, property: nil, offset: nil, why: "\(error)"))
    return true
  }

  private mutating func leaveOutValue(ofClass name: String, _ error: BuildError) -> Bool {
    guard let key = error.objectKey else { return false }
    if case .duplicatePrimaryKey(_, let other) = error.kind {
      let classes = reading.salvaged.realm.schema.objects.classes
      guard let position = classes.firstIndex(where: { $0.name.text == name }) else {
        return false
      }
      keys.lost[position, default: []].formUnion([ObjectKey(key), ObjectKey(other)])
      return true
    }
    guard let property = error.property else { return false }
    let value = SalvageSource.RefusedValue(
      className: name, property: property, key: ObjectKey(key),
      rule: SalvageSelection.rule(brokenBy: error.kind))
    guard !refused.contains(value) else { return false }
    refused.append(value)
    return true
  }

  private static func rule(brokenBy kind: BuildError.Kind) -> Rule {
    switch kind {
    case .duplicateEntry: .dictionaryUniqueKeys
    case .missingTarget, .missingTargetKey: .linkDangling
    case .embeddedOwners: .linkEmbeddedShared
    case .impossibleDate: .leafTimestamp
    case .nullInRequired: .leafNull
    case .tooLong, .wordTooLong: .leafBlob
    case .unsupported: .mixedFormat
    case .file, .schema, .wrongType, .keyOrder, .someKeys, .illegalKey, .duplicatePrimaryKey,
      .tooMany:
      .leafKind
    }
  }
}
