import RealmModel
import RealmStorage
import RealmSync
import TestSupport

/// Decodes a changeset; what can be decoded must survive encoding.
struct Changesets {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func run() throws {
    try decode(bytes)
    let slices = SliceColumn(copying: [bytes])
    guard !bytes.isEmpty, let slice = slices[0] else { return }
    let unwrapped: [UInt8]
    do throws(StoredChangeset.Failure) {
      unwrapped = try StoredChangeset(slice).unwrapped()
    } catch {
      // What a damaged wrapper must end in.
      return
    }
    try decode(unwrapped)
  }

  private func decode(_ changeset: [UInt8]) throws {
    guard let instructions = try? ChangesetDecoder.instructions(changeset) else { return }
    let again = try? ChangesetDecoder.instructions(ChangesetEncoder.encode(instructions))
    guard again == instructions else {
      throw FuzzFailure("the instructions change when they are encoded")
    }
  }
}
