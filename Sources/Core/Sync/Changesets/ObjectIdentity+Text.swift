import RealmStorage

extension Instruction.ObjectIdentity {
  /// The identity for messages.
  var text: String {
    switch self {
    case .null: "null"
    case .int(let number): "\(number)"
    case .string(let name): "\"\(name.text)\""
    case .globalKey(let high, let low): "{\(high),\(low)}"
    case .objectId(let bytes), .uuid(let bytes): bytes.hexadecimal
    }
  }
}
