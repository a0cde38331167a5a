package import RealmStorage

/// Signs of damage that the bytes of a plain file show by themselves, whatever nodes they belong to.
///
/// A disk loses its content in whole sectors of 512 bytes. So noise and zeros that begin and end exactly at sectors are
/// damage; those of an app begin and end anywhere.
package struct SectorSigns: Sendable {
  package static let byteCount = 512
  static let wordsPerSector = byteCount / 8

  /// The sectors of zeros, those one after the other together.
  private(set) var zeros: [Range<Int>] = []
  /// The sectors of bytes that look random.
  private(set) var noise = BitSet()
  /// The words that begin like the header of a node of current libraries.
  private(set) var headers = BitSet()

  /// No signs.
  package init() {}

  /// - Parameter nodes: a reader of the whole file. The pages of an encrypted one have checksums, so only
  ///   its zeros are found.
  /// - Throws: errors that are not damage.
  package init(_ nodes: NodeReader) throws(RealmFileError) {
    let count = nodes.logicalSize / SectorSigns.byteCount
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard !nodes.source.isEncrypted else {
      for sector in 0..<count {
        let start = sector * SectorSigns.byteCount
        if let bytes = try nodes.readableBytes(in: start..<start + SectorSigns.byteCount),
          bytes.isZero(0..<bytes.count)
        {
          noteZeros(inSector: sector)
        }
        nodes.release(to: mark)
      }
      return
    }
    guard count > 0, let bytes = try nodes.readableBytes(in: 0..<count * SectorSigns.byteCount)
    else { return }
    unsafe bytes.withUnsafeBytes { unsafe find(in: SectorWords($0.bindMemory(to: UInt64.self))) }
  }

  private mutating func find(in words: SectorWords) {
    let count = words.count / SectorSigns.wordsPerSector
    for sector in 0..<count {
      let range = sector * SectorSigns.wordsPerSector..<(sector + 1) * SectorSigns.wordsPerSector
      if words.isZero(range) {
        noteZeros(inSector: sector)
      } else if words.isNoise(range) {
        noise.insert(sector)
      }
      for i in range where UInt32(truncatingIfNeeded: words[i]) == NodeScan.filler {
        headers.insert(i)
      }
    }
  }

  /// Whether a range of bytes has other whole sectors of zeros than `run`.
  func hasOtherZeros(than run: Range<Int>, in bytes: Range<Int>) -> Bool {
    let i = zeros.prefixEnd { $0.lowerBound < run.lowerBound }
    return [i - 1, i + 1].contains { zeros.indices.contains($0) && zeros[$0].overlaps(bytes) }
  }

  private mutating func noteZeros(inSector sector: Int) {
    let bytes = sector * SectorSigns.byteCount..<(sector + 1) * SectorSigns.byteCount
    if let last = zeros.last, last.upperBound == bytes.lowerBound {
      zeros[zeros.count - 1] = last.lowerBound..<bytes.upperBound
    } else {
      zeros.append(bytes)
    }
  }
}
