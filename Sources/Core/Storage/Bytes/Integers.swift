/// The little-endian number in up to eight bytes.
package func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

/// The eight bytes of `value`, the lowest first.
func littleEndianBytes(of value: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
}

extension Int {
  /// The sum of two non-negative numbers, or the largest number if it overflows: a number from a damaged file
  /// can have any value.
  package func saturatingSum(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
