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

  private(set) var slotCount = Slot.count
  /// Nil if the identifier is in the top array.
  private(set) var fileIdent: Int?
  private(set) var changesets = Slot.changesets
  private(set) var origins = Slot.origins
  private(set) var latestServerVersion = Slot.latestServerVersion
  private(set) var downloadServerVersion = Slot.downloadServerVersion
  private(set) var downloadClientVersion = Slot.downloadClientVersion
  private(set) var uploadClientVersion = Slot.uploadClientVersion
  private(set) var downloadedBytes = Slot.downloadedBytes
  private(set) var downloadableBytes = Slot.downloadableBytes
  private(set) var uploadedBytes = Slot.uploadedBytes
  private(set) var uploadableBytes = Slot.uploadableBytes

  /// The layout in a schema version of the history. An unknown one is taken for that of the next older version.
  init(schemaVersion: Int) {
    switch schemaVersion {
    case ..<2:
      // Version 1 adds two slots at the end.
      (slotCount, fileIdent) = (schemaVersion < 1 ? 21 : 23, 11)
      (changesets, origins, latestServerVersion) = (0, 3, 7)
      (downloadServerVersion, downloadClientVersion, uploadClientVersion) = (5, 6, 9)
      (downloadedBytes, downloadableBytes) = (14, 15)
      (uploadedBytes, uploadableBytes) = (16, 17)
    case ..<10: fileIdent = 1
    default: break
    }
  }
}
