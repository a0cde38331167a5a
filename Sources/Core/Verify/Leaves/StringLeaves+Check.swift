import RealmModel
import RealmStorage

extension StringLeaf {
  /// Checks the rules that decoding does not check. The strings of an enumerated column are checked with the
  /// schema.
  ///
  /// The leaf is opened as the layout that it has: a `StringLeaf` is large, and another module copies it.
  ///
  /// - Parameters:
  ///   - node: a leaf that was decoded without an error.
  ///   - terminator: 1 for strings, which end with a zero byte, 0 for binaries.
  /// - Throws: the errors of opening a node.
  static func check(
    _ node: Node, terminator: Int, _ nodes: NodeReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    guard node.hasRefs else {
      if !node.isIntegers { try ShortStringLeaf(node).check(&findings) }
      return
    }
    if node.hasContext {
      try BigBlobsLeaf(node, nodes, terminator: terminator, isLookUp: true).check(&findings)
    } else {
      try SmallBlobsLeaf(node, nodes, terminator: terminator, isLookUp: true).check(&findings)
    }
  }

  /// Checks that all strings are valid UTF-8.
  static func checkUTF8(_ values: SliceColumn, at node: Node, _ findings: inout Findings) {
    var odd = RowCount()
    for row in values.indices where values[row]?.isValidUTF8 == false { odd.add(row) }
    odd.report(.leafUtf8, at: node.ref, of: values.count, "strings are not valid UTF-8", &findings)
  }
}

extension ShortStringLeaf {
  /// Checks that the padding between the string and the last byte of a block is zero.
  ///
  /// - Precondition: ``values(rows:)`` returned without an error.
  func check(_ findings: inout Findings) {
    let (bytes, width) = (node.bytes, node.width)
    guard width > 1 else { return }
    let isPadded = { (row: Int) in
      let end = row &* width &+ width &- 1
      // At most the width, which means null.
      let padding = min(Int(bytes[end]), width &- 1)
      // The last byte of a block is the number of padding bytes.
      if width >= 8, padding < 8 {
        return padding == 0
          || (bytes.littleEndian(at: end &- 7) << 8) &>> UInt64(64 &- 8 &* padding) == 0
      }
      return bytes.isZero(end - padding..<end)
    }
    guard let row = (0..<node.count).first(where: { !isPadded($0) }) else { return }
    findings.add(
      .leafShortString, at: node.ref, row: row,
      "\((0..<node.count).count { !isPadded($0) }) of \(node.count) strings are padded with bytes "
        + "other than 0")
  }
}

extension SmallBlobsLeaf {
  /// - Precondition: ``values(rows:)`` returned without an error, and the leaf has the current form.
  func check(_ findings: inout Findings) {
    guard let nulls else { return }
    let ends = ends.integers()
    guard blob.header.widthType == .ignore, Int64(blob.count) == ends.last ?? 0 else {
      return findings.add(
        .leafStringOffsets, at: blob.ref,
        "the values end at byte \(ends.last ?? 0), but the leaf has \(blob.form)")
    }
    let flags = nulls.integers()
    let bytes = blob.bytes
    var (oddFlags, oddNulls, unterminated) = (RowCount(), RowCount(), RowCount())
    var start: Int64 = 0
    for row in 0..<ends.count {
      let end = ends[row]
      if flags[row] != 0 && flags[row] != 1 { oddFlags.add(row) }
      if flags[row] != 0, end - start != Int64(terminator) { oddNulls.add(row) }
      if terminator == 1, end > start, bytes[Int(end) - 1] != 0 { unterminated.add(row) }
      start = end
    }
    oddFlags.report(
      .leafSmallBlobs, at: nulls.ref, of: ends.count, "null flags are neither 0 nor 1", &findings)
    oddNulls.report(
      .leafStringOffsets, at: self.ends.ref, of: ends.count,
      "values are null, but do not take \(terminator) bytes", &findings)
    unterminated.report(
      .leafTerminator, at: blob.ref, of: ends.count, "strings do not end with a zero byte",
      &findings)
  }
}

extension BigBlobsLeaf {
  /// - Precondition: ``values(rows:)`` returned without an error.
  func check(_ findings: inout Findings) throws(RealmFileError) {
    var unterminated = RowCount()
    for row in 0..<node.count {
      let ref = try node.ref(at: row)
      guard ref != 0 else { continue }
      let value = try nodes.lookUp(ref)
      var last = value
      if value.hasRefs {
        try Blob(value, nodes, isLookUp: true).check(row: row, &findings)
        // All pieces but the last are full, so the zero byte is in one of the last two.
        for piece in max(0, value.count - 2)..<value.count {
          let node = try nodes.lookUp(try value.ref(at: piece))
          if node.bytes.count > 0 { last = node }
        }
      }
      if terminator == 1, last.bytes.count == 0 || last.bytes[last.bytes.count - 1] != 0 {
        unterminated.add(row)
      }
    }
    unterminated.report(
      .leafTerminator, at: node.ref, of: node.count, "strings do not end with a zero byte",
      &findings)
  }
}

extension Blob {
  /// Checks the rules for pieces that ``bytes(terminator:)`` does not check.
  func check(row: Int, _ findings: inout Findings) throws(RealmFileError) {
    var isWhole = node.count >= 2
    for i in 0..<node.count {
      let piece = try nodes.lookUp(try node.ref(at: i))
      isWhole = isWhole && piece.header.widthType == .ignore && !piece.hasContext
    }
    guard !isWhole else { return }
    findings.add(
      .leafBlob, at: node.ref, row: row,
      "the value has \(node.count) pieces, expected at least 2, each a node of bytes")
  }
}
