import Foundation
import TestSupport

/// A way to damage a realm.
enum Damage: CustomStringConvertible {
  /// Bytes of a block.
  static let blockByteCount = 4096
  /// Bytes of a sector.
  static let sectorByteCount = 512

  /// What happens to a block.
  enum Change: CaseIterable {
    case zeroed
    /// Overwritten with noise.
    case scrambled
    /// Overwritten with another block of the file.
    case replaced
    /// Overwritten with the bytes of the file that begin 8 to 4088 bytes before or after it.
    case shifted
  }

  case blocks(Change, Int)
  /// Sectors, which are blocks of 512 bytes.
  case sectors(Change, Int)
  /// Blocks of which only the first sectors were written: the others have the bytes of another realm, as if older ones.
  case torn(Int)
  /// Bytes changed in pages of an encrypted realm.
  case pages(Int)
  /// Bits of nodes with refs.
  case flipped(bits: Int)
  /// The first bytes of the file.
  case header(bytes: Int)
  /// The start of a TLS alert at byte 5, with the flags of the header as given.
  case alert(flags: UInt8)
  /// Truncated after so many tenths.
  case truncated(tenths: Int)

  static let all: [Damage] =
    [1, 4, 16, 64, 256].flatMap { count in Change.allCases.map { blocks($0, count) } }
    + [1, 4, 16].flatMap { count in Change.allCases.map { sectors($0, count) } }
    + [1, 4].map { torn($0) } + [1, 4, 16].map { pages($0) } + [flipped(bits: 1), flipped(bits: 8)]
    + [1, 24, 4096].map { header(bytes: $0) }
    + (1...9).map { truncated(tenths: $0) }

  /// Whether this damages encrypted realms only; other damage is for plain realms only.
  var isOfEncrypted: Bool { if case .pages = self { true } else { false } }

  var description: String {
    func counted(_ count: Int, _ name: String) -> String {
      "\(count) \(name)\(count == 1 ? "" : "s")"
    }
    return switch self {
    case .blocks(let change, let count): "\(counted(count, "block")) \(change)"
    case .sectors(let change, let count): "\(counted(count, "sector")) \(change)"
    case .torn(let count): "\(counted(count, "block")) torn"
    case .pages(let count): "\(counted(count, "page")) of an encrypted realm changed"
    case .flipped(let count): "\(counted(count, "bit")) of inner nodes flipped"
    case .header(let count): "\(counted(count, "byte")) of the header overwritten"
    case .alert(let flags): "TLS alert over the header, flags \(flags)"
    case .truncated(let tenths): "truncated at \(tenths)0 %"
    }
  }

  /// Damages `bytes`.
  ///
  /// - Parameters:
  ///   - innerNodes: offsets of nodes with refs, and their sizes.
  ///   - other: the bytes of another realm.
  /// - Returns: the damaged ranges of bytes; nil if the file is too small.
  func apply(
    to bytes: inout [UInt8], innerNodes: [Range<Int>], other: [UInt8], _ random: inout SplitMix64
  ) -> [Range<Int>]? {
    switch self {
    case .blocks(let change, let count):
      return Damage.change(change, count, blocksOf: Damage.blockByteCount, in: &bytes, &random)
    case .sectors(let change, let count):
      return Damage.change(change, count, blocksOf: Damage.sectorByteCount, in: &bytes, &random)
    case .torn(let count):
      return Damage.tear(count, in: &bytes, other, &random)
    case .pages(let count):
      return damagePages(of: &bytes, count, &random)
    case .flipped(let count):
      var ranges: [Range<Int>] = []
      for _ in 0..<count {
        guard let node = innerNodes.randomElement(using: &random) else { return nil }
        let place = Int.random(in: node, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        ranges.append(place..<place + 1)
      }
      return ranges
    case .header(let count):
      for i in 0..<min(count, bytes.count) { bytes[i] = UInt8.random(in: 0...255, using: &random) }
      return [0..<min(count, bytes.count)]
    case .alert(let flags):
      bytes[23] = flags
      bytes.replaceSubrange(5..<12, with: [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46])
      return [5..<12]
    case .truncated(let tenths):
      let end = bytes.count * tenths / 10 & ~7
      let range = end..<bytes.count
      bytes.removeSubrange(end...)
      return [range]
    }
  }

  private static func change(
    _ change: Change, _ count: Int, blocksOf size: Int, in bytes: inout [UInt8],
    _ random: inout SplitMix64
  ) -> [Range<Int>]? {
    let blocks = bytes.count / size
    guard count * 4 <= blocks else { return nil }
    let original = bytes
    return (0..<blocks).shuffled(using: &random).prefix(count).map { block in
      let range = block * size..<(block + 1) * size
      func overwrite(withBytesFrom start: Int) {
        bytes.replaceSubrange(range, with: original[start..<start + size])
      }
      switch change {
      case .zeroed: bytes.replaceSubrange(range, with: repeatElement(0, count: size))
      case .scrambled:
        for i in range { bytes[i] = UInt8.random(in: 0...255, using: &random) }
      case .replaced:
        let other = (block + 1 + Int.random(in: 0..<blocks - 1, using: &random)) % blocks
        overwrite(withBytesFrom: other * size)
      case .shifted:
        let distance = 8 * Int.random(in: 1..<blockByteCount / 8, using: &random)
        let places = [range.lowerBound - distance, range.lowerBound + distance].filter {
          $0 >= 0 && $0 + size <= original.count
        }
        if let start = places.randomElement(using: &random) { overwrite(withBytesFrom: start) }
      }
      return range
    }
  }

  private static func tear(
    _ count: Int, in bytes: inout [UInt8], _ other: [UInt8], _ random: inout SplitMix64
  ) -> [Range<Int>]? {
    let blocks = bytes.count / blockByteCount
    guard count * 4 <= blocks, other.count >= blockByteCount else { return nil }
    return (0..<blocks).shuffled(using: &random).prefix(count).map { block in
      let kept =
        sectorByteCount * Int.random(in: 1..<blockByteCount / sectorByteCount, using: &random)
      let range = block * blockByteCount + kept..<(block + 1) * blockByteCount
      let start = block % (other.count / blockByteCount) * blockByteCount + kept
      bytes.replaceSubrange(range, with: other[start..<start + range.count])
      return range
    }
  }

  /// - Returns: the ranges in the decrypted bytes.
  private func damagePages(
    of bytes: inout [UInt8], _ count: Int, _ random: inout SplitMix64
  ) -> [Range<Int>]? {
    let size = Damage.blockByteCount
    // Each 64 pages follow one with their checksums.
    let pages = (0..<bytes.count / size).filter { $0 % 65 != 0 }
    guard count * 4 <= pages.count else { return nil }
    // Without the page of the file header, and without pages that were never written.
    let written = pages.indices.dropFirst().filter { i in
      bytes[pages[i] * size..<(pages[i] + 1) * size].contains { $0 != 0 }
    }
    return written.shuffled(using: &random).prefix(count).map { i in
      for k in 0..<64 { bytes[pages[i] * size + k] ^= 0x5A }
      return i * size..<(i + 1) * size
    }
  }
}
