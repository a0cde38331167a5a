/// Checks the file header and the top array beyond the checks made by opening a realm (chapter 1,
/// section 8, rules 4 to 14).
package struct HeaderCheck {
  private typealias Slot = TopArray.Slot

  private let snapshot: Snapshot
  private let isLatest: Bool
  package private(set) var findings = Findings(limit: .max)

  /// - Parameter version: the version that the snapshot was opened with.
  package init(_ snapshot: Snapshot, version: Snapshot.Version) {
    self.snapshot = snapshot
    isLatest = version == .latest
  }

  private var top: TopArray { snapshot.top }

  package mutating func run() {
    checkHeader()
    checkSize()
    guard top.ref != 0 else { return }
    checkSlots()
    checkHistory()
  }

  private mutating func checkHeader() {
    let header = snapshot.header
    if header.bytes[22] != 0 || header.bytes[23] & ~1 != 0 {
      findings.add(
        Finding(
          .headerReserved, at: 22,
          "byte 22 is \(header.bytes[22]), the flags are \(header.bytes[23])"))
    }
    if header.isStreaming {
      if header.slots[1] != 0 || header.bytes[23] != 0 {
        findings.add(Finding(.headerStreaming, at: 8, "the second slot is not empty"))
      }
      let end = top.logicalSize + FileHeader.footerByteCount
      // An encrypted file has padding between the data and the footer.
      if !snapshot.isEncrypted, snapshot.dataByteCount != end {
        findings.add(
          Finding(
            .headerStreaming, at: min(top.logicalSize, snapshot.dataByteCount),
            "the file has \(snapshot.dataByteCount) bytes; \(end) are needed"))
      }
    } else if isLatest, header.slots[1 - header.selected] != 0,
      header.slots[1 - header.selected] != FileHeader.streamingMark
    {
      checkOtherSlot()
    }
  }

  private mutating func checkOtherSlot() {
    let header = snapshot.header
    let slot = 1 - header.selected
    let found: String
    do throws(RealmFileError) {
      let source = try snapshot.makeReader().source
      let other = try TopArray(
        at: try header.locatePreviousTop(size: source.count), in: source)
      guard other.version >= top.version else { return }
      found = "it names version \(other.version), the live one is \(top.version)"
    } catch {
      found = "it names no top array"
    }
    findings.add(Finding(.headerOtherSlot, at: slot * 8, "slot \(slot) is not live, but \(found)"))
  }

  private mutating func checkSize() {
    guard !snapshot.header.isStreaming, top.ref != 0, !snapshot.isEncrypted else { return }
    let size = snapshot.dataByteCount
    let limit = (top.logicalSize + 0xFFFF) & ~0xFFFF
    // A file that was written in streaming form and opened since still has its footer.
    guard size != top.logicalSize + FileHeader.footerByteCount else { return }
    if size & 0xFFF != 0 || size > limit {
      findings.add(
        Finding(
          .fileSize, at: min(top.logicalSize, size),
          "the file has \(size) bytes, of which \(top.logicalSize) are used"))
    }
  }

  private mutating func checkSlots() {
    let usual: Set<Int> = [3, 7, 11, 12]
    if !usual.contains(top.count) {
      findings.add(Finding(.topLength, at: top.ref, "the top array has \(top.count) slots"))
    }
    if !top.hasRefs {
      findings.add(
        Finding(.topFlags, at: top.ref, "the flags of the top array say that it has no refs"))
    }
    let size = top.slots[Slot.logicalSize]
    if size & 1 == 0 || top.logicalSize < top.ref + top.byteCount || top.logicalSize & 7 != 0 {
      findings.add(
        Finding(.topLogicalSize, at: top.ref, "the logical size is stored as \(size)"))
    }
    let isTagged = { (raw: Int64) in raw & 1 != 0 }
    let isTaggedOrZero = { (raw: Int64) in raw == 0 || raw & 1 != 0 }
    let isRef = { (raw: Int64) in raw > 0 && raw & 7 == 0 }
    let isRefOrZero = { (raw: Int64) in raw >= 0 && raw & 7 == 0 }
    check(Slot.freePositions, isRef)
    check(Slot.freeLengths, isRef)
    check(Slot.freeVersions, isRef)
    check(Slot.version, isTagged)
    check(Slot.historyType, isTaggedOrZero)
    check(Slot.history, isRefOrZero)
    check(Slot.historySchemaVersion, isTaggedOrZero)
    check(Slot.fileIdent, isTaggedOrZero)
    check(Slot.evacuation) { isTaggedOrZero($0) || isRef($0) }
    checkEvacuation()
  }

  private mutating func check(_ slot: Int, _ isLegal: (Int64) -> Bool) {
    guard slot < top.count, !isLegal(top.slots[slot]) else { return }
    findings.add(
      Finding(.topSlots, at: top.ref, "slot \(slot) of the top array is \(top.slots[slot])"))
  }

  /// The state of an evacuation is a plain array with at least two elements.
  private mutating func checkEvacuation() {
    guard Slot.evacuation < top.count, case let raw = top.slots[Slot.evacuation], raw != 0,
      raw & 1 == 0
    else { return }
    let state = try? snapshot.makeReader().isPlainArray(at: Int(raw), atLeast: 2)
    guard state != true else { return }
    findings.add(
      Finding(.topSlots, at: top.ref, "slot \(Slot.evacuation) leads to no state of an evacuation"))
  }

  private mutating func checkHistory() {
    if top.historyType == 0, top.history != 0 {
      findings.add(
        Finding(
          .topHistory, at: top.ref,
          "the history kind is 0, but there is a history at \(top.history)"))
    }
    let isLocal = top.historyType == 2
    let expected = snapshot.format >= 24 ? 1 : 0
    if isLocal, top.historySchemaVersion != expected {
      findings.add(
        Finding(
          .topHistorySchema, at: top.ref,
          "the history has schema version \(top.historySchemaVersion), not \(expected): an app "
            + "that may not upgrade it refuses the file"))
    }
  }
}

extension NodeReader {
  /// Whether there is a plain array of integers with at least `count` elements at `ref`.
  fileprivate func isPlainArray(at ref: Ref, atLeast count: Int) throws(RealmFileError) -> Bool {
    let node = try lookUp(ref)
    return node.isIntegers && node.count >= count
  }
}
