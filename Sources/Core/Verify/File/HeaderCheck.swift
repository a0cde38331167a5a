import RealmStorage

/// Checks the rules for the file header and the top array that opening a realm does not check (chapter 1,
/// section 8, rules 4 to 14).
struct HeaderCheck {
  private typealias Slot = TopArray.Slot

  private let snapshot: Snapshot
  private let isLatest: Bool

  /// - Parameter version: the version that the snapshot was opened with.
  init(_ snapshot: Snapshot, version: Snapshot.Version) {
    self.snapshot = snapshot
    isLatest = version == .latest
  }

  private var top: TopArray { snapshot.top }

  func check(_ findings: inout Findings) throws(RealmFileError) {
    checkHeader(&findings)
    checkSize(&findings)
    guard top.ref != 0 else { return try checkOlderData(&findings) }
    checkSlots(&findings)
    checkHistory(&findings)
  }

  private func checkHeader(_ findings: inout Findings) {
    let header = snapshot.header
    if header.bytes[22] != 0 || header.bytes[23] & ~1 != 0 {
      findings.add(
        .headerReserved, at: 22,
        "byte 22 is \(header.bytes[22]) and byte 23 is \(header.bytes[23]), expected 0 and 0 or 1")
    }
    if header.isStreaming {
      if header.slots[1] != 0 || header.bytes[23] != 0 {
        findings.add(
          .headerStreaming, at: 8,
          "slot 1 is \(header.slots[1]) and the flags are \(header.bytes[23]), expected 0 and 0")
      }
      let end = top.logicalSize + FileHeader.footerByteCount
      // An encrypted file has padding between the data and the footer.
      if !snapshot.isEncrypted, snapshot.dataByteCount != end {
        findings.add(
          .headerStreaming, at: min(top.logicalSize, snapshot.dataByteCount),
          "the file has \(snapshot.dataByteCount) bytes, expected \(end)")
      }
    } else if isLatest, header.slots[1 - header.selected] != 0,
      header.slots[1 - header.selected] != FileHeader.streamingMark
    {
      checkOtherSlot(&findings)
    }
  }

  /// Looks for versions behind the header of a new realm.
  private func checkOlderData(_ findings: inout Findings) throws(RealmFileError) {
    guard let root = try snapshot.forgottenRoots()?.newest else { return }
    let header = snapshot.header
    // The first commit writes the inactive slot before it makes it the active one.
    let isUnfinished = UInt64(root.ref) == header.slots[1 - header.selected]
    findings.add(
      Finding(
        .headerOlderData, isUnfinished ? .warning : .error, at: root.ref,
        "the header says that nothing was ever committed, but here is the root of version \(root.version)"
          + (isUnfinished ? ", of a first commit that did not finish" : "")))
  }

  private func checkOtherSlot(_ findings: inout Findings) {
    let header = snapshot.header
    let slot = 1 - header.selected
    let found: String
    do throws(RealmFileError) {
      let source = try snapshot.makeReader().source
      let other = try TopArray(
        at: try header.locatePreviousTop(size: source.count), in: source)
      // Formats up to 9 restart version numbers in each session.
      guard other.version >= top.version, !snapshot.isLegacy else { return }
      // A commit writes the inactive slot before it makes it the active one.
      let isNext = other.version == top.version + 1
      guard !isNext || !snapshot.isInUse else { return }
      found =
        "points to version \(other.version), expected one before \(top.version)"
        + (isNext ? ": a commit was interrupted, or a bit of the header flipped" : "")
    } catch {
      // Another process may be committing.
      guard !snapshot.isInUse else { return }
      found = "does not point to a top array"
    }
    findings.add(
      .headerOtherSlot, at: slot * 8, "the top ref in the inactive slot \(slot) \(found)")
  }

  private func checkSize(_ findings: inout Findings) {
    guard !snapshot.header.isStreaming, top.ref != 0, !snapshot.isEncrypted else { return }
    let size = snapshot.dataByteCount
    let limit = (top.logicalSize + 0xFFFF) & ~0xFFFF
    // A file that was written in streaming form and opened afterwards still has its footer.
    guard size != top.logicalSize + FileHeader.footerByteCount else { return }
    if size & 0xFFF != 0 || size > limit {
      findings.add(
        .fileSize, at: min(top.logicalSize, size),
        "the file has \(size) bytes, expected a multiple of 4096 from \(top.logicalSize) to"
          + " \(limit)")
    }
  }

  private func checkSlots(_ findings: inout Findings) {
    let usual = snapshot.isLegacy ? [3, 7, 9, 10] : [3, 7, 11, 12]
    if !usual.contains(top.count) {
      findings.add(
        .topLength, at: top.ref,
        "the top array has \(top.count) slots, expected \(usual[0]), \(usual[1]), \(usual[2]) or "
          + "\(usual[3])")
    }
    if !top.hasRefs {
      findings.add(
        .topFlags, at: top.ref, "the header of the top array lacks the flag for refs")
    }
    let size = top.slots[Slot.logicalSize]
    if size & 1 == 0 || top.logicalSize < top.ref + top.byteCount || top.logicalSize & 7 != 0 {
      findings.add(
        .topLogicalSize, at: top.ref,
        "the slot of the logical size is \(size), expected a tagged multiple of 8 from"
          + " \(top.ref + top.byteCount) on")
    }
    func check(_ slot: Int, _ expected: String, _ isLegal: (Int64) -> Bool) {
      guard slot < top.count, !isLegal(top.slots[slot]) else { return }
      findings.add(
        .topSlots, at: top.ref,
        "slot \(slot) of the top array is \(top.slots[slot]), expected \(expected)")
    }
    let isTagged = { (raw: Int64) in raw & 1 != 0 }
    let isTaggedOrZero = { (raw: Int64) in raw == 0 || raw & 1 != 0 }
    let isRef = { (raw: Int64) in raw > 0 && raw & 7 == 0 }
    let isRefOrZero = { (raw: Int64) in raw >= 0 && raw & 7 == 0 }
    let number = "a tagged number"
    check(Slot.freePositions, "a ref", isRef)
    check(Slot.freeLengths, "a ref", isRef)
    check(Slot.freeVersions, "a ref", isRef)
    check(Slot.version, number, isTagged)
    check(Slot.historyType, number + " or 0", isTaggedOrZero)
    check(Slot.history, "a ref or 0", isRefOrZero)
    check(Slot.historySchemaVersion, number + " or 0", isTaggedOrZero)
    check(Slot.fileIdent, number + " or 0", isTaggedOrZero)
    check(Slot.evacuation, number + ", a ref or 0") { isTaggedOrZero($0) || isRef($0) }
    checkEvacuation(&findings)
  }

  /// Checks the state of an evacuation: a plain array with at least two elements.
  private func checkEvacuation(_ findings: inout Findings) {
    guard Slot.evacuation < top.count, case let raw = top.slots[Slot.evacuation], raw != 0,
      raw & 1 == 0
    else { return }
    let state = try? snapshot.makeReader().isPlainArray(at: Int(raw), atLeast: 2)
    guard state != true else { return }
    findings.add(
      .topSlots, at: top.ref,
      "the ref in slot \(Slot.evacuation) of the top array does not point to an array of two or"
        + " more integers")
  }

  private func checkHistory(_ findings: inout Findings) {
    if top.historyType == 0, top.history != 0 {
      findings.add(
        .topHistory, at: top.ref,
        "the history kind is 0, but there is a history at byte \(top.history)")
    }
    let isLocal = top.historyType == 2 && !snapshot.isLegacy
    let expected = snapshot.fileFormat.localHistorySchemaVersion
    if isLocal, top.historySchemaVersion != expected {
      findings.add(
        .topHistorySchema, at: top.ref,
        "the history has schema version \(top.historySchemaVersion), expected \(expected): an "
          + "app that must not upgrade the file cannot open it")
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
