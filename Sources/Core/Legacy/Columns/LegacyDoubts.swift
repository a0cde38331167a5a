package import RealmModel
package import RealmStorage

/// Values that no library writes. `verify` reports them, and readers of a damaged realm do not believe them; other readers do
/// not ask, because nothing there depends on it.
///
/// Nothing else shows damage inside of a leaf. One impossible value makes all values of its leaf doubtful.
package struct LegacyDoubts: Sendable {
  /// Whether the realm is known to be damaged: then strings that are not UTF-8 or contain zero bytes are damage, too, and so
  /// are blocks unlike all others of their leaf.
  let isDamaged: Bool
  /// Number of rows of each table; empty if the targets of links are not checked.
  var rowCounts: [Int] = []

  package init(isDamaged: Bool) { self.isDamaged = isDamaged }

  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Checks the values of a leaf.
  ///
  /// - Parameters:
  ///   - values: all values of the leaf `node`.
  ///   - target: position of the table that links refer to.
  /// - Throws: `damaged` with the node that has an impossible value.
  package func check(
    _ values: LeafValues, of node: Node, _ content: LegacyLeaf.Content, isNullable: Bool,
    target: Int?, _ nodes: NodeReader
  ) throws(RealmFileError) {
    switch content {
    case .ints, .seconds, .bools, .nanoseconds, .links, .targets, .floats, .doubles, .enumerated:
      guard !isDamaged || !BlockContrast.isFound(in: node) else {
        throw LegacyDoubts.overwritten(node.ref)
      }
    case .strings, .binaries, .refs, .elements: break
    }
    switch content {
    case .ints, .seconds:
      if isNullable { try checkNull(of: node) }
    case .bools:
      if isNullable { try checkNull(of: node) }
      try checkBools(node, isNullable: isNullable)
    case .nanoseconds:
      guard case .scalar(.int(let parts, _)) = values,
        let odd = parts.first(where: { $0.magnitude >= LegacyDoubts.nanosecondsPerSecond })
      else { return }
      throw .damaged(
        .leafTimestamp, at: node.ref, "a date has \(odd) nanoseconds, expected less than a second")
    case .links, .targets:
      guard case .link(let keys) = values, let target, rowCounts.indices.contains(target) else {
        return
      }
      let least: Int64 = if case .links = content { ObjectKey.null.raw } else { 0 }
      guard let odd = keys.first(where: { $0.raw < least || $0.raw >= rowCounts[target] }) else {
        return
      }
      throw .damaged(
        .linkDangling, at: node.ref,
        "a link refers to row \(odd.raw) of a class with \(rowCounts[target]) rows")
    case .strings:
      guard case .scalar(.string(let strings)) = values else { return }
      try checkStrings(strings, of: node, nodes)
    case .floats, .doubles, .enumerated, .binaries, .refs, .elements: return
    }
  }

  private static func overwritten(_ ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "the values in a block of \(BlockContrast.blockByteCount) bytes are unlike all others")
  }

  /// Checks the number in front of nullable integers that means null: the largest one of the width (chapter 5,
  /// section 6.3).
  private func checkNull(of node: Node) throws(RealmFileError) {
    guard node.count > 0, node.width < 64 else { return }
    let (null, largest) = (node.integer(at: 0), NullableIntegerLeaf.largest(width: node.width))
    guard null != largest else { return }
    throw .damaged(
      .leafNullValue, at: node.ref,
      "the number for null is \(null), expected \(largest), the largest of its width")
  }

  private func checkBools(_ node: Node, isNullable: Bool) throws(RealmFileError) {
    let first = isNullable ? 1 : 0
    guard node.count > first else { return }
    let null = isNullable ? node.integer(at: 0) : 0
    for value in node.integers(from: first) where value != 0 && value != 1 && value != null {
      throw .damaged(.leafBool, at: node.ref, "a bool is \(value), expected 0 or 1")
    }
  }

  private func checkStrings(
    _ strings: SliceColumn, of leaf: Node, _ nodes: NodeReader
  ) throws(RealmFileError) {
    if !leaf.hasRefs {
      try checkPadding(of: leaf)
      guard !isDamaged || !BlockContrast.isFound(in: leaf, areStrings: true) else {
        throw LegacyDoubts.overwritten(leaf.ref)
      }
    } else if !leaf.hasContext {
      try checkTerminators(of: leaf, nodes)
    }
    guard isDamaged else { return }
    for string in strings.slices {
      if let string, !string.isValidUTF8 || string.hasZero {
        throw .damaged(
          .leafTerminator, at: leaf.ref, "a string is not valid UTF-8 or has a zero byte")
      }
    }
  }

  /// Checks that zeros follow each short string.
  private func checkPadding(of leaf: Node) throws(RealmFileError) {
    let (width, bytes) = (leaf.width, leaf.bytes)
    guard width > 1 else { return }
    for row in 0..<leaf.count {
      let end = (row + 1) * width - 1
      // A cell with a null has as many zeros as it can have.
      for i in end - min(Int(bytes[end]), width - 1)..<end where bytes[i] != 0 {
        throw .damaged(
          .leafShortString, at: leaf.ref, "string \(row) has the byte \(bytes[i]) in its padding")
      }
    }
  }

  /// Checks that a zero byte ends each string of medium size.
  private func checkTerminators(of leaf: Node, _ nodes: NodeReader) throws(RealmFileError) {
    let (ends, blob) = (
      try nodes.lookUp(try leaf.ref(at: 0)), try nodes.lookUp(try leaf.ref(at: 1))
    )
    var start: Int64 = 0
    for (row, end) in ends.integers().enumerated() {
      // The ends were checked when the values were decoded.
      if end > start, blob.bytes[Int(end) - 1] != 0 {
        throw .damaged(
          .leafTerminator, at: blob.ref,
          "string \(row) ends with the byte \(blob.bytes[Int(end) - 1]), expected 0")
      }
      start = end
    }
    guard start == blob.count else {
      throw .damaged(
        .leafStringOffsets, at: ends.ref, "strings end at byte \(start) of \(blob.count)")
    }
  }

  /// Checks a long string at `ref`.
  func check(long string: ByteSlice, at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) {
    let node = try nodes.lookUp(ref)
    guard node.hasRefs || node.header.widthType == .ignore else {
      throw .damaged(
        .leafBlob, at: ref, "found \(node.header.form), expected the bytes of a string")
    }
    if !node.hasRefs, node.count > 0, node.bytes[node.count - 1] != 0 {
      throw .damaged(
        .leafTerminator, at: ref,
        "the string ends with the byte \(node.bytes[node.count - 1]), expected 0")
    }
    guard isDamaged else { return }
    guard node.hasRefs || !BlockContrast.isFound(in: node) else {
      throw LegacyDoubts.overwritten(ref)
    }
    guard !string.isValidUTF8 || string.hasZero else { return }
    throw .damaged(.leafTerminator, at: ref, "the string is not valid UTF-8 or has a zero byte")
  }
}
