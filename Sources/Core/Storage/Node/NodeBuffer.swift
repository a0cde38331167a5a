/// A block of encoded nodes for a new file.
///
/// Threads encode parts of a file in parallel: refs are relative to ``base`` until ``move(to:)`` sets the place
/// of the nodes in the file. Children are appended before their parents. Belongs to one thread at a time.
///
/// Invariant 1: `byteCount` bytes from `memory` on are whole nodes. Nodes whose refs a move changes start at
/// the offsets `refNodes`, in ascending order.
@safe
package final class NodeBuffer: @unchecked Sendable {
  /// The base of nodes whose place in the file is unknown; not 0, because a ref of 0 means no node.
  package static let relativeBase = 8
  /// Width codes of refs of 32 and 64 bits.
  private static let (narrowCode, wideCode): (UInt8, UInt8) = (6, 7)

  // Unchecked: one thread uses the buffer at a time, accesses never nest, and checking an access for
  // exclusivity would take longer than the access itself.
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  /// The ref of the first node.
  package private(set) var base: Ref
  private var refNodes: [Int] = []
  /// The smallest width code of nodes with refs, so that they keep their size when they move.
  private let refCode: UInt8

  /// - Parameters:
  ///   - base: the ref of the first node, if it is known.
  ///   - capacity: bytes to allocate at first.
  package init(base: Ref = relativeBase, capacity: Int = 1 << 16) {
    self.base = base
    unsafe self.capacity = max(capacity, 64)
    refCode = base == NodeBuffer.relativeBase ? NodeBuffer.narrowCode : 0
    unsafe memory = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Bytes of all nodes.
  package var byteCount: Int { unsafe used }
  /// The ref of the next appended node.
  package var position: Ref { base + byteCount }

  /// Removes all nodes.
  package func removeAll(base: Ref = relativeBase) {
    unsafe used = 0
    self.base = base
    refNodes.removeAll(keepingCapacity: true)
  }

  /// Appends the nodes to a file, whose position must be ``base``.
  ///
  /// - Throws: the errors of the output.
  package func write(to writer: RealmFileWriter) throws(RealmFileError) {
    try unsafe writer.append(bytes)
  }

  /// A copy of the bytes of all nodes.
  package var encoded: [UInt8] { unsafe Array(bytes) }

  /// The bytes of all nodes; readable until a node is appended.
  @unsafe
  package var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: memory, count: byteCount)
  }

  /// Room for `count` bytes after the nodes.
  @unsafe
  private func room(for count: Int) -> UnsafeMutableRawPointer {
    if unsafe used + count > capacity {
      unsafe capacity = max(2 * capacity, used + count)
      let larger = unsafe UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe larger.copyMemory(from: memory, byteCount: byteCount)
      unsafe memory.deallocate()
      unsafe memory = larger
    }
    return unsafe memory + byteCount
  }

  // MARK: Integers

  /// Appends a node of integers without refs.
  ///
  /// - Parameters:
  ///   - rows: the range of `values` to append; nil for all.
  ///   - kind: the flags inner, hasRefs and context.
  ///   - code: the code of a width that holds all values; nil for the smallest one.
  /// - Returns: the ref of the node.
  @discardableResult
  package func append(
    integers values: [Int64], rows: Range<Int>? = nil, kind: UInt8 = 0, widthCode code: UInt8? = nil
  ) -> Ref {
    let rows = rows ?? values.indices
    precondition(rows.lowerBound >= 0 && rows.upperBound <= values.count)
    return unsafe values.withUnsafeBufferPointer { values in
      unsafe append(UnsafeBufferPointer(rebasing: values[rows]), kind: kind, widthCode: code)
    }
  }

  @unsafe
  private func append(
    _ values: UnsafeBufferPointer<Int64>, kind: UInt8, widthCode code: UInt8?
  ) -> Ref {
    let code = unsafe code ?? NodeEncoder.widthCode(of: values)
    let size = NodeEncoder.byteCount(of: values.count, widthCode: code)
    unsafe NodeEncoder.encode(kind: kind, values, widthCode: code, into: room(for: size))
    defer { unsafe used += size }
    return position
  }

  /// Appends an array of keys or offsets, which are unsigned and have at least 8 bits (chapter 2, section 2.3).
  package func append(unsigned values: [UInt64]) -> Ref {
    let bits = values.reduce(0, |)
    let code: UInt8 = bits < 1 << 8 ? 4 : bits < 1 << 16 ? 5 : bits < 1 << 32 ? 6 : 7
    return append(integers: values.map { Int64(bitPattern: $0) }, widthCode: code)
  }

  /// Appends a node with refs. Each element is 0, a ref of this buffer, or a tagged integer.
  ///
  /// - Parameter kind: the flags inner and context.
  package func append(refs values: [Int64], kind: UInt8 = 0) -> Ref {
    let kind = kind | NodeEncoder.hasRefs
    guard refCode > 0, values.contains(where: { $0 != 0 && $0 & 1 == 0 }) else {
      return append(integers: values, kind: kind)
    }
    refNodes.append(byteCount)
    return unsafe values.withUnsafeBufferPointer { values in
      unsafe append(values, kind: kind, widthCode: max(refCode, NodeEncoder.widthCode(of: values)))
    }
  }

  // MARK: Bytes

  /// Appends a node of any form.
  ///
  /// - Parameters:
  ///   - flags: byte 4 of the header.
  ///   - count: number of elements, at most 0xFFFFFF.
  ///   - payloadByteCount: bytes after the header, without padding.
  ///   - fill: writes the payload, which consists of zeros.
  @unsafe
  package func append(
    flags: UInt8, count: Int, payloadByteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) -> Ref {
    precondition(count <= 0xFF_FFFF, "a node has at most 2²⁴ − 1 elements")
    let rounded = (payloadByteCount + 7) & ~7
    let place = unsafe room(for: NodeHeader.byteCount + rounded)
    let word =
      UInt64(NodeEncoder.filler) | UInt64(flags) << 32
      | UInt64(UInt32(count).byteSwapped >> 8) << 40
    unsafe place.storeBytes(of: word.littleEndian, as: UInt64.self)
    let payload = unsafe UnsafeMutableRawBufferPointer(
      start: place + NodeHeader.byteCount, count: rounded)
    unsafe payload.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe fill(UnsafeMutableRawBufferPointer(rebasing: payload[..<payloadByteCount]))
    defer { unsafe used += NodeHeader.byteCount + rounded }
    return position
  }

  /// Appends a node of 32-bit values: the bit patterns of floating-point numbers or decimals.
  package func append(values: [UInt32]) -> Ref {
    let values = values.map { $0.littleEndian }
    return unsafe values.withUnsafeBytes { unsafe append($0, count: values.count, sizeCode: 3) }
  }

  /// Like ``append(values:)-([UInt32])``, for 64-bit values.
  package func append(values: [UInt64]) -> Ref {
    let values = values.map { $0.littleEndian }
    return unsafe values.withUnsafeBytes { unsafe append($0, count: values.count, sizeCode: 4) }
  }

  @unsafe
  private func append(_ bytes: UnsafeRawBufferPointer, count: Int, sizeCode: UInt8) -> Ref {
    unsafe append(flags: 0x08 | sizeCode, count: count, payloadByteCount: bytes.count) { payload in
      unsafe payload.copyMemory(from: bytes)
    }
  }

  // MARK: Moving

  /// Translates all refs for a file to which the nodes will be appended at `newBase`.
  ///
  /// - Returns: the translation of refs of this buffer.
  package func move(to newBase: Ref) -> RefMove {
    let oldBase = base
    base = newBase
    let isNarrow = newBase + byteCount <= Int(Int32.max)
    guard isNarrow || refNodes.isEmpty else { return widen(from: oldBase) }
    let delta = Int64(newBase - oldBase)
    for offset in refNodes {
      unsafe NodeBuffer.forEachRef(at: memory + offset) { $0 + delta }
    }
    return RefMove(from: oldBase, to: newBase)
  }

  /// Replaces each ref in the node at `place` with the result of `body`.
  @unsafe
  private static func forEachRef(
    at place: UnsafeMutableRawPointer, _ body: (Int64) -> Int64
  ) {
    let (count, isWide) = unsafe shape(at: place)
    let payload = unsafe place + NodeHeader.byteCount
    for i in 0..<count {
      if isWide {
        let value = unsafe Int64(littleEndian: payload.load(fromByteOffset: i &* 8, as: Int64.self))
        if value != 0, value & 1 == 0 {
          unsafe payload.storeBytes(
            of: body(value).littleEndian, toByteOffset: i &* 8, as: Int64.self)
        }
      } else {
        let value = unsafe Int32(littleEndian: payload.load(fromByteOffset: i &* 4, as: Int32.self))
        if value != 0, value & 1 == 0 {
          unsafe payload.storeBytes(
            of: Int32(truncatingIfNeeded: body(Int64(value))).littleEndian, toByteOffset: i &* 4,
            as: Int32.self)
        }
      }
    }
  }

  /// The number of elements of a node with refs, and whether they have 64 bits instead of 32.
  @unsafe
  private static func shape(at place: UnsafeMutableRawPointer) -> (count: Int, isWide: Bool) {
    let word = unsafe UInt64(littleEndian: place.load(as: UInt64.self))
    let count = Int(UInt32(truncatingIfNeeded: word >> 32).byteSwapped & 0xFF_FFFF)
    return (count, word >> 32 & 7 == UInt64(wideCode))
  }

  /// Translates all refs for a place in the file where some need 64 bits, which makes their nodes larger.
  private func widen(from oldBase: Ref) -> RefMove {
    var move = RefMove(from: oldBase, to: base)
    let wide = NodeBuffer(base: base, capacity: byteCount)
    var done = 0
    for offset in refNodes {
      unsafe wide.append(bytes: UnsafeRawBufferPointer(start: memory + done, count: offset - done))
      let place = unsafe memory + offset
      let (count, wasWide) = unsafe NodeBuffer.shape(at: place)
      let kind = unsafe place.load(fromByteOffset: 4, as: UInt8.self)
      var isWide = wasWide
      let elements = (0..<count).map { i -> Int64 in
        let value =
          wasWide
          ? unsafe Int64(
            littleEndian: place.load(fromByteOffset: 8 &+ i &* 8, as: Int64.self))
          : unsafe Int64(
            Int32(littleEndian: place.load(fromByteOffset: 8 &+ i &* 4, as: Int32.self)))
        guard value != 0, value & 1 == 0 else { return value }
        // Children are before their parents, so their places are known.
        let ref = Int64(move[Int(value)])
        isWide = isWide || ref > Int64(Int32.max)
        return ref
      }
      let code = isWide ? NodeBuffer.wideCode : NodeBuffer.narrowCode
      _ = wide.append(integers: elements, kind: kind, widthCode: code)
      let byteCount = NodeEncoder.byteCount(
        of: count, widthCode: wasWide ? NodeBuffer.wideCode : NodeBuffer.narrowCode)
      done = offset + byteCount
      if isWide, !wasWide {
        move.grow(
          at: oldBase + offset,
          by: NodeEncoder.byteCount(of: count, widthCode: code) - byteCount)
      }
    }
    unsafe wide.append(bytes: UnsafeRawBufferPointer(start: memory + done, count: byteCount - done))
    unsafe swap(&memory, &wide.memory)
    unsafe swap(&capacity, &wide.capacity)
    unsafe used = wide.used
    refNodes = []
    return move
  }

  @unsafe
  private func append(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe room(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    unsafe used += bytes.count
  }
}

/// The translation of the refs of a ``NodeBuffer`` that was moved.
package struct RefMove: Sendable {
  private let delta: Int
  /// The old refs of nodes that became larger, and the growth of all nodes up to each; empty if none did.
  private var starts: [Ref] = []
  private var growths: [Int] = []

  fileprivate init(from: Ref, to: Ref) { delta = to - from }

  /// Notes that the node at `ref`, which is after all noted ones, became larger.
  fileprivate mutating func grow(at ref: Ref, by byteCount: Int) {
    starts.append(ref)
    growths.append((growths.last ?? 0) + byteCount)
  }

  /// The new ref of the node at `ref`; 0 for 0.
  package subscript(ref: Ref) -> Ref {
    guard ref != 0 else { return 0 }
    guard !starts.isEmpty else { return ref + delta }
    // The number of larger nodes that start before `ref`.
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < ref { low = middle + 1 } else { high = middle }
    }
    return ref + delta + (low == 0 ? 0 : growths[low - 1])
  }
}
