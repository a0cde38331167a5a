import RealmStorage

// The wrappers of Extended JSON that Realm JSON has, too.

extension TextTarget {
  /// Appends a binary.
  mutating func append(wrappedBinary value: ByteSlice) {
    text.append("{\"$binary\":{\"base64\":\"")
    append(base64: value)
    text.append("\",\"subType\":\"00\"}}")
  }
}

extension TextBuffer {
  /// Appends an ObjectId.
  mutating func append(wrappedObjectId value: ByteSlice) {
    append("{\"$oid\":\"")
    append(hex: value)
    append("\"}")
  }
}
