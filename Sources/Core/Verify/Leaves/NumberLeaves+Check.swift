import RealmModel
import RealmStorage

extension NullableIntegerLeaf {
  /// Checks element 0, the null value. When the reference stores a null, it writes the largest value of
  /// the width, whatever element 0 is.
  func check(_ findings: inout Findings) {
    guard node.width < 64 else { return }
    let largest = NullableIntegerLeaf.largest(width: node.width)
    guard node.integer(at: 0) != largest else { return }
    findings.add(
      .leafNullValue, at: node.ref,
      "the null value of the leaf is \(node.integer(at: 0)), expected \(largest) for elements of "
        + "\(node.width) bits")
  }
}

extension BoolLeaf {
  func check(_ findings: inout Findings) {
    guard node.width > 1 else { return }
    let values = node.integers()
    let isLegal = { (value: Int64) in value == 0 || value == 1 || value == BoolLeaf.null }
    guard let row = values.firstIndex(where: { !isLegal($0) }) else { return }
    findings.add(
      .leafBool, at: node.ref, row: row,
      "\(values.count { !isLegal($0) }) of \(values.count) booleans are not 0, 1 or 3; the first is "
        + "\(values[row])")
  }
}

extension TimestampLeaf {
  /// - Parameters:
  ///   - whole: the seconds, from ``values(rows:)``.
  ///   - parts: the nanoseconds.
  func check(
    _ whole: [Int64], _ parts: [Int64], _ nulls: NullMask, _ findings: inout Findings
  ) {
    seconds.check(&findings)
    if seconds.node.hasContext { Leaf.reportContext(seconds.node, &findings) }
    let isOdd = { (row: Int) in
      !nulls[row] && !TimestampLeaf.isDate(seconds: whole[row], nanoseconds: parts[row])
    }
    guard let row = whole.indices.first(where: isOdd) else { return }
    findings.add(
      .leafTimestamp, at: node.ref, row: row,
      "\(whole.indices.count(where: isOdd)) of \(whole.count) dates are impossible; the first has "
        + "\(whole[row]) seconds and \(parts[row]) nanoseconds")
  }
}

extension DecimalLeaf {
  func check(format: FileFormat, _ findings: inout Findings) {
    guard !format.hasShortDecimals, node.count > 0, node.width != 16 else { return }
    findings.add(
      .leafDecimalWidth, at: node.ref,
      "the decimals have \(node.width) bytes, expected 16 in format \(format.number)")
  }
}

extension FixedBytesLeaf {
  func check(_ findings: inout Findings) {
    guard count & 7 != 0 else { return }
    let flags = node.bytes[count / 8 * (8 * size + 1)]
    guard flags >> UInt8(count & 7) != 0 else { return }
    findings.add(
      .leafFixedBytesFlags, at: node.ref,
      "null bits are set after the last of \(count) rows")
  }
}
