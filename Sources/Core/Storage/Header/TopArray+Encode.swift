/// How new files store header and top array.
extension FileHeader {
  /// The 24 bytes, with `top` in slot 0, which is live.
  static func encode(top: UInt64, format: Int) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: 0) + mnemonic + [UInt8(format), 0, 0, 0]
  }

  /// The 16 bytes at the end of a file in streaming form.
  static func encodeFooter(top: UInt64) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: cookie)
  }

  private static func littleEndianBytes(of value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }
}

extension TopArray {
  /// Elements of 64 bits.
  static let encodedWidthCode: UInt8 = 7

  /// The roots of the lists of free space: positions, lengths and versions; 0 for none.
  typealias FreeSpace = (positions: Ref, lengths: Ref, versions: Ref)

  /// The node.
  ///
  /// - Parameter slotCount: the number of slots, at most ``Slot/fileIdent`` and one more.
  static func encode(
    _ trees: RealmFileWriter.Trees, _ facts: RealmFileWriter.Facts, logicalSize: Int,
    freeSpace: FreeSpace, slotCount: Int
  ) -> [UInt8] {
    func tagged(_ value: Int) -> Int64 { Int64(value) << 1 | 1 }
    let slots = [
      Int64(trees.tableNames), Int64(trees.tables), tagged(logicalSize),
      Int64(freeSpace.positions), Int64(freeSpace.lengths), Int64(freeSpace.versions),
      tagged(facts.version), tagged(facts.historyType), Int64(trees.history),
      tagged(facts.historySchemaVersion), tagged(facts.fileIdent),
    ]
    return NodeEncoder.integers(
      kind: NodeEncoder.hasRefs, Array(slots.prefix(slotCount)), widthCode: encodedWidthCode)
  }
}
