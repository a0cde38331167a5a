import RealmModel
import RealmStorage

/// Tables and specs (chapter 3, sections 8.4 and 11).
struct SchemaChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    [
      VerifyPiece { (worker) throws(RealmFileError) in
        var check = TableCheck(context.realm, nodes: worker.nodes, limit: context.limit)
        try check.run()
        var findings = context.schemaFindings
        findings.add(contentsOf: check.findings)
        var store = ObjectStoreCheck(context.realm, limit: context.limit)
        store.check(context.tables)
        findings.add(contentsOf: store.findings)
        return findings
      }
    ]
  }
}
