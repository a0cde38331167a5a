/// A node read from, or to be written to, a realm (chapter 2, sections 1 and 2).
struct Node {
  /// Byte 4 without the width.
  private let flags: UInt8
  let count: Int
  /// The elements of a node of integers or refs; empty for other kinds.
  var elements: [Int]
  /// The eight bytes of the header.
  let header: [UInt8]
  /// With the header, rounded up.
  let byteCount: Int
  private let offset: Int

  init(flags: UInt8, elements: [Int]) {
    (self.flags, self.elements, count) = (flags, elements, elements.count)
    (header, byteCount, offset) = ([], 0, 0)
  }

  init(at offset: Int, in image: [UInt8]) {
    self.offset = offset
    header = Array(image[offset..<(offset + 8)])
    flags = header[4] & 0xF8
    count = Int(header[5]) << 16 | Int(header[6]) << 8 | Int(header[7])
    let (count, width) = (count, (1 << Int(header[4] & 7)) >> 1)
    let payload: Int
    switch header[4] >> 3 & 3 {
    case 0: payload = (count * width + 7) / 8
    case 1: payload = count * width
    default: payload = count
    }
    byteCount = 8 + (payload + 7) / 8 * 8
    guard header[4] & 0x18 == 0 else {
      elements = []
      return
    }
    elements = (0..<count).map { Node.element($0, width, offset + 8, image) }
  }

  private static func element(_ index: Int, _ width: Int, _ start: Int, _ image: [UInt8]) -> Int {
    guard width > 0 else { return 0 }
    guard width >= 8 else {
      let bit = index * width
      return Int(image[start + bit / 8]) >> (bit % 8) & ((1 << width) - 1)
    }
    let bytes = width / 8
    let raw = (0..<bytes).reduce(0) { $0 | Int(image[start + index * bytes + $1]) << (8 * $1) }
    // Signed from eight bits on.
    return (raw << (64 - width)) >> (64 - width)
  }

  var isInner: Bool { flags & 0x80 != 0 }

  /// The strings of a short-string array.
  func shortStrings(in image: [UInt8]) -> [String] {
    let width = (1 << Int(header[4] & 7)) >> 1
    return (0..<count).map { row in
      guard width > 0 else { return "" }
      let block = image[(offset + 8 + row * width)..<(offset + 8 + (row + 1) * width)]
      return String(decoding: block.dropLast(Int(block.last!) + 1), as: UTF8.self)
    }
  }

  /// The bytes of the node, with the smallest width of whole bytes.
  var bytes: [UInt8] {
    let width = [8, 16, 32].first { width in
      elements.allSatisfy { $0 >= -(1 << (width - 1)) && $0 < 1 << (width - 1) }
    }
    return bytes(width: width ?? 64)
  }

  func bytes(width: Int) -> [UInt8] {
    let code = UInt8(width.trailingZeroBitCount + 1)
    let size = (0..<3).map { UInt8(truncatingIfNeeded: elements.count >> (16 - 8 * $0)) }
    let payload = elements.flatMap { element in
      (0..<(width / 8)).map { UInt8(truncatingIfNeeded: element >> (8 * $0)) }
    }
    return Array("AAAA".utf8) + [flags | code] + size + payload
      + [UInt8](repeating: 0, count: -payload.count & 7)
  }
}
