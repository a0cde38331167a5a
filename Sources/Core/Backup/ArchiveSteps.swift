import RealmStorage

/// How much of an archive is read or written at a time. A test makes the steps small, so that each byte is at an edge of
/// one.
package struct ArchiveSteps: Sendable {
  /// Bytes of the archive that libarchive reads or writes at once.
  package var blockByteCount = 1 << 16
  /// Bytes of a member that are passed to libarchive, or come from it, at once.
  package var pieceByteCount = FilePieces.usualByteCount

  package init() {}
}
