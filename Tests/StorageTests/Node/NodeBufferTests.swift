import TestSupport
import Testing

@testable import RealmStorage

@Suite("Node buffer")
struct NodeBufferTests {
  /// Two leaves, a node with refs to them, a tagged number and 0, and a node above.
  private func append(to nodes: NodeBuffer) -> (first: Ref, top: Ref) {
    let first = nodes.append(integers: [1, 2, 300])
    let second = nodes.append(integers: [])
    let inner = nodes.append(refs: [Int64(first), 7, Int64(second), 0, -1])
    return (first, nodes.append(refs: [Int64(inner)], kind: 0x80))
  }

  @Test("refs are moved with their nodes, tagged numbers are not")
  func move() throws {
    let nodes = NodeBuffer()
    let (first, top) = append(to: nodes)
    let move = nodes.move(to: 1000)
    #expect((move[first], move[top], move[0]) == (1000, 1056, 0))
    #expect(
      try nodes.fileBytes()
        == hexadecimalBytes(
          """
          4141414105000003 010002002C010000
          4141414100000000
          4141414146000005 E803000007000000 F803000000000000 FFFFFFFF00000000
          41414141C6000001 0004000000000000
          """))
  }

  @Test("nodes grow if refs need 64 bits, and refs to the nodes after them move")
  func widen() throws {
    let nodes = NodeBuffer()
    let (first, top) = append(to: nodes)
    let behind = nodes.append(integers: [5])
    let base = 1 << 32
    let move = nodes.move(to: base)
    #expect((move[first], move[top], move[behind]) == (base, base + 72, base + 88))
    #expect(
      try nodes.fileBytes()
        == hexadecimalBytes(
          """
          4141414105000003 010002002C010000
          4141414100000000
          4141414147000005 0000000001000000 0700000000000000 1000000001000000
                           0000000000000000 FFFFFFFFFFFFFFFF
          41414141C7000001 1800000001000000
          4141414103000001 0500000000000000
          """))
  }

  @Test("nodes that are moved across 2³¹ have the bytes of nodes that are appended there")
  func widenSome() throws {
    for base in stride(from: Int(Int32.max) + 1 - 160, through: Int(Int32.max) + 9, by: 8) {
      let (moved, placed) = (NodeBuffer(), NodeBuffer(base: base))
      let tops = [moved, placed].map { nodes in
        let below = (0..<3).map { _ in Int64(append(to: nodes).top) }
        return nodes.append(refs: below + [1 << 40 | 1])
      }
      #expect(moved.move(to: base)[tops[0]] == tops[1], "\(base)")
      #expect(try moved.fileBytes() == placed.fileBytes(), "\(base)")
    }
  }

  @Test("nodes with a known place have the smallest refs")
  func known() throws {
    let nodes = NodeBuffer(base: 24)
    let (first, top) = append(to: nodes)
    #expect((first, top) == (24, 64))
    #expect(
      try nodes.fileBytes()
        == hexadecimalBytes(
          """
          4141414105000003 010002002C010000
          4141414100000000
          4141414144000005 180728 00FF000000
          41414141C4000001 3000000000000000
          """))
  }

  @Test(
    "arrays without signs have at least 8 bits",
    arguments: [
      ([], "4141414104000000"), ([0, 200], "4141414104000002 00C8000000000000"),
      ([0, 65535], "4141414105000002 0000FFFF00000000"),
      ([0xFFFF_FFFF], "4141414106000001 FFFFFFFF00000000"),
      ([0x1_0000_0000], "4141414107000001 0000000001000000"),
    ] as [([UInt64], String)])
  func unsigned(values: [UInt64], expected: String) throws {
    let nodes = NodeBuffer()
    _ = nodes.append(unsigned: values)
    #expect(try nodes.fileBytes() == hexadecimalBytes(expected))
  }
}
