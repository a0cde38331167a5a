/// The positions in the root array of a client history, which depend on its schema version (chapter 4, sections 2.1
/// and 2.9).
package struct ClientHistoryLayout {
  /// The positions in schema versions 2, 10, 11 and 12.
  package enum Slot {
    package static let logs = 0
    package static let identSalt = 2
    package static let latestServerVersion = 3
    package static let downloadServerVersion = 5
    package static let downloadClientVersion = 6
    package static let uploadClientVersion = 7
    package static let uploadServerVersion = 8
    static let downloadedBytes = 9
    static let downloadableBytes = 10
    package static let uploadedBytes = 11
    package static let uploadableBytes = 12
    package static let changesets = 13
    package static let transforms = 14
    package static let remoteVersions = 15
    package static let origins = 16
    package static let timestamps = 17
    package static let objectIdState = 18
    package static let cooked = 19
    package static let schemaVersions = 20
    package static let count = 21
    package static let refs = [
      logs, changesets, transforms, remoteVersions, origins, timestamps, schemaVersions,
    ]
  }

  let slotCount: Int
  /// Nil if the identifier is in the top array.
  let fileIdent: Int?
  let changesets: Int
  let origins: Int
  let latestServerVersion: Int
  let downloadServerVersion: Int
  let downloadClientVersion: Int
  let uploadClientVersion: Int
  let downloadedBytes: Int
  let downloadableBytes: Int
  let uploadedBytes: Int
  let uploadableBytes: Int
}

extension ClientHistoryLayout {
  /// The layout in a schema version of the history.
  init(schemaVersion: Int) {
    self =
      switch schemaVersion {
      case ..<1: .first(slotCount: 21)
      case 1: .first(slotCount: 23)
      case ..<10: .current(fileIdent: 1)
      default: .current(fileIdent: nil)
      }
  }

  private static func current(fileIdent: Int?) -> ClientHistoryLayout {
    ClientHistoryLayout(
      slotCount: Slot.count, fileIdent: fileIdent, changesets: Slot.changesets,
      origins: Slot.origins, latestServerVersion: Slot.latestServerVersion,
      downloadServerVersion: Slot.downloadServerVersion,
      downloadClientVersion: Slot.downloadClientVersion,
      uploadClientVersion: Slot.uploadClientVersion, downloadedBytes: Slot.downloadedBytes,
      downloadableBytes: Slot.downloadableBytes, uploadedBytes: Slot.uploadedBytes,
      uploadableBytes: Slot.uploadableBytes)
  }

  /// The layout in schema versions 0 and 1; the latter adds two slots at the end.
  private static func first(slotCount: Int) -> ClientHistoryLayout {
    ClientHistoryLayout(
      slotCount: slotCount, fileIdent: 11, changesets: 0, origins: 3, latestServerVersion: 7,
      downloadServerVersion: 5, downloadClientVersion: 6, uploadClientVersion: 9,
      downloadedBytes: 14, downloadableBytes: 15, uploadedBytes: 16, uploadableBytes: 17)
  }
}
