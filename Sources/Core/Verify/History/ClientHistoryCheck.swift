import RealmModel
import RealmStorage
import RealmSync

/// Checks a client history of schema versions 10 to 12 (chapter 4, sections 2 and 9).
struct ClientHistoryCheck {
  /// The first schema version with this layout and these rules.
  static let oldestSchema = 10

  private typealias Slot = ClientHistoryLayout.Slot

  /// Tolerance for differing clocks: a week.
  private static let tolerance: Int64 = 7 * 86_400_000
  /// The most bytes that are unpacked. Further changesets are not checked.
  private static let unpackLimit = 4 << 30

  private let reader: RealmReader
  private let now: Int64?
  private let top: TopArray

  init(reader: RealmReader, now: Int64?) {
    self.reader = reader
    self.now = now
    top = reader.realm.snapshot.top
  }

  private var nodes: NodeReader { reader.nodes }

  /// - Throws: an error if nothing more can be checked.
  func run(_ findings: inout Findings) throws(RealmFileError) {
    let root = try nodes.lookUp(top.history)
    guard checkRoot(root, &findings) else { return }
    let columns = try nodes.traversing { () throws(RealmFileError) in
      Columns(
        remoteVersions: try integers(root: root.ref(at: Slot.remoteVersions)),
        origins: try integers(root: root.ref(at: Slot.origins)),
        timestamps: try integers(root: root.ref(at: Slot.timestamps)))
    }
    let logs = try HistoryCheck.count(root: root.ref(at: Slot.logs), nodes)
    if logs > max(1, top.version - 1) || (logs == 0 && top.version > 1) {
      findings.add(
        .historyLengths, at: root.ref,
        "\(logs) transaction logs at version \(top.version), expected 1 to "
          + "\(max(1, top.version - 1))")
    }
    let changesets = try checkChangesets(root, columns, &findings)
    let transforms = try checkTransforms(root, &findings)
    let count = columns.origins.count
    let counts = [count, columns.remoteVersions.count, columns.timestamps.count, transforms]
    if counts.contains(where: { $0 != changesets.count }) {
      findings.add(
        .historyLengths, at: root.ref,
        "the columns have \(changesets.count), \(transforms), \(columns.remoteVersions.count), "
          + "\(count) and \(columns.timestamps.count) entries, expected equal counts")
    }
    if count >= top.version, count > 0 {
      findings.add(
        .historyLengths, at: root.ref,
        "\(count) entries at version \(top.version), expected at most \(max(0, top.version - 1))")
    }
    checkCursors(root, columns, &findings)
    checkColumns(root, columns, changesets, &findings)
    try checkEvents(at: root.ref(at: Slot.schemaVersions), &findings)
  }

  private func checkRoot(_ root: Node, _ findings: inout Findings) -> Bool {
    guard root.hasRefs, !root.isInner, root.count == Slot.count else {
      findings.add(
        .historyRoot, at: root.ref,
        "the root has \(root.count) slots, expected \(Slot.count)")
      return false
    }
    var isWhole = true
    for slot in 0..<Slot.count {
      let element = root.element(at: slot)
      if Slot.refs.contains(slot) {
        guard case .ref = element else {
          findings.add(
            .historyRoot, at: root.ref,
            "slot \(slot) is \(root.integer(at: slot)), expected a ref")
          isWhole = false
          continue
        }
      } else if case .ref = element {
        // Only schema version 10 uses these two slots.
        let isLegacy = slot == Slot.objectIdState || slot == Slot.cooked
        if isLegacy, top.historySchemaVersion == ClientHistoryCheck.oldestSchema { continue }
        findings.add(
          .historyRoot, at: root.ref,
          "slot \(slot) is a ref, expected an integer")
      }
    }
    return isWhole
  }

  // MARK: Columns

  private struct Columns {
    let remoteVersions: [Int64]
    let origins: [Int64]
    let timestamps: [Int64]
  }

  /// A column of integers, one for each entry.
  ///
  /// - Throws: `damaged` for a column with more entries than the file has bytes: the timestamp of an entry
  ///   takes more than one byte.
  private func integers(root: Ref) throws(RealmFileError) -> [Int64] {
    var column = HistoryColumn(root: root, nodes: nodes)
    return try column.rest(limit: nodes.logicalSize)
  }

  /// Facts about all changesets.
  private struct Changesets {
    var count = 0
    /// Bytes of the uncompressed local changesets.
    var localByteCount = 0
    /// Whether a local changeset is not empty.
    var hasLocal = false
  }

  private func checkChangesets(
    _ root: Node, _ columns: Columns, _ findings: inout Findings
  ) throws(RealmFileError) -> Changesets {
    var result = Changesets()
    var names = ChangesetNames()
    var unpacked = 0
    try forEachValue(of: try root.ref(at: Slot.changesets)) { (value) throws(RealmFileError) in
      let entry = result.count
      result.count += 1
      guard let byteCount = try wrappedByteCount(value) else { return }
      let isLocal = entry < columns.origins.count && columns.origins[entry] == 0
      if isLocal {
        result.hasLocal = true
        result.localByteCount &+= byteCount
      }
      // Changesets can unpack to a thousand times the size of the file, so the sum has a limit.
      unpacked &+= min(byteCount, StoredChangeset.sizeLimit)
      guard unpacked <= ClientHistoryCheck.unpackLimit else {
        findings.add(
          .historyNotDecoded, at: root.ref,
          "the changesets unpack to \(unpacked) bytes or more; only the first "
            + "\(ClientHistoryCheck.unpackLimit) were checked")
        return
      }
      let label = "entry \(entry)"
      guard let bytes = try unwrap(value, label, at: root.ref, &findings), isLocal else { return }
      decode(bytes, label, at: root.ref, &findings) { names.take($0) }
    }
    checkNames(names, at: root.ref, &findings)
    return result
  }

  private func checkTransforms(
    _ root: Node, _ findings: inout Findings
  ) throws(RealmFileError) -> Int {
    var count = 0
    var unpacked = 0
    try forEachValue(of: try root.ref(at: Slot.transforms)) { (value) throws(RealmFileError) in
      defer { count += 1 }
      guard let byteCount = try wrappedByteCount(value) else { return }
      unpacked &+= min(byteCount, StoredChangeset.sizeLimit)
      guard unpacked <= ClientHistoryCheck.unpackLimit else { return }
      let label = "the transformed changeset of entry \(count)"
      guard let bytes = try unwrap(value, label, at: root.ref, &findings) else { return }
      decode(bytes, label, at: root.ref, &findings) { _ in }
    }
    return count
  }

  private func forEachValue(
    of root: Ref, _ body: (HistoryValue) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    try nodes.traversing { () throws(RealmFileError) in
      var values = BinaryValues(root: root, nodes: nodes)
      while let value = try values.next() {
        try body(HistoryValue(value, schemaVersion: top.historySchemaVersion))
      }
    }
  }

  /// The unpacked size in the wrapper of a stored value; 0 without a valid wrapper, nil for an empty value.
  private func wrappedByteCount(_ value: HistoryValue) throws(RealmFileError) -> Int? {
    switch try value.byteCount() {
    case .success(let count)?: count
    case .failure?: 0
    case nil: nil
    }
  }

  private func version(ofEntry entry: Int, count: Int) -> Int {
    // The last entry has the version of the file. All three numbers are far below 2⁶².
    top.version - count + entry + 1
  }

  private func unwrap(
    _ value: HistoryValue, _ label: String, at ref: Ref, _ findings: inout Findings
  ) throws(RealmFileError) -> [UInt8]? {
    switch try value.unwrapped() {
    case .success(let changeset):
      if changeset.isEarly {
        findings.add(
          .historyEarlyWrapper, at: ref,
          "\(label) has the wrapper of an early build")
      }
      return changeset.bytes
    case .failure(.damaged(let problem)):
      findings.add(.historyWrapper, at: ref, "\(label): \(problem)")
    case .failure(.unsupported(let problem)):
      findings.add(.historyNotDecoded, at: ref, "\(label): \(problem)")
    }
    return nil
  }

  /// Passes the instructions of a changeset to `body`, if changesets of this schema version can be decoded.
  private func decode(
    _ bytes: [UInt8], _ label: String, at ref: Ref, _ findings: inout Findings,
    _ body: (Instruction) -> Void
  ) {
    guard top.historySchemaVersion >= ClientHistory.oldestDecodedSchemaVersion else { return }
    var decoder = ChangesetDecoder(bytes)
    do throws(ChangesetError) {
      while let instruction = try decoder.next() { body(instruction) }
    } catch {
      findings.add(.historyChangeset, at: ref, "\(label): \(error.description)")
    }
  }

  private func checkNames(
    _ names: ChangesetNames, at ref: Ref, _ findings: inout Findings
  ) {
    var tables: [[UInt8]: Table] = [:]
    for table in reader.realm.schema.classes { tables[table.className.bytes] = table }
    for (name, fields) in names.sorted {
      guard let table = tables[name] else {
        findings.add(
          .historyNames, at: ref, "class \(String(decoding: name, as: UTF8.self)) does not exist")
        continue
      }
      for field in fields where !table.columns.contains(where: { $0.name.bytes == field }) {
        findings.add(
          .historyNames, at: ref,
          "property \(table.className.text).\(String(decoding: field, as: UTF8.self)) does not"
            + " exist")
      }
    }
  }

  // MARK: Numbers

  private func checkCursors(_ root: Node, _ columns: Columns, _ findings: inout Findings) {
    func integer(_ slot: Int) -> Int { root.slotInteger(at: slot) }
    let latest = integer(Slot.latestServerVersion)
    let downloaded = integer(Slot.downloadServerVersion)
    let downloadedClient = integer(Slot.downloadClientVersion)
    let uploaded = integer(Slot.uploadClientVersion)
    let uploadedServer = integer(Slot.uploadServerVersion)
    if downloaded > latest {
      findings.add(
        .historyCursors, at: root.ref,
        "server version \(downloaded) is integrated, but the newest known version is \(latest)")
    }
    for (name, value) in [("download", downloadedClient), ("upload", uploaded)]
    where value > top.version {
      findings.add(
        .historyCursors, at: root.ref,
        "the \(name) cursor is at version \(value), but the realm is at version \(top.version)")
    }
    if downloadedClient > uploaded {
      findings.add(
        .historyCursorOrder, at: root.ref,
        "the server has version \(downloadedClient) by the download cursor, but \(uploaded) by the "
          + "upload cursor")
    }
    if downloaded == 0, downloadedClient != 0 {
      findings.add(
        .historyCursorOrder, at: root.ref,
        "nothing was downloaded, but the download cursor is at version \(downloadedClient)")
    }
    if uploadedServer > downloaded {
      findings.add(
        .historyCursorOrder, at: root.ref,
        "the upload cursor is at server version \(uploadedServer), but only \(downloaded) was "
          + "downloaded")
    }
    if integer(Slot.uploadedBytes) > integer(Slot.uploadableBytes) {
      findings.add(
        .historyByteCounts, at: root.ref,
        "\(integer(Slot.uploadedBytes)) bytes were uploaded, but there were only "
          + "\(integer(Slot.uploadableBytes)) bytes to upload")
    }
    if top.fileIdent != 0, integer(Slot.identSalt) == 0 {
      findings.add(.historyIdent, at: root.ref, "the file identifier \(top.fileIdent) has no salt")
    }
    if let last = columns.remoteVersions.max(), last > downloaded {
      findings.add(
        .historyRemoteAhead, at: root.ref,
        "an entry has server version \(last), but only \(downloaded) is integrated")
    }
  }

  private func checkColumns(
    _ root: Node, _ columns: Columns, _ changesets: Changesets,
    _ findings: inout Findings
  ) {
    let count = columns.origins.count
    for (i, pair) in zip(columns.remoteVersions, columns.remoteVersions.dropFirst()).enumerated()
    where pair.0 > pair.1 {
      findings.add(
        .historyRemoteVersions, at: root.ref,
        "the entry of version \(version(ofEntry: i + 1, count: count)) has server version"
          + " \(pair.1) after \(pair.0)")
    }
    for (i, origin) in columns.origins.enumerated()
    where origin < 0 || (origin != 0 && origin == Int64(top.fileIdent)) {
      findings.add(
        .historyOrigin, at: root.ref,
        "the entry of version \(version(ofEntry: i, count: count)) has origin \(origin), expected 0 "
          + "or another file")
    }
    for (i, time) in columns.timestamps.enumerated() {
      // Milliseconds since 2015. A time above the maximum is negative.
      let isLate = now.map { time > $0 - ClientHistoryWriter.epoch + ClientHistoryCheck.tolerance }
      guard time < 0 || isLate == true else { continue }
      findings.add(
        .historyTimestamps, at: root.ref,
        "the time of the entry of version \(version(ofEntry: i, count: count)) is \(time) ms after "
          + "the start of 2015")
    }
    let uploaded = root.slotInteger(at: Slot.uploadClientVersion)
    if top.fileIdent == 0, uploaded > 0, changesets.hasLocal {
      findings.add(
        .historyAcknowledged, at: root.ref,
        "version \(uploaded) is acknowledged, but the file has no identifier from a server")
    }
    let uploadable = root.slotInteger(at: Slot.uploadableBytes)
    if changesets.localByteCount > uploadable {
      findings.add(
        .historyByteCounts, at: root.ref,
        "\(changesets.localByteCount) bytes of local changesets are stored, but there are only "
          + "\(uploadable) bytes to upload")
    }
  }

  // MARK: Events

  /// Checks the record of the creation and the upgrades of the history (section 2.3).
  private func checkEvents(at ref: Ref, _ findings: inout Findings) throws(RealmFileError) {
    let events: HistoryEvents
    do throws(RealmFileError) {
      events = try HistoryEvents(at: ref, nodes)
    } catch {
      return try addEventError(error, &findings)
    }
    for i in 0..<events.count {
      do throws(RealmFileError) {
        _ = try events.event(i)
      } catch {
        try addEventError(error, &findings)
      }
    }
    if events.lastSchemaVersion != Int64(top.historySchemaVersion) {
      findings.add(
        .historySchemaVersions, at: ref,
        "the record ends with schema version \(events.lastSchemaVersion), but the history has "
          + "\(top.historySchemaVersion)")
    }
  }

  /// Adds an error of the record as a warning, because libraries do not need the record.
  private func addEventError(
    _ error: RealmFileError, _ findings: inout Findings
  ) throws(RealmFileError) {
    guard error.kind == .damaged(.historyRoot) else { throw error }
    findings.add(.historySchemaVersions, at: error.offset, error.detail ?? "")
  }
}
