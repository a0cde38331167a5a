import Testing

@testable import RealmSalvage
@testable import RealmStorage

@Suite("Refs behind the end of the file")
struct StrayRefsTests {
  /// A piece of a file of 64 MiB has 8 MiB, one of a small file 256 KiB.
  private static let mebibyte = 1 << 20

  @Test("without such refs, new nodes follow the file")
  func none() {
    let strays = StrayRefs(fileByteCount: 100)
    #expect(strays.gap == 104)
    #expect(!strays.lead(into: 104..<4096))
  }

  @Test("new nodes are behind the pieces with targets of refs", arguments: [1, 64])
  func gap(fileSize: Int) {
    let size = fileSize * StrayRefsTests.mebibyte
    var strays = StrayRefs(fileByteCount: size)
    let ref = size + 40
    strays.insert(ref)
    #expect(strays.gap > ref && strays.gap <= size + size / 8 + StrayRefsTests.mebibyte / 4)
    #expect(strays.lead(into: ref..<ref + 8) && strays.lead(into: size..<ref + 1))
    #expect(!strays.lead(into: strays.gap..<strays.gap + size / 8))
    // A ref into the space that is kept free moves the gap, one behind it does not.
    let (gap, kept) = (strays.gap, strays.keptFree)
    #expect(kept.lowerBound <= gap && kept.upperBound > gap)
    strays.insert(kept.upperBound)
    #expect(strays.gap == gap)
    strays.insert(kept.upperBound - 8)
    #expect(strays.gap > kept.upperBound - 8)
  }

  @Test("if refs are everywhere, new nodes are at most 16 file sizes behind the end")
  func everywhere() {
    let size = 4 * StrayRefsTests.mebibyte
    var strays = StrayRefs(fileByteCount: size)
    for ref in stride(from: size, to: 40 * size, by: 4096) { strays.insert(ref) }
    #expect(strays.gap > 16 * size && strays.gap < 18 * size)
    // Beyond that nothing is known, so everything counts as the target of a ref.
    #expect(strays.lead(into: strays.gap..<strays.gap + 8))
  }

  @Test("a ref as large as possible changes nothing")
  func huge() {
    var strays = StrayRefs(fileByteCount: 4096)
    strays.insert(Int.max & ~7)
    #expect(strays.gap == 4096)
  }
}
