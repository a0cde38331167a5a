import TestSupport
import Testing

@testable import RealmStorage

@Suite("Node encoder")
struct NodeEncoderTests {
  @Test(
    "takes the smallest width that holds all values",
    arguments: [
      ([], 0, []), ([0, 0], 0, []), ([1, 0, 1], 1, [0b101]), ([3, 1], 2, [0b0111]),
      ([15, 2], 3, [0x2F]), ([16], 4, [16]), ([-1], 4, [0xFF]), ([127, -128], 4, [0x7F, 0x80]),
      ([128], 5, [0x80, 0]), ([-129], 5, [0x7F, 0xFF]), ([32768], 6, [0, 0x80, 0, 0]),
      ([1 << 31], 7, [0, 0, 0, 0x80, 0, 0, 0, 0]),
    ] as [([Int64], UInt8, [UInt8])])
  func widths(values: [Int64], code: UInt8, payload: [UInt8]) {
    #expect(
      NodeEncoder.integers(values) == node(flags: code, count: values.count, payload))
  }

  @Test("keeps the kind of a node")
  func kind() {
    #expect(NodeEncoder.integers(kind: 0xE7, [1]) == node(flags: 0xE1, count: 1, [1]))
  }
}
