/// The name of a class or property: the bytes as stored, nearly always UTF-8.
public struct Name: Hashable, Sendable, CustomStringConvertible {
  /// The bytes without terminator.
  public let bytes: [UInt8]
  /// The bytes as text; invalid UTF-8 is replaced.
  public let text: String

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    text = String(decoding: bytes, as: UTF8.self)
  }

  public init(_ text: String) {
    bytes = Array(text.utf8)
    self.text = text
  }

  /// Whether the bytes are valid UTF-8.
  public var isValid: Bool { bytes.elementsEqual(text.utf8) }

  public var description: String { text }
}
