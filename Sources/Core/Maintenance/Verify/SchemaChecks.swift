import RealmModel
import RealmStorage

/// Tables and specs (chapter 3, section 11).
struct SchemaChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    [
      VerifyPiece { (worker) throws(RealmFileError) in
        var check = SchemaCheck(context.realm, nodes: worker.nodes, limit: context.limit)
        try check.run()
        var findings = context.schemaFindings
        findings.add(contentsOf: check.findings)
        return findings
      }
    ]
  }
}
