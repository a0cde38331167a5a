import Foundation
import RealmModel
import RealmStorage
import TestSupport

/// What the checks of the module say about a realm.
func modelDefects(path: String, key: RealmKey? = nil) throws -> [Defect] {
  let realm = try Realm(try Snapshot(path: path, key: key))
  let reader = try RealmReader(realm)
  var defects: [Defect] = []
  for table in realm.schema.tables {
    IndexCheck(reader: reader).check(table) { defects.append($0) }
    KeyCheck(reader: reader).check(table) { defects.append($0) }
  }
  LinkCheck(reader: reader).check { defects.append($0) }
  SchemaCheck(realm).check { defects.append($0) }
  return defects
}

/// What the checks of the module say about bytes.
func modelDefects(_ bytes: [UInt8]) throws -> [Defect] {
  let folder = try TemporaryFolder()
  let defects = try modelDefects(path: try folder.write(bytes, to: "a.realm"))
  withExtendedLifetime(folder) {}
  return defects
}

/// The severity of the rule that a defect breaks; nil for a rule that is not in the table.
func severity(_ defect: Defect) -> IntegrityRule.Severity? {
  ModelRules.rules.first { $0.id == defect.ruleID }?.severity
}

/// One line for a failed expectation.
func line(_ defect: Defect) -> String {
  "\(defect.ruleID): \(defect.text), table \(defect.table?.raw ?? -1), column"
    + " \(defect.column?.leafIndex ?? -1), object \(defect.objectKey?.raw ?? -1), byte"
    + " \(defect.offset ?? -1)"
}
