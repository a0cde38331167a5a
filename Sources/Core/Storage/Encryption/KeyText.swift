#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A key as people keep it: 64 raw bytes, 128 hexadecimal digits, or base64, told apart by content.
public enum KeyText {
  /// - Throws: `badKey` where the bytes are none of the three.
  public static func parse(_ bytes: [UInt8]) throws(RealmFileError) -> RealmKey {
    if bytes.count == RealmKey.byteCount { return try RealmKey(bytes: bytes) }
    let digits = bytes.filter { !$0.isSpace }
    if digits.count == 2 * RealmKey.byteCount, let key = hexadecimal(digits) {
      return try RealmKey(bytes: key)
    }
    if let key = base64(digits), key.count == RealmKey.byteCount { return try RealmKey(bytes: key) }
    throw RealmFileError(.badKey("\(bytes.count) bytes that are not a key in any notation"))
  }

  private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    for i in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[i..<(i + 2)], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func base64(_ digits: [UInt8]) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = []
    var pending = 0
    var bits = 0
    for digit in digits where digit != UInt8(ascii: "=") {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      // At most 6 bits are pending before, so the number stays below 2^14.
      pending = pending << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(pending >> bits))
        pending &= 1 << bits - 1
      }
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

/// A key read from a file or from standard input.
public struct KeyFile: Sendable {
  public var key: RealmKey
  /// Whether the group or everybody may read the file.
  public var isReadableByOthers: Bool

  /// Reads the key in the file at `path`; `-` is standard input.
  ///
  /// - Throws: `unreadable`, `badKey`.
  public static func read(path: String) throws(RealmFileError) -> KeyFile {
    let isStandardInput = path == "-"
    let number = isStandardInput ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw RealmFileError(.unreadable(SystemError(errno, "open the key file")), path: path)
    }
    let descriptor = FileDescriptor(owning: number)
    let bytes = readAll(descriptor)
    do throws(RealmFileError) {
      let status = try descriptor.status()
      return KeyFile(
        key: try KeyText.parse(bytes),
        isReadableByOthers: !isStandardInput && status.st_mode & S_IFMT == S_IFREG
          && status.st_mode & 0o044 != 0)
    } catch {
      throw error.adding(path: path)
    }
  }
}

/// Up to as many bytes as the longest notation of a key could have with generous white space.
private func readAll(_ descriptor: FileDescriptor) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 4096)
  var count = 0
  while count < buffer.count {
    let got = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe read(descriptor.number, bytes.baseAddress! + count, bytes.count - count)
    }
    guard got > 0 else { break }
    count += got
  }
  buffer.removeSubrange(count...)
  return buffer
}
