extension Node {
  /// The elements of a node of packed integers, from element `first` on.
  ///
  /// The width is tested once per node, so each loop has a constant shape that the compiler can vectorize;
  /// reading elements one by one takes four to seven times as long.
  ///
  /// - Parameter first: 0; or 1 for a leaf whose element 0 stands for null.
  package func integers(from first: Int = 0) -> [Int64] {
    let count = self.count
    guard first < count else { return [] }
    return unsafe [Int64](unsafeUninitializedCapacity: count - first) { out, initialized in
      unsafe decode(from: first, to: out)
      initialized = count - first
    }
  }

  /// Copies the elements from element `first` on to `out`, which must have room for them.
  @unsafe
  package func decode(from first: Int, to out: UnsafeMutableBufferPointer<Int64>) {
    let count = self.count
    let payload = unsafe self.payload
    // Every offset below is less than payloadByteCount, by invariant 1.
    switch width {
    case 0:
      for i in 0..<(count - first) { unsafe out[i] = 0 }
    case 8:
      for i in 0..<(count - first) {
        unsafe out[i] = Int64(payload.load(fromByteOffset: i &+ first, as: Int8.self))
      }
    case 16:
      for i in 0..<(count - first) {
        let raw = unsafe payload.loadUnaligned(
          fromByteOffset: (i &+ first) &* 2, as: Int16.self)
        unsafe out[i] = Int64(Int16(littleEndian: raw))
      }
    case 32:
      for i in 0..<(count - first) {
        let raw = unsafe payload.loadUnaligned(
          fromByteOffset: (i &+ first) &* 4, as: Int32.self)
        unsafe out[i] = Int64(Int32(littleEndian: raw))
      }
    case 64:
      for i in 0..<(count - first) {
        let raw = unsafe payload.loadUnaligned(
          fromByteOffset: (i &+ first) &* 8, as: Int64.self)
        unsafe out[i] = Int64(littleEndian: raw)
      }
    default:
      // 1, 2 or 4 bits, packed from the lowest bit up; 8 / width elements per byte.
      let bits = width
      let shift = bits == 1 ? 3 : bits == 2 ? 2 : 1
      let perByte = (1 << shift) - 1
      let mask = UInt8((1 << bits) - 1)
      for i in 0..<(count - first) {
        let j = i &+ first
        let byte = unsafe payload.load(fromByteOffset: j &>> shift, as: UInt8.self)
        unsafe out[i] = Int64(byte &>> UInt8(truncatingIfNeeded: (j & perByte) &* bits) & mask)
      }
    }
  }

  /// The index of the first element of an ascending *unsigned* array, of keys or offsets, that is not below
  /// `value`; `count` if all are below (chapter 2, section 2.3). If the array does not ascend, the result is any
  /// index from 0 to `count`.
  package func lowerBound(of value: UInt64) -> Int {
    withComparison(to: value) { search(0..<count, $0) }
  }

  /// Like ``lowerBound(of:)``, but searches near `guess` first: a close guess saves most of the memory accesses,
  /// and a wrong one costs only time.
  package func lowerBound(of value: UInt64, near guess: Int) -> Int {
    /// Elements on each side of the guess that are searched first.
    let distance = 16
    guard count > 2 * distance else { return lowerBound(of: value) }
    let start = max(distance, min(guess, count)) - distance
    let end = min(count, start + 2 * distance)
    return withComparison(to: value) { isBelow in
      if start > 0, !isBelow(start - 1) { return search(0..<(start - 1), isBelow) }
      if end < count, isBelow(end) { return search((end + 1)..<count, isBelow) }
      return search(start..<end, isBelow)
    }
  }

  /// Calls `body` with a function that returns whether an element is below `value` as an unsigned number. The
  /// index of the element must be in `0..<count`.
  @inline(__always)
  private func withComparison(
    to value: UInt64, _ body: (_ isBelow: (Int) -> Bool) -> Int
  ) -> Int {
    // Every offset below is less than payloadByteCount, by invariant 1.
    let payload = unsafe self.payload
    switch width {
    case 8:
      return body { unsafe UInt64(payload.load(fromByteOffset: $0, as: UInt8.self)) < value }
    case 16:
      return body {
        let raw = unsafe payload.loadUnaligned(fromByteOffset: $0 &* 2, as: UInt16.self)
        return UInt64(UInt16(littleEndian: raw)) < value
      }
    case 32:
      return body {
        let raw = unsafe payload.loadUnaligned(fromByteOffset: $0 &* 4, as: UInt32.self)
        return UInt64(UInt32(littleEndian: raw)) < value
      }
    case 64:
      return body {
        let raw = unsafe payload.loadUnaligned(fromByteOffset: $0 &* 8, as: UInt64.self)
        return UInt64(littleEndian: raw) < value
      }
    default: return body { unsigned(at: $0) < value }
    }
  }

  /// A binary search in `range` that does not branch on the comparisons, because their results are unpredictable.
  @inline(__always)
  private func search(_ range: Range<Int>, _ isBelow: (Int) -> Bool) -> Int {
    var low = range.lowerBound
    var rest = range.count
    guard rest > 0 else { return low }
    while rest > 1 {
      let half = rest &>> 1
      low = isBelow(low &+ half &- 1) ? low &+ half : low
      rest &-= half
    }
    return isBelow(low) ? low &+ 1 : low
  }

  /// All elements of a node with 4 bytes per value, as raw bit patterns.
  ///
  /// - Throws: `damaged` with rule `leaf.width` if the node has another width.
  package func words32() throws(RealmFileError) -> [UInt32] { try words(of: UInt32.self) }

  /// All elements of a node with 8 bytes per value, as raw bit patterns.
  ///
  /// - Throws: same as ``words32()``.
  package func words64() throws(RealmFileError) -> [UInt64] { try words(of: UInt64.self) }

  // Specialized inside this module, for the two types above.
  @inline(__always)
  private func words<T: FixedWidthInteger & BitwiseCopyable>(
    of type: T.Type
  ) throws(RealmFileError) -> [T] {
    let count = self.count
    guard count > 0 else { return [] }
    guard header.widthType == .multiply, width == MemoryLayout<T>.size else {
      throw .damaged(
        .leafWidth, at: ref,
        "found \(header.form), expected values of \(MemoryLayout<T>.size) bytes")
    }
    let payload = unsafe self.payload
    return unsafe [T](unsafeUninitializedCapacity: count) { out, initialized in
      for i in 0..<count {
        unsafe out[i] = T(
          littleEndian: payload.loadUnaligned(
            fromByteOffset: i &* MemoryLayout<T>.size, as: T.self))
      }
      initialized = count
    }
  }
}
