import RealmStorage

/// The header, the top array and what lies beside the file (chapter 1, section 8).
struct FileChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    [VerifyPiece { (_) throws(RealmFileError) in VerifyPiece.Outcome(check()) }]
  }

  private func check() -> Findings {
    var findings = Findings(limit: context.limit)
    var header = HeaderCheck(context.snapshot, version: context.version)
    header.run()
    findings.add(contentsOf: header.findings)
    for file in AuxiliaryFiles.list(forRealmAt: context.snapshot.path) {
      switch file.kind {
      case .compactionSpace:
        findings.add(
          Finding(.fileLeftover, at: 0, "an interrupted compaction left \(file.path)"))
      case .formatBackup:
        findings.add(Finding(.fileFormatBackup, at: 0, "an upgrade left \(file.path)"))
      default: continue
      }
    }
    return findings
  }

  /// What an error of opening the realm at `path` means where a copy from before an upgrade lies beside
  /// it: libraries put that in the place of a file whose format they reject (chapter 1, section 6.3).
  static func replacement(for error: RealmFileError, path: String) -> Finding? {
    switch error.kind {
    case .oldFormat(let format), .newerFormat(let format):
      let copy = AuxiliaryFiles.list(forRealmAt: path).last {
        $0.kind == .formatBackup && !$0.isPartial
      }
      return copy.map {
        Finding(
          .fileFormatBackup, .error, at: 0,
          "the file has format \(format); a library that does not know it puts \($0.path) in its"
            + " place")
      }
    default: return nil
    }
  }
}
