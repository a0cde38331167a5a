import CCipher

/// The 64-byte key of a realm: 32 bytes for AES-256 and 32 for the HMAC (chapter 1, section 5.1). Its memory is
/// wiped when the last reference is released.
@safe
public final class RealmKey: @unchecked Sendable {
  public static let byteCount = 64
  private let memory: UnsafeMutableRawPointer

  /// - Throws: `unusable` unless there are exactly 64 bytes.
  public convenience init(bytes: [UInt8]) throws(KeyError) {
    try self.init(SecretBytes(copying: bytes))
  }

  /// - Throws: `unusable` unless there are exactly 64 bytes.
  init(_ bytes: borrowing SecretBytes) throws(KeyError) {
    guard bytes.count == RealmKey.byteCount else {
      throw KeyError(.unusable("\(bytes.count) bytes instead of 64"))
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: RealmKey.byteCount, alignment: 16)
    for i in 0..<RealmKey.byteCount {
      unsafe memory.storeBytes(of: bytes[i], toByteOffset: i, as: UInt8.self)
    }
    unsafe self.memory = memory
  }

  deinit {
    unsafe ccipher_wipe(memory, RealmKey.byteCount)
    unsafe memory.deallocate()
  }

  /// Bytes 0–31.
  @unsafe var cipherKey: UnsafePointer<UInt8> {
    unsafe UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
  }

  /// Bytes 32–63.
  @unsafe var authenticationKey: UnsafePointer<UInt8> { unsafe cipherKey + 32 }

  /// A new key from the system's random numbers for secrets.
  ///
  /// - Throws: `noRandomNumbers`.
  public static func random() throws(KeyError) -> RealmKey {
    let key = RealmKey()
    let isDone =
      unsafe ccipher_random(key.memory.assumingMemoryBound(to: UInt8.self), byteCount) == 1
    guard isDone else { throw KeyError(.noRandomNumbers) }
    return key
  }

  /// A key of zeros, to be filled.
  private init() {
    unsafe memory = .allocate(byteCount: RealmKey.byteCount, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: RealmKey.byteCount)
  }

  /// Writes the key.
  ///
  /// - Parameter asDigits: whether to write a line of 128 hexadecimal digits, for a terminal, instead of 64
  ///   bytes.
  /// - Throws: the errors of the sink.
  public func write(to sink: any OutputSink, asDigits: Bool = false) throws(RealmFileError) {
    guard asDigits else {
      return try unsafe sink.write(UnsafeRawBufferPointer(start: memory, count: RealmKey.byteCount))
    }
    var line = SecretBytes(capacity: 2 * RealmKey.byteCount + 1)
    let digits = Array("0123456789abcdef".utf8)
    for i in 0..<RealmKey.byteCount {
      let byte = unsafe memory.load(fromByteOffset: i, as: UInt8.self)
      line.append(digits[Int(byte >> 4)])
      line.append(digits[Int(byte & 15)])
    }
    line.append(UInt8(ascii: "\n"))
    try line.write(to: sink)
  }
}
