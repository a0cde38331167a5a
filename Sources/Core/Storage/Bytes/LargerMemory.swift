#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Moves `memory` into a block of `byteCount` bytes with `realloc`, which moves large blocks without a copy
/// where the system supports that.
///
/// Callers ask for room for bytes that the program has in memory or has written itself, never for a number
/// from a file. Without memory for them the program ends, as it does when an array of Swift finds none.
@unsafe
func largerMemory(
  _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
) -> UnsafeMutableRawPointer {
  guard let larger = unsafe realloc(memory, byteCount) else {
    preconditionFailure("there is no memory for \(byteCount) bytes")
  }
  return unsafe larger
}
