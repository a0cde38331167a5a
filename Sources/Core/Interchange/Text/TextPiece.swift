/// Text that is appended repeatedly: the name of a property, the text around a link.
///
/// Invariant 1: the storage has `TextBuffer.slack` bytes more than `count`, so that a short piece is
/// copied in one step.
package struct TextPiece: Sendable {
  private let storage: [UInt8]
  /// Bytes of the text.
  package let count: Int

  package init(_ text: [UInt8]) {
    storage = text + Array(repeating: 0, count: TextBuffer.slack)
    count = text.count
  }

  /// A copy of the text.
  package var bytes: [UInt8] { Array(storage.prefix(count)) }

  /// Calls `body` with the address of the first byte.
  @inline(__always)
  func withStart(_ body: (UnsafeRawPointer) -> Void) {
    unsafe storage.withUnsafeBytes { bytes in
      // Never empty, by invariant 1.
      if let start = bytes.baseAddress { unsafe body(start) }
    }
  }
}

extension TextBuffer {
  /// Appends a piece of text.
  @inline(__always)
  package mutating func append(_ piece: borrowing TextPiece) {
    let byteCount = piece.count
    let target = unsafe room(for: byteCount)
    unsafe piece.withStart { start in
      unsafe TextBuffer.copy(byteCount, from: start, to: target)
    }
    unsafe didWrite(byteCount)
  }
}
