/// How new files store the top array (chapter 1, section 2.1).
extension TopArray {
  /// Elements of 64 bits.
  static let encodedWidthCode: UInt8 = 7

  /// The node.
  ///
  /// - Parameters:
  ///   - freeList: nil for none.
  ///   - slotCount: the number of slots, at most ``Slot/fileIdent`` and one more.
  package static func encode(
    _ trees: RealmFileWriter.Trees, _ facts: RealmFileWriter.Facts, logicalSize: Int,
    freeList: FreeList.Refs?, slotCount: Int
  ) -> [UInt8] {
    func tagged(_ value: Int) -> Int64 { Int64(value) << 1 | 1 }
    let slots = [
      Int64(trees.tableNames), Int64(trees.tables), tagged(logicalSize),
      Int64(freeList?.positions ?? 0), Int64(freeList?.lengths ?? 0),
      Int64(freeList?.versions ?? 0),
      tagged(facts.version), tagged(facts.historyType), Int64(trees.history),
      tagged(facts.historySchemaVersion), tagged(facts.fileIdent),
    ]
    return NodeEncoder.integers(
      kind: NodeEncoder.hasRefs, Array(slots.prefix(slotCount)), widthCode: encodedWidthCode)
  }
}
