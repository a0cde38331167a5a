import Foundation
import RealmModel
import RealmStorage
import TestSupport

/// What the checks of the module say about a realm.
func modelFindings(path: String, key: RealmKey? = nil) throws -> Findings {
  let limit = 100
  let realm = try Realm(try Snapshot(path: path, key: key))
  let reader = try RealmReader(realm)
  var findings = Findings(limit: limit)
  let links = LinkCheck(reader: reader, limit: limit)
  var sides = LinkSides()
  for table in realm.schema.tables {
    for column in table.columns {
      findings.add(
        contentsOf: try IndexCheck(reader: reader, limit: limit).check(column, of: table))
    }
    findings.add(contentsOf: try KeyCheck(reader: reader, limit: limit).check(table))
    for tombstones in [false, true] {
      do throws(RealmFileError) {
        let clusters = try reader.clusters(of: table, tombstones: tombstones)
        let part = links.sides(of: table, in: clusters[...], tombstones: tombstones)
        sides.add(part.sides)
        findings.add(contentsOf: part.findings)
      } catch {
        sides.add(links.unread(table, error))
      }
    }
  }
  findings.add(contentsOf: try links.findings(of: sides))
  var tables = TableCheck(realm, nodes: reader.nodes, limit: limit)
  try tables.run()
  findings.add(contentsOf: tables.findings)
  var store = ObjectStoreCheck(realm, limit: limit)
  store.check(realm.schema.tables)
  findings.add(contentsOf: store.findings)
  return findings
}

/// What the checks of the module say about bytes.
func modelFindings(_ bytes: [UInt8]) throws -> Findings {
  let folder = try TemporaryFolder()
  let findings = try modelFindings(path: try folder.write(bytes, to: "a.realm"))
  withExtendedLifetime(folder) {}
  return findings
}

/// One line for a failed expectation.
func line(_ finding: Finding) -> String {
  "\(finding.rule.rawValue): \(finding.message), class \(finding.className ?? "-"), property"
    + " \(finding.property ?? "-"), object \(finding.objectKey ?? -1), byte \(finding.offset)"
}
