/// The byte offset of a node in the decrypted file, a multiple of 8; 0 for no node.
@usableFromInline
package typealias Ref = Int

/// The meaning of an element of a node with refs (chapter 2, section 2.2).
@usableFromInline
package enum RefElement: Equatable, Sendable {
  case null
  case ref(Ref)
  /// The integer of a tagged element, 0…2⁶³−1.
  case tagged(Int)
}

/// A node of an open realm: a checked view of its header and payload.
///
/// Invariant 1: header and payload lie inside the logical file, because a ``NodeReader`` checked them. Code
/// that holds a node may read elements `0..<count` without checking the bounds of the file. An index that
/// comes from the file must be compared with `count` first.
@safe
@usableFromInline
package struct Node: @unchecked Sendable {
  package let ref: Ref
  @usableFromInline
  package let header: NodeHeader
  /// First byte of the payload.
  @usableFromInline let payload: UnsafeRawPointer

  @unsafe
  package init(ref: Ref, header: NodeHeader, payload: UnsafeRawPointer) {
    self.ref = ref
    self.header = header
    unsafe self.payload = payload
  }

  @usableFromInline
  package var count: Int { header.count }
  @usableFromInline
  package var width: Int { header.width }
  @usableFromInline
  package var isInner: Bool { header.isInner }
  @usableFromInline
  package var hasRefs: Bool { header.hasRefs }
  @usableFromInline
  package var hasContext: Bool { header.hasContext }
  /// The number and kind of the elements, for messages.
  package var form: String { header.form }

  /// The first four bytes of the header, which have no meaning.
  @inlinable
  package var filler: UInt32 {
    // By invariant 1, the header precedes the payload.
    unsafe UInt32(
      littleEndian: (payload - NodeHeader.byteCount).loadUnaligned(as: UInt32.self))
  }

  /// Whether the node holds plain packed integers, like most leaves.
  @usableFromInline
  package var isIntegers: Bool { header.flags & 0xD8 == 0 }

  /// Element `index` of a node of packed integers. Widths below 8 are unsigned, the others signed
  /// (chapter 2, section 2.1).
  @inlinable
  package func integer(at index: Int) -> Int64 {
    precondition(index >= 0 && index < count)
    // In bounds by invariant 1: the offset is less than payloadByteCount for every index < count.
    switch width {
    case 0: return 0
    case 1:
      return unsafe Int64(
        payload.load(fromByteOffset: index &>> 3, as: UInt8.self)
          &>> UInt8(truncatingIfNeeded: index & 7) & 1)
    case 2:
      return unsafe Int64(
        payload.load(fromByteOffset: index &>> 2, as: UInt8.self)
          &>> UInt8(truncatingIfNeeded: (index & 3) &* 2) & 3)
    case 4:
      return unsafe Int64(
        payload.load(fromByteOffset: index &>> 1, as: UInt8.self)
          &>> UInt8(truncatingIfNeeded: (index & 1) &* 4) & 15)
    case 8: return unsafe Int64(payload.load(fromByteOffset: index, as: Int8.self))
    case 16:
      return unsafe Int64(
        Int16(littleEndian: payload.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)))
    case 32:
      return unsafe Int64(
        Int32(littleEndian: payload.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)))
    default:
      return unsafe Int64(
        littleEndian: payload.loadUnaligned(fromByteOffset: index &* 8, as: Int64.self))
    }
  }

  /// Element `index` of an *unsigned* array, such as an array of keys or offsets (chapter 2, section 2.3).
  @inlinable
  package func unsigned(at index: Int) -> UInt64 {
    let value = UInt64(bitPattern: integer(at: index))
    // Widths below 8 are unsigned already; width 64 needs no mask.
    return width < 64 && width >= 8 ? value & ((1 << UInt64(width)) - 1) : value
  }

  /// Element `index` of a node with refs.
  @usableFromInline
  package func element(at index: Int) -> RefElement {
    let value = integer(at: index)
    if value == 0 { return .null }
    // An odd element is tagged: a logical shift gives 0…2⁶³−1, which fits an Int.
    if value & 1 != 0 { return .tagged(Int(UInt64(bitPattern: value) >> 1)) }
    return .ref(Int(value))
  }

  /// The ref in element `index`, unchecked; 0 for no ref.
  ///
  /// - Throws: `damaged` with rule `node.ref` if the element is tagged.
  package func ref(at index: Int) throws(RealmFileError) -> Ref {
    try ref(of: integer(at: index), at: index)
  }

  /// The ref in `element`, element `index` of this node, unchecked; 0 for no ref.
  ///
  /// - Throws: same as ``ref(at:)``.
  @inline(__always)
  package func ref(of element: Int64, at index: Int) throws(RealmFileError) -> Ref {
    guard element & 1 == 0 else { throw taggedError(element, at: index) }
    return Int(element)
  }

  @inline(never)
  private func taggedError(_ element: Int64, at index: Int) -> RealmFileError {
    .damaged(
      .nodeRef, at: ref,
      "slot \(index) of the node at byte \(ref) holds the tagged integer \(UInt64(bitPattern: element) >> 1), "
        + "expected a ref"
    )
  }

  /// The integer in slot `index`, which should be tagged or 0. Other even numbers are shifted too, like in the
  /// reference (chapter 1, section 2.1).
  @usableFromInline
  package func slotInteger(at index: Int) -> Int {
    Int(UInt64(bitPattern: integer(at: index)) >> 1)
  }

  /// The whole payload.
  @usableFromInline
  package var bytes: ByteSlice {
    unsafe ByteSlice(start: payload, count: header.payloadByteCount)
  }
}
