/// Identifies a table while the table exists: bits 0–15 are its slot, bits 16–30 a tag that changes when
/// the slot is used again (chapter 3, section 1.2).
package struct TableKey: Hashable, Comparable, Sendable {
  /// 0…0x7FFFFFFE for a table; 0x7FFFFFFF is the null key.
  package let raw: Int

  package init(_ raw: Int) { self.raw = raw }

  package static let null = TableKey(0x7FFF_FFFF)

  /// Position of the table in the group's arrays.
  package var slot: Int { raw & 0xFFFF }

  package static func < (a: TableKey, b: TableKey) -> Bool { a.raw < b.raw }
}
