import Foundation
import RealmJobs
import RealmLegacy
import RealmModel
package import RealmSalvage
import RealmStorage
import RealmVerify
package import TestSupport

/// A realm of formats 2 to 9 and its values, for tests that damage copies of it and salvage these.
package final class LegacyTrial {
  /// A way to damage blocks of 512 bytes.
  package enum Damage: String, CaseIterable, Sendable {
    case zeroed, scrambled
    /// Replaced by other blocks of the file.
    case replaced
  }

  /// What came back.
  package struct Outcome {
    /// The values of the realm, and those that are in the result.
    package var (values, saved) = (0, 0)
    /// Values that differ although the report does not list them as lost.
    package var wrong: [String] = []
    /// Such values in a realm in which `verify` finds no error, so that nothing in it is doubted.
    package var unseen: [String] = []
    /// Objects that the realm does not have.
    package var invented: [String] = []
    /// Why nothing was saved; nil if something was.
    package var refusal: String?
    package var report: SalvageReport?
    /// The errors that `verify` finds in the result.
    package var errors: [String] = []
  }

  /// By class, object key and property, the value as text.
  private typealias Values = [String: [Int64: [String: Value]]]

  /// A value with and without its links.
  fileprivate struct Value: Equatable {
    let text: String
    let withoutLinks: String
    let links: [String]
  }

  package static let blockByteCount = 512

  package let file: LegacyFile
  package let bytes: [UInt8]
  private let folder: TemporaryFolder
  private var values: Values = [:]
  /// Names of classes and properties, by those that the result gives them if their names are lost.
  private var classNames: [String: String] = [:]
  private var propertyNames: [String: [String: String]] = [:]
  /// Number of values.
  package private(set) var valueCount = 0

  /// - Returns: nil for a realm that `upgrade` does not convert either.
  package init?(_ file: LegacyFile) throws {
    self.file = file
    folder = try TemporaryFolder()
    bytes = try readFile(file.path)
    let upgraded = folder.path("upgraded.realm")
    let job = UpgradeJob(
      path: file.path, key: file.key, destination: .file(upgraded, replacing: true))
    guard (try? job.run()) != nil else { return nil }
    values = try values(of: try Realm(path: upgraded, key: file.key))
    valueCount = values.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    let realm = try LegacyRealm(try Snapshot(path: file.path, key: file.key))
    for i in realm.tables.indices {
      let objectClass = realm.schema.classes[i]
      let name = objectClass.name.text
      classNames["class_\(i)"] = name
      for (property, column) in zip(objectClass.properties, realm.layouts[i].columns) {
        propertyNames[name, default: [:]]["property_\(column.position)"] = property.name.text
      }
    }
  }

  private func values(of realm: Realm) throws -> Values {
    let schema = realm.schema.objects
    var request = ObjectRequest()
    request.links = .keys
    var values: Values = [:]
    let source = RealmSource(realm, request)
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      let objectClass = schema.classes[part.classPosition]
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          var object: [String: Value] = [:]
          for (i, property) in objectClass.properties.enumerated() {
            let value = try batch.value(ofProperty: i, row: row)
            var (links, others): ([String], [String]) = ([], [])
            object[property.name.text] = Value(
              text: text(value, schema, &links),
              withoutLinks: text(withoutLinks(value), schema, &others), links: links)
          }
          values[objectClass.name.text, default: [:]][batch.keys[row].raw] = object
        }
      }
      _ = cursor.close()
    }
    return values
  }

  private func text(
    _ value: RealmValue, _ schema: ObjectSchema, _ links: inout [String]
  ) -> String {
    func texts(_ values: [RealmValue]) -> String {
      values.map { text($0, schema, &links) }.joined(separator: ",")
    }
    switch value {
    case .link(let link):
      let name = schema.classes[link.classPosition].name.text
      let found = "\(classNames[name] ?? name) \(link.key?.raw ?? -1)"
      links.append(found)
      return found
    case .object(let values): return "{" + texts(values) + "}"
    case .list(let values): return "[" + texts(values) + "]"
    case .dictionary(let entries):
      return "<" + texts(entries.flatMap { [$0.key, $0.value] }) + ">"
    default: return value.text
    }
  }

  /// The value without links: null in place of a link, and without the links and nulls of a list.
  private func withoutLinks(_ value: RealmValue) -> RealmValue {
    switch value {
    case .link: .null
    case .object(let values): .object(values.map(withoutLinks))
    case .list(let values): .list(values.map(withoutLinks).filter { $0 != .null })
    default: value
    }
  }

  // MARK: Damage

  /// The bytes with some damaged blocks.
  ///
  /// - Returns: nil if the file has too few blocks.
  package func damaged(_ damage: Damage, blocks count: Int, seed: UInt64) -> [UInt8]? {
    let size = LegacyTrial.blockByteCount
    let blocks = (bytes.count + size - 1) / size
    guard count == 1 || count * 2 <= blocks else { return nil }
    var random = SplitMix64(seed: seed)
    var damaged = bytes
    for block in (0..<blocks).shuffled(using: &random).prefix(count) {
      let range = block * size..<min((block + 1) * size, bytes.count)
      switch damage {
      case .zeroed: damaged.replaceSubrange(range, with: repeatElement(0, count: range.count))
      case .scrambled:
        for i in range { damaged[i] = UInt8.random(in: 0...255, using: &random) }
      case .replaced:
        guard blocks > 2 else { return nil }
        let others = (0..<bytes.count / size).filter { $0 != block }
        guard let other = others.randomElement(using: &random) else { return nil }
        damaged.replaceSubrange(range, with: bytes[other * size..<other * size + range.count])
      }
    }
    return damaged
  }

  // MARK: Comparison

  /// Salvages a damaged copy, and compares the result with the values of the realm.
  package func salvage(
    _ damaged: [UInt8], _ version: SalvageRequest.Version = .newest
  ) throws -> Outcome {
    let path = try folder.write(damaged, to: "damaged.realm")
    let target = folder.path("salvaged.realm")
    var request = SalvageRequest(path: path)
    (request.key, request.version, request.jobs) = (file.key, version, 2)
    var outcome = Outcome()
    outcome.values = valueCount
    let report: SalvageReport
    do {
      report = try SalvageJob(request).run(to: .realm(target, replacing: true))
    } catch {
      outcome.refusal = "\(error)"
      return outcome
    }
    outcome.report = report
    var verifying = VerifyJob.Request(path: target)
    verifying.key = file.key
    outcome.errors = try VerifyJob(verifying).run().findings.filter { $0.severity == .error }
      .map { "\($0)" }
    let found = try values(of: try Realm(path: target, key: file.key))
    func objectCount(_ values: Values) -> Int { values.values.reduce(0) { $0 + $1.count } }
    if report.isComplete, objectCount(found) < objectCount(values) {
      outcome.errors.append(
        "nothing is reported as lost, but of \(objectCount(values)) objects there are \(objectCount(found))"
      )
    }
    compare(found, report, &outcome)
    if report.isComplete { (outcome.unseen, outcome.wrong) = (outcome.wrong, []) }
    return outcome
  }

  private func compare(_ found: Values, _ report: SalvageReport, _ outcome: inout Outcome) {
    struct Cell: Hashable {
      let (className, property): (String, String)
      let key: Int64

      init(_ className: String, _ property: String, _ key: Int64) {
        (self.className, self.property, self.key) = (className, property, key)
      }
    }
    var reported = Set<Cell>()
    // A doubtful value is in the result, so it must be right.
    for loss in report.losses where !loss.isDoubtful {
      for key in loss.objectKeys {
        reported.insert(Cell(loss.className ?? "", loss.property ?? "", key))
      }
    }
    for (stated, objects) in found {
      let isKeyless = stated.hasPrefix(SalvageSchema.lostPrefix)
      let own = isKeyless ? String(stated.dropFirst(SalvageSchema.lostPrefix.count)) : stated
      let name = values[own] == nil ? classNames[own] ?? own : own
      for (key, object) in objects {
        guard let original = values[name]?[key] else {
          guard !report.isNewestLost, !report.isNewestUnknown else { continue }
          outcome.invented.append("\(stated)/\(key)")
          continue
        }
        for (statedProperty, value) in object {
          let property =
            original[statedProperty] == nil
            ? propertyNames[name]?[statedProperty] ?? statedProperty : statedProperty
          guard let expected = original[property] else {
            outcome.wrong.append("\(stated).\(statedProperty): no such property")
            continue
          }
          let isReported = reported.contains(Cell(own, statedProperty, key))
          if value == expected {
            if !isReported { outcome.saved += 1 }
          } else if !isReported, !report.isNewestLost, !report.isNewestUnknown,
            report.nulledLinks == 0 && !isKeyless || !value.isWithoutLinks(of: expected)
          {
            outcome.wrong.append(
              "\(stated)/\(key).\(property): \(value.text), expected \(expected.text)")
          }
        }
      }
    }
  }
}

extension LegacyTrial.Value {
  /// Whether this is `other` without some of its links.
  fileprivate func isWithoutLinks(of other: LegacyTrial.Value) -> Bool {
    var rest = other.links
    return withoutLinks == other.withoutLinks
      && links.allSatisfy { link in
        rest.firstIndex(of: link).map { rest.remove(at: $0) } != nil
      }
  }
}
