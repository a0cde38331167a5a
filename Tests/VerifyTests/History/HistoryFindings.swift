import RealmModel
import RealmStorage
import RealmSync
import RealmVerify
import TestSupport

/// The findings of the history check in a realm, on 2027-01-01.
func historyFindings(_ path: String, key: RealmKey? = nil) throws -> [Finding] {
  let realm = try Realm(try Snapshot(path: path, key: key))
  var findings = Findings(limit: 100)
  try HistoryCheck(reader: try RealmReader(realm), now: 1_798_761_600_000).check(&findings)
  return findings.list
}

/// The findings of the history check in a golden file after `edit` changed it.
func historyFindings(
  _ name: String, _ edit: (inout EditedRealm) throws -> Void
) throws -> [Finding] {
  var realm = try EditedRealm(golden: name)
  try edit(&realm)
  let folder = try TemporaryFolder()
  let found = try historyFindings(try folder.write(realm.bytes, to: "a.realm"))
  withExtendedLifetime(folder) {}
  return found
}

/// The rules that a golden file breaks after `edit` changed it.
func historyRules(
  _ name: String, _ edit: (inout EditedRealm) throws -> Void
) throws -> [String] {
  try historyFindings(name, edit).map(\.rule.rawValue)
}
