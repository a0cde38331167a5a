package import RealmModel
package import RealmStorage

/// Nodes by hand, one after another as in a file.
package struct HandBuiltNodes {
  /// The file; it begins with as many bytes as a file header has.
  private var bytes: [UInt8]

  /// - Parameter nodes: their bytes, the first of which is at offset 24.
  package init(_ nodes: [UInt8] = []) { bytes = [UInt8](repeating: 0, count: 24) + nodes }

  /// Appends a node; its flags are byte 4 of the header, with the width code in the lowest bits.
  ///
  /// - Returns: its ref.
  package mutating func add(flags: UInt8, count: Int, _ payload: [UInt8] = []) -> Ref {
    let ref = bytes.count
    bytes += node(flags: flags, count: count, payload)
    return ref
  }

  /// Appends a node of 64-bit elements.
  package mutating func add(integers: [Int], flags: UInt8 = 0) -> Ref {
    add(
      flags: flags | 7, count: integers.count,
      integers.flatMap { littleEndianBytes($0, count: 8) })
  }

  /// Appends a node of 8-bit elements.
  package mutating func add(integers8: [UInt8]) -> Ref {
    add(flags: 4, count: integers8.count, integers8)
  }

  /// Appends a node of bytes.
  package mutating func add(blob: [UInt8]) -> Ref { add(flags: 0x10, count: blob.count, blob) }

  /// Appends an inner node of a B+tree whose children have `each` values (chapter 2, section 4).
  package mutating func add(innerOver children: [Ref], each: Int, total: Int) -> Ref {
    add(integers: [each << 1 | 1] + children + [total << 1 | 1], flags: NodeFlags.innerRefs)
  }

  /// Calls `body` with a reader; nodes are valid inside it only.
  package func read<R>(_ body: (NodeReader) throws -> R) throws -> R {
    let folder = try TemporaryFolder()
    let descriptor = try FileDescriptor.openForReading(try folder.write(bytes, to: "nodes"))
    let mapping = try MappedFile(descriptor: descriptor.number, count: bytes.count)
    let reader = NodeReader(source: ByteSource(mapping: mapping), logicalSize: bytes.count)
    return try withExtendedLifetime((reader, mapping)) { try body(reader) }
  }
}

extension NodeBuffer {
  /// The bytes that the nodes take in a file.
  package func fileBytes() throws -> [UInt8] {
    let sink = MemorySink()
    let writer = try RealmFileWriter(
      into: try RealmOutput(.stream(sink), key: nil), format: .current)
    try write(to: writer)
    _ = try writer.finish(
      RealmFileWriter.Trees(tableNames: 24, tables: 24),
      RealmFileWriter.Facts(version: 1, historyType: 2, historySchemaVersion: 1, fileIdent: 0))
    return Array(sink.bytes[24..<(24 + byteCount)])
  }
}

/// Flags of a node of refs, and of one that is an inner node as well or has the context flag.
package enum NodeFlags {
  package static let refs: UInt8 = 0x40
  package static let innerRefs: UInt8 = 0xC0
  package static let context: UInt8 = 0x20
  /// Elements of whole bytes.
  package static let multiply: UInt8 = 0x08
}

/// The rule that an error names; nil for any other error and for none.
package func brokenRule(_ body: () throws -> Void) -> Rule? {
  do {
    try body()
    return nil
  } catch let error as RealmFileError {
    if case .damaged(let rule) = error.kind { return rule }
    return nil
  } catch {
    return nil
  }
}

/// The rules of what `check` finds.
package func rules(_ check: (inout Findings) throws -> Void) throws -> [Rule] {
  var findings = Findings(limit: 100)
  try check(&findings)
  return findings.list.map(\.rule)
}

extension SliceColumn {
  /// The strings, nil for null.
  package var strings: [String?] { map { $0?.text } }
}
