import RealmStorage

/// Checks the pages of an encrypted file against their checksums (chapter 1, section 8, rules 25 to
/// 27).
enum PageCheck {
  /// Number of pages of data in the file.
  static func pageCount(of snapshot: Snapshot) -> Int {
    snapshot.isEncrypted ? snapshot.dataByteCount / EncryptedLayout.pageByteCount : 0
  }

  /// The conditions of `pages`, in order.
  static func conditions(
    of pages: Range<Int>, nodes: NodeReader
  ) throws(RealmFileError) -> [PageCondition] {
    var conditions: [PageCondition] = []
    conditions.reserveCapacity(pages.count)
    for page in pages { conditions.append(try nodes.source.condition(ofPage: page)) }
    return conditions
  }

  /// The findings about pages in use and about free pages, by the conditions of all pages.
  ///
  /// - Parameters:
  ///   - map: the space of the nodes.
  ///   - free: the free chunks; nil if they are unknown. All space then counts as in use.
  static func findings(
    of conditions: [PageCondition], in snapshot: Snapshot, map: SpaceMap, free: [Range<Int>]?,
    limit: Int
  ) -> Findings {
    var findings = Findings(limit: limit)
    var freeMap = SpaceMap(byteCount: snapshot.top.logicalSize)
    for chunk in free ?? [] { _ = freeMap.take(chunk) }
    let size = EncryptedLayout.pageByteCount
    for (page, condition) in conditions.enumerated() where condition != .valid {
      let bytes = page * size..<(page + 1) * size
      let inside = bytes.clamped(to: 0..<snapshot.top.logicalSize)
      let isUsed =
        page == 0 || map.isTaken(anyOf: inside)
        || !inside.isEmpty && !freeMap.isTaken(allOf: inside)
      switch condition {
      case .valid: break
      case .older where isUsed:
        findings.add(
          .encryptionOlderPage, at: bytes.lowerBound,
          "page \(page) matches only its older checksum: a write was interrupted")
      case .damaged where isUsed:
        findings.add(
          .encryptionPage, at: bytes.lowerBound, "page \(page) fails its checksum")
      case .empty where isUsed:
        findings.add(
          .encryptionPage, at: bytes.lowerBound,
          "page \(page) was never written, or its only checksum fails, but it is in use")
      case .damaged:
        findings.add(
          .encryptionFreePage, at: bytes.lowerBound,
          "page \(page), which holds no data, fails its checksum")
      case .older, .empty: break
      }
    }
    if snapshot.fileByteCount % size != 0 {
      findings.add(
        .encryptionPartialPage, at: snapshot.dataByteCount,
        "the file ends with an incomplete page of \(snapshot.fileByteCount % size) bytes")
    }
    return findings
  }
}
