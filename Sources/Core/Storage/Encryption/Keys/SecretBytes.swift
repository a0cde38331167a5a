import CCipher

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Memory of a fixed size for the bytes of a key, wiped on release.
///
/// Invariant 1: `count <= capacity`, and the first `count` bytes are set.
@safe
struct SecretBytes: ~Copyable {
  let capacity: Int
  private(set) var count = 0
  private let memory: UnsafeMutablePointer<UInt8>

  init(capacity: Int) {
    self.capacity = capacity
    unsafe memory = .allocate(capacity: max(capacity, 1))
    unsafe memory.initialize(repeating: 0, count: max(capacity, 1))
  }

  init(copying bytes: [UInt8]) {
    self.init(capacity: bytes.count)
    for byte in bytes { append(byte) }
  }

  deinit {
    unsafe ccipher_wipe(memory, max(capacity, 1))
    unsafe memory.deallocate()
  }

  /// The byte at `index`, which must be in `0..<count`.
  subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count)
    return unsafe memory[index]
  }

  /// Appends `byte`, for which there must be room.
  mutating func append(_ byte: UInt8) {
    precondition(count < capacity)
    unsafe memory[count] = byte
    count += 1
  }

  /// Reads from an open descriptor until it ends or the memory is full.
  ///
  /// - Throws: `unreadable`.
  mutating func fill(from descriptor: Int32) throws(KeyError) {
    while count < capacity {
      let got = unsafe read(descriptor, memory + count, capacity - count)
      if got < 0 {
        if errno == EINTR { continue }
        throw KeyError(.unreadable(SystemError(errno, "read the key")))
      }
      if got == 0 { return }
      count += got
    }
  }

  /// Writes all bytes to `sink`.
  func write(to sink: any OutputSink) throws(RealmFileError) {
    try unsafe sink.write(UnsafeRawBufferPointer(start: memory, count: count))
  }
}
