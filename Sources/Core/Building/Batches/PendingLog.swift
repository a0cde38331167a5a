import RealmStorage

/// The leaves that wait for object keys, in the order of their pieces.
///
/// ```
/// word 0   position of the class; in the upper half, the leaf index
/// word 1   cluster
/// word 2   number of words of the program, which follows
/// ```
final class PendingLog {
  private static let headWordCount = 3

  private let log: ByteLog

  init(budget: MemoryBudget) { log = ByteLog(budget: budget) }

  /// Appends leaves.
  ///
  /// - Throws: the errors of an unlinked file.
  func append(_ leaves: [BuildPiece.PendingLeaf]) throws(RealmFileError) {
    guard !leaves.isEmpty else { return }
    let added = ByteStore()
    for leaf in leaves {
      added.append([
        Int64(leaf.classPosition | leaf.leafIndex << 32), Int64(leaf.cluster),
        Int64(leaf.program.words.count),
      ])
      added.append(leaf.program.words)
    }
    try log.append(added)
  }

  /// Reads the leaf at `offset`, and moves `offset` past it.
  ///
  /// - Returns: nil after the last leaf.
  /// - Throws: the errors of an unlinked file.
  func next(_ offset: inout Int) throws(RealmFileError) -> BuildPiece.PendingLeaf? {
    guard offset < log.byteCount else { return nil }
    let head = try log.slice(at: offset, count: 8 * PendingLog.headWordCount)
    let place = Int(head.littleEndian(at: 0))
    let (cluster, count) = (Int(head.littleEndian(at: 8)), Int(head.littleEndian(at: 16)))
    offset += 8 * PendingLog.headWordCount
    let words = try log.slice(at: offset, count: 8 * count)
    offset += 8 * count
    var program = PendingProgram()
    program.words = (0..<count).map { Int64(bitPattern: words.littleEndian(at: 8 * $0)) }
    return BuildPiece.PendingLeaf(
      classPosition: place & 0xFFFF_FFFF, cluster: cluster, leafIndex: place >> 32,
      program: program)
  }
}
