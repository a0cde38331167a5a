import RealmStorage

/// The bytes of an older version that a later commit may have overwritten.
///
/// A commit does not write into the space of the version before it (chapter 1, section 3.3). So the
/// version right before another one is whole. Bytes of an earlier version are overwritten if any
/// version after the next one has them, or if it is unknown what that version has.
package struct ReusedSpace: Sendable {
  /// Units of the later versions, except the next one.
  private var used = BitSet()
  /// Units of the next version; nil if unknown.
  private var ofNext: BitSet? = BitSet()
  /// Units where a trusted node of the next version begins.
  private var starts = BitSet()

  /// Nothing is overwritten: the bytes of the newest version.
  package init() {}

  /// Whether the bytes of all later versions, except the next one, are known.
  private(set) var isKnown = true

  /// Whether bytes of the node at `ref` may have been overwritten.
  func isReused(_ ref: Ref, _ bytes: Range<Int>) -> Bool {
    let unit = DamageWalk.unitByteCount
    return !starts.contains(ref / unit)
      && used.contains(anyOf: bytes.lowerBound / unit..<(bytes.upperBound + unit - 1) / unit)
  }

  /// Goes one version back.
  ///
  /// - Parameter walk: the walk over the version that becomes a later one; nil if its root is lost.
  package mutating func goBack(past walk: DamageWalk?) {
    isKnown = isKnown && ofNext != nil
    if let ofNext { used.formUnion(ofNext) }
    (ofNext, starts) = (walk?.possibleSpace, walk?.trustedStarts ?? BitSet())
  }
}

extension DamageWalk {
  /// The units of the file that the version may have; nil if unknown.
  fileprivate var possibleSpace: BitSet? {
    let fileEnd = (nodes.logicalSize + DamageWalk.unitByteCount - 1) / DamageWalk.unitByteCount
    var space = BitSet(count: fileEnd)
    if let free {
      for gap in free.gaps(from: 0) { space.insert(units(gap)) }
    } else {
      guard !isDamaged else { return nil }
      for run in taken.runs(in: 0..<end / DamageWalk.unitByteCount) { space.insert(run) }
    }
    // Bytes after the end of the version belong to a later one.
    space.insert(end / DamageWalk.unitByteCount..<max(end / DamageWalk.unitByteCount, fileEnd))
    return space
  }

  fileprivate var trustedStarts: BitSet { starts.subtracting(killed) }
}
