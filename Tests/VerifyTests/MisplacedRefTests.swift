import RealmVerify
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// A ref that leads to no node can be negative, or behind the end of the file. What it holds is no place.
@Suite("Refs that lead to no node")
struct MisplacedRefTests {
  private let editor: RealmEditor
  /// The cluster of the class, whose slot 1 holds the ref of the leaf of the first column.
  private let cluster: Ref

  init() throws {
    editor = try RealmEditor("people.realm")
    cluster = try #require(try editor.clusters("Company").first)
  }

  /// Stores a value in a slot of the cluster. The node gets the width for it at the end of the file.
  private func patch(_ slot: Int, with value: Int64) throws -> (holder: Ref, size: Int) {
    let node = try editor.node(cluster)
    var elements = (0..<node.count).map { node.integer(at: $0) }
    elements[slot] = value
    // A node with refs, of 64 bits: flags 0x40 and width code 7.
    let header: [UInt8] = [
      0x41, 0x41, 0x41, 0x41, 0x47, 0, UInt8(elements.count >> 8), UInt8(elements.count & 0xFF),
    ]
    let bytes =
      header + elements.flatMap { littleEndianBytes(Int(truncatingIfNeeded: $0), count: 8) }
    let ref = editor.edited.append(bytes)
    let table = try editor.table("Company")
    editor.edited.setElement(2, of: table.ref, to: ref)
    return (ref, editor.edited.bytes.count)
  }

  @Test(
    "the finding names the node and the slot that hold the ref, and what it holds",
    arguments: [(-8, .nodeRef), (28, .nodeRef), (1 << 40, .nodeBounds)] as [(Int64, Rule)])
  func place(value: Int64, rule: Rule) throws {
    let (holder, size) = try patch(2, with: value)
    let findings = try editor.verify().findings
    let message =
      "slot 2 of the node at byte \(holder) holds \(value), expected a ref: a multiple of 8 from 24 to "
      + "\(size - 8)"
    let found = try #require(
      findings.first { $0.rule == rule && $0.className == "Company" && $0.property != nil })
    #expect(found.message == message)
    #expect(found.offset == holder)
    #expect(findings.allSatisfy { (0...size).contains($0.offset) })
  }

  @Test("a tagged integer where a ref should be is at the node that holds it")
  func tagged() throws {
    // Slot 0 of a leaf of dates has the ref of the seconds.
    let leaf = try editor.leaf("born", of: "Person")
    editor.edited.setSlot(0, of: leaf, to: 77)
    let findings = try editor.verify().findings
    let found = try #require(findings.first { $0.rule == .nodeRef && $0.property == "born" })
    #expect(found.offset == leaf)
    let message =
      "slot 0 of the node at byte \(leaf) holds the tagged integer 77, expected a ref"
    #expect(found.message == message)
  }

  @Test("several slots of a node are counted")
  func several() throws {
    let (holder, size) = try patch(2, with: -16)
    editor.edited.setElement(3, of: holder, to: -16)
    let findings = try editor.verify().findings
    let messages = findings.filter { $0.offset == holder && $0.rule == .nodeRef }.map(\.message)
    let message =
      "slot 2 of the node at byte \(holder), and another slot, hold -16, expected a ref: a multiple of 8 "
      + "from 24 to \(size - 8)"
    #expect(messages.contains(message))
  }

  /// A node of a megabyte can have a million such slots.
  @Test("of equal values, the first slot is kept, and the number of the others")
  func limits() throws {
    func ref(_ slot: Int, _ value: Int, _ className: String?) -> MisplacedRef {
      MisplacedRef(24, slot: slot, value: value, logicalSize: 4096, className: className)
    }
    var refs = MisplacedRefs()
    for slot in (0..<1000).reversed() { refs.add(ref(slot, 4, slot % 4 == 1 ? "A" : "B")) }
    let first = try #require(refs.first(holding: 4, className: "A"))
    #expect(first.slot == 1 && first.message.contains("and 249 other slots, hold 4"))
    #expect(refs.first(holding: 4, className: nil)?.message.contains("and 999 other slots") == true)
    var others = MisplacedRefs()
    for value in 0..<20_000 { others.add(ref(1000, value, "A")) }
    refs.add(contentsOf: others)
    #expect(refs.first(holding: 4, className: "A")?.message.contains("and 250 other slots") == true)
    #expect(others.first(holding: 9_999, className: "A") != nil)
    #expect(others.first(holding: 10_000, className: "A") == nil)
  }
}
