import RealmStorage

/// The bytes of an older version that a later commit may have overwritten.
///
/// A commit writes only into space that the version before it did not free (chapter 1, section 3.3). So of two
/// versions that follow each other, the older one is whole. What an earlier version had is overwritten if a
/// version after the next one has it, or if it is not known what that version has.
package struct ReusedSpace: Sendable {
  /// Units that a version may have which is not the next one.
  private var used = BitSet()
  /// Units that the next version may have; nil if that is not known.
  private var ofNext: BitSet? = BitSet()
  /// Units where a node of the next version begins that can be trusted.
  private var starts = BitSet()

  /// The bytes of the newest version: nothing is overwritten.
  package init() {}

  /// Whether it is known for each later version, without the next one, which bytes it has.
  package private(set) var isKnown = true

  /// Whether bytes of the node at `ref` may have been overwritten.
  func isReused(_ ref: Ref, _ bytes: Range<Int>) -> Bool {
    let unit = DamageWalk.unitByteCount
    return !starts.contains(ref / unit)
      && used.contains(anyOf: bytes.lowerBound / unit..<(bytes.upperBound + unit - 1) / unit)
  }

  /// Goes one version back.
  ///
  /// - Parameter walk: the walk over the version that is left; nil if its root is lost.
  package mutating func goBack(past walk: DamageWalk?) {
    isKnown = isKnown && ofNext != nil
    if let ofNext { used.formUnion(ofNext) }
    (ofNext, starts) = (walk?.possibleSpace, walk?.trustedStarts ?? BitSet())
  }
}

extension DamageWalk {
  /// The units of the file that the version may have; nil if that is not known.
  fileprivate var possibleSpace: BitSet? {
    let fileEnd = (nodes.logicalSize + DamageWalk.unitByteCount - 1) / DamageWalk.unitByteCount
    var space = BitSet(count: fileEnd)
    if let free {
      for gap in free.gaps(from: 0) { space.insert(units(gap)) }
    } else {
      guard !isDamaged else { return nil }
      for run in taken.runs(in: 0..<end / DamageWalk.unitByteCount) { space.insert(run) }
    }
    // What lies behind the version belongs to a later one.
    space.insert(end / DamageWalk.unitByteCount..<max(end / DamageWalk.unitByteCount, fileEnd))
    return space
  }

  fileprivate var trustedStarts: BitSet { starts.subtracting(killed) }
}
