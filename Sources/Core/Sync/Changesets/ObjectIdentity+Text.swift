extension Instruction.ObjectIdentity {
  /// The identity for messages.
  var text: String {
    func hexadecimal(_ bytes: [UInt8]) -> String {
      bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
    }
    return switch self {
    case .null: "null"
    case .int(let number): "\(number)"
    case .string(let name): "\"\(name.text)\""
    case .globalKey(let high, let low): "{\(high),\(low)}"
    case .objectId(let bytes), .uuid(let bytes): hexadecimal(bytes)
    }
  }
}
