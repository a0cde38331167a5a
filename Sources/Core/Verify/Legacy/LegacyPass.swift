import RealmLegacy
import RealmModel
import RealmStorage
import Synchronization

/// Checks a realm of formats 2 to 9 (chapter 5): its tables in one piece each, and then the primary keys and
/// backlinks of all tables.
final class LegacyPass: VerifyPass {
  private let context: VerifyContext
  /// Why the schema cannot be read; otherwise empty.
  private let schemaFindings: Findings
  /// Nil if the schema cannot be read.
  private let realm: LegacyRealm?
  private let links = Mutex(LegacyLinkSums())

  /// - Throws: errors other than damage; `halfUpgraded`.
  init(_ context: VerifyContext) throws(RealmFileError) {
    self.context = context
    var findings = Findings(limit: context.limit)
    var realm: LegacyRealm?
    do throws(RealmFileError) {
      realm = try LegacyRealm(context.snapshot)
    } catch {
      try findings.add(error)
    }
    (self.realm, schemaFindings) = (realm, findings)
  }

  func pieces() -> [VerifyPiece] {
    let (limit, findings) = (context.limit, schemaFindings)
    guard let realm else {
      return [VerifyPiece { _ in VerifyPiece.Outcome(findings) }]
    }
    return positions(of: realm).map { position in
      let (ref, name) = (realm.tables[position].ref, realm.schema.classes[position].name.text)
      return VerifyPiece(at: ref, className: name) { [self] (worker) throws(RealmFileError) in
        var check = LegacyTableCheck(realm, position: position, nodes: worker.nodes, limit: limit)
        try check.run()
        let sums = check.links
        return VerifyPiece.Outcome(check.findings) { [self] in links.withLock { $0.add(sums) } }
      }
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    var findings = Findings(limit: context.limit)
    guard let realm else { return findings }
    let nodes = try context.snapshot.makeReader()
    for position in positions(of: realm) {
      let mark = nodes.mark()
      defer { nodes.release(to: mark) }
      try nodes.traversing { () throws(RealmFileError) in
        try LegacyKeyCheck(realm, position: position, nodes: nodes).check(&findings)
      }
    }
    // If classes are left out, backlinks lack their links.
    if context.classes == nil { links.withLock { $0.compare(realm, &findings) } }
    return findings
  }

  /// Number of objects whose properties were checked.
  var objectCount: Int {
    realm.map { realm in
      positions(of: realm).reduce(0) { $0 + realm.tables[$1].rowCount }
    } ?? 0
  }

  private func positions(of realm: LegacyRealm) -> [Int] {
    realm.tables.indices.filter {
      context.isWanted(className: realm.schema.classes[$0].name.text)
    }
  }
}
