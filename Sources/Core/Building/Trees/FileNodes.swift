import RealmModel
package import RealmStorage

/// Appends nodes to the new file, so that their refs are known at once. Nothing else may append to the file
/// while nodes are collected here.
package final class FileNodes {
  /// Number of bytes to collect before they are written.
  private static let flushByteCount = 1 << 20

  private let writer: RealmFileWriter
  package let buffer: NodeBuffer

  package init(_ writer: RealmFileWriter) {
    self.writer = writer
    buffer = NodeBuffer(base: writer.position)
  }

  /// Writes the collected bytes.
  ///
  /// - Throws: the errors of the output.
  package func flush() throws(RealmFileError) {
    try buffer.write(to: writer)
    buffer.removeAll(base: writer.position)
  }

  /// Writes the collected bytes if there are many.
  ///
  /// - Throws: the errors of the output.
  package func relieve() throws(RealmFileError) {
    if buffer.byteCount > FileNodes.flushByteCount { try flush() }
  }

  package func append(refs: [Int64], kind: UInt8 = 0) throws(RealmFileError) -> Ref {
    let ref = buffer.append(refs: refs, kind: kind)
    try relieve()
    return ref
  }

  func append(unsigned values: [UInt64]) throws(RealmFileError) -> Ref {
    let ref = buffer.append(unsigned: values)
    try relieve()
    return ref
  }

  package func append(
    integers values: [Int64], widthCode code: UInt8? = nil
  ) throws(RealmFileError) -> Ref {
    let ref = buffer.append(integers: values, widthCode: code)
    try relieve()
    return ref
  }

  /// Appends one long value (chapter 2, section 3.9), in pieces if no node can hold it.
  package func append(blob bytes: [UInt8]) throws(RealmFileError) -> Ref {
    let ref = try Blob.encode(bytes, into: buffer) { () throws(RealmFileError) in try relieve() }
    try relieve()
    return ref
  }
}
