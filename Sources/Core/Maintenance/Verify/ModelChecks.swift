import RealmModel
import RealmStorage
import RealmSync

/// Object keys, and primary keys without an index (chapter 3, section 4): a piece for each table.
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

/// Tables and specs (chapter 3, sections 8.4 and 11): what reading the schema found, and the rules of the
/// object store.
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

/// The history (chapter 4, section 9).
struct HistoryChecks: VerifyCheck {
  let context: VerifyContext
  /// Milliseconds since 1970, nil not to look for changes from the future.
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
