import RealmStorage

/// Checks the header, the top array and the files beside the realm (chapter 1, section 8), in one piece.
struct FilePass: VerifyPass {
  let context: VerifyContext

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { (_) throws(RealmFileError) in VerifyPiece.Outcome(try check()) }
    ]
  }

  private func check() throws(RealmFileError) -> Findings {
    var findings = Findings(limit: context.limit)
    try HeaderCheck(context.snapshot, version: context.version).check(&findings)
    for file in AuxiliaryFiles.list(forRealmAt: context.snapshot.path) {
      switch file.kind {
      case .compactionSpace:
        findings.add(.fileLeftover, at: 0, "an interrupted compaction left \(file.path)")
      case .formatBackup where context.snapshot.isLegacy && !file.isPartial:
        findings.add(FilePass.replacement(of: context.snapshot.format, by: file))
      case .formatBackup:
        findings.add(.fileFormatBackup, at: 0, "an upgrade left \(file.path)")
      default: continue
      }
    }
    return findings
  }

  /// The finding for an error of opening the realm at `path`, if a backup from an upgrade lies beside
  /// it: libraries replace a file of a format that they reject with that backup (chapter 1, section 6.3).
  static func replacement(for error: RealmFileError, path: String) -> Finding? {
    switch error.kind {
    case .oldFormat(let format), .newerFormat(let format):
      let copy = AuxiliaryFiles.list(forRealmAt: path).last {
        $0.kind == .formatBackup && !$0.isPartial
      }
      return copy.map { replacement(of: format, by: $0) }
    default: return nil
    }
  }

  /// The finding for a file that libraries replace with `backup` because they reject its format.
  private static func replacement(of format: Int, by backup: AuxiliaryFile) -> Finding {
    Finding(
      .fileFormatBackup, .error, at: 0,
      "the file has format \(format); a library that rejects it replaces the file with "
        + backup.path)
  }
}
