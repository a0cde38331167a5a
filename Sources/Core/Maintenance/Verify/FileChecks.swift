import RealmStorage

/// The header, the top array and what lies beside the file (chapter 1, section 8).
struct FileChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    [VerifyPiece { (_) throws(RealmFileError) in check() }]
  }

  private func check() -> Findings {
    var findings = Findings(limit: context.limit)
    var header = HeaderCheck(context.snapshot, version: context.version)
    header.run()
    findings.add(contentsOf: header.findings)
    let leftovers = AuxiliaryFiles.list(forRealmAt: context.snapshot.path).filter {
      $0.kind == .compactionSpace
    }
    for file in leftovers {
      findings.add(
        Finding(.fileLeftover, at: 0, "an interrupted compaction left \(file.path)"))
    }
    return findings
  }
}
