package import RealmStorage

/// A slice of bytes in its own memory, which is never freed.
package func lastingSlice(_ bytes: some Collection<UInt8>) -> ByteSlice {
  let bytes = Array(bytes)
  let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
  unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
  return unsafe ByteSlice(start: copy, count: bytes.count)
}
