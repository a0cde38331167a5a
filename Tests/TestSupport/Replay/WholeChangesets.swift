package import RealmSync

extension ChangesetDecoder {
  /// All instructions of a changeset.
  ///
  /// - Parameter bytes: the unwrapped changeset.
  /// - Throws: ``ChangesetError`` at the first instruction that cannot be decoded.
  package static func instructions(_ bytes: [UInt8]) throws(ChangesetError) -> [Instruction] {
    var decoder = ChangesetDecoder(bytes)
    var instructions: [Instruction] = []
    while let instruction = try decoder.next() { instructions.append(instruction) }
    return instructions
  }
}

extension ChangesetEncoder {
  /// The changeset with `instructions`.
  package static func encode(_ instructions: [Instruction]) -> [UInt8] {
    var encoder = ChangesetEncoder()
    for instruction in instructions { encoder.append(instruction) }
    return encoder.bytes
  }
}
