import RealmModel
import RealmStorage
import RealmSync

/// Checks object keys, and primary keys without an index (chapter 3, section 4): one piece per
/// table.
struct KeyChecks: VerifyCheck {
  let context: VerifyContext
  let trees: ObjectTrees

  func pieces() -> [VerifyPiece] {
    context.tables.map { table in
      VerifyPiece(at: table.ref, className: table.className.text) {
        (worker) throws(RealmFileError) in
        var findings = Findings(limit: context.limit)
        let check = KeyCheck(table, reader: worker.reader)
        try check.checkObjectKeys(&findings)
        if let primaryKey = table.primaryKey, table.columns[primaryKey].index == 0 {
          try check.checkUniqueness(
            in: trees.objects(of: table)?.scan.clusters ?? [], &findings)
        }
        return VerifyPiece.Outcome(findings)
      }
    }
  }
}

/// Checks tables and specs (chapter 3, sections 8.4 and 11): the findings of reading the schema,
/// and the rules of the object store.
struct SchemaChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { (_) throws(RealmFileError) in
        var findings = context.schemaFindings
        ObjectStoreCheck(context.realm).check(context.tables, &findings)
        return VerifyPiece.Outcome(findings)
      }
    ]
  }
}

/// Checks the history (chapter 4, section 9).
struct HistoryChecks: VerifyCheck {
  let context: VerifyContext
  /// Milliseconds since 1970, to find entries from the future; nil to skip this check.
  let now: Int64?

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { (worker) throws(RealmFileError) in
        var findings = Findings(limit: context.limit)
        try HistoryCheck(reader: worker.reader, now: now).check(&findings)
        return VerifyPiece.Outcome(findings)
      }
    ]
  }
}
