import Foundation
import TestSupport

@testable import RealmModel
@testable import RealmStorage

/// Nodes by hand, behind each other as in a file.
struct HandBuiltNodes {
  /// As many bytes as a file header has.
  private var bytes = [UInt8](repeating: 0, count: 24)

  /// Puts a node behind the others; its flags are byte 4 of the header, with the width code in the lowest
  /// bits.
  ///
  /// - Returns: its ref.
  mutating func add(flags: UInt8, count: Int, _ payload: [UInt8] = []) -> Ref {
    let ref = bytes.count
    bytes += node(flags: flags, count: count, payload)
    return ref
  }

  /// A node of 64-bit elements.
  mutating func add(integers: [Int], flags: UInt8 = 0) -> Ref {
    add(
      flags: flags | 7, count: integers.count,
      integers.flatMap { littleEndianBytes($0, count: 8) })
  }

  /// A node of bytes.
  mutating func add(blob: [UInt8]) -> Ref { add(flags: 0x10, count: blob.count, blob) }

  /// Calls `body` with a reader; nodes are valid inside it only.
  func read<R>(_ body: (NodeReader) throws -> R) throws -> R {
    let folder = try TemporaryFolder()
    let descriptor = try FileDescriptor.openForReading(try folder.write(bytes, to: "nodes"))
    let mapping = try MappedFile(descriptor: descriptor.number, count: bytes.count)
    let reader = NodeReader(source: ByteSource(mapping: mapping), logicalSize: bytes.count)
    return try withExtendedLifetime((reader, mapping)) { try body(reader) }
  }
}

/// Flags of a node of refs, and of one that is an inner node as well or has the context flag.
enum Flags {
  static let refs: UInt8 = 0x40
  static let innerRefs: UInt8 = 0xC0
  static let context: UInt8 = 0x20
  /// Elements of whole bytes.
  static let multiply: UInt8 = 0x08
}

/// The rule that an error names; nil for any other error and for none.
func brokenRule(_ body: () throws -> Void) -> Rule? {
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
func rules(_ check: (inout Findings) throws -> Void) throws -> [Rule] {
  var findings = Findings(limit: 100)
  try check(&findings)
  return findings.list.map(\.rule)
}

/// The texts of a column of slices, nil for null.
func texts(_ column: SliceColumn) -> [String?] { column.map { $0?.text } }
