import Foundation

/// Makes commits as in chapter 1, section 4, without the tool's own code:
/// new nodes into space that the live version does not use, new free lists and a new top array, a sync,
/// the inactive slot, a sync, the selector, a sync.
final class Writer {
  private let file: FileHandle
  /// The contents of the file: this is the only process that writes to it.
  private var image: [UInt8]
  private var space: Space
  private var version: Int
  private let leafIndex: Int
  private let tableSlot: Int
  /// Number of objects that a commit changes; nil for all.
  private let objectLimit: Int?
  /// Number of objects that this commit may still change, if there is a limit.
  private var left = 0

  private enum Slot {
    static let names = 0
    static let tables = 1
    static let logicalSize = 2
    static let freeLists = 3...5
    static let version = 6
    static let tableClusters = 2
  }

  /// - Parameters:
  ///   - className: a class with at least one object.
  ///   - property: one of doubles, not indexed.
  ///   - objectLimit: number of objects that a commit changes, each the first of a cluster; nil for all objects.
  init(path: String, className: String, property: String, objectLimit: Int?) throws {
    self.objectLimit = objectLimit
    file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let image = [UInt8](try file.readToEnd() ?? Data())
    self.image = image
    let top = Node(at: Writer.topRef(image), in: image)
    version = top.elements[Slot.version] >> 1
    let lists = Slot.freeLists.map { Node(at: top.elements[$0], in: image).elements }
    space = Space(
      chunks: zip(lists[0], zip(lists[1], lists[2])).map {
        Space.Chunk(offset: $0, byteCount: $1.0, version: $1.1)
      }, logicalSize: top.elements[Slot.logicalSize] >> 1)
    let names = Node(at: top.elements[Slot.names], in: image).shortStrings(in: image)
    tableSlot = names.firstIndex(of: "class_" + className)!
    let table = Node(
      at: Node(at: top.elements[Slot.tables], in: image).elements[tableSlot], in: image)
    let spec = Node(at: table.elements[0], in: image)
    let columns = Node(at: spec.elements[1], in: image).shortStrings(in: image)
    let keys = Node(at: spec.elements[5], in: image).elements
    leafIndex = keys[columns.firstIndex(of: property)!] & 0xFFFF
  }

  private static func topRef(_ image: [UInt8]) -> Int {
    let slot = Int(image[23] & 1) * 8
    return (0..<8).reduce(0) { $0 | Int(image[slot + $1]) << (8 * $1) }
  }

  /// Sets the values to the number of the next version, and commits that version.
  func commit() {
    version += 1
    left = objectLimit ?? .max
    space.begin(version: version)
    let topRef = Writer.topRef(image)
    var top = Node(at: topRef, in: image)
    let tablesRef = top.elements[Slot.tables]
    var tables = Node(at: tablesRef, in: image)
    let tableRef = tables.elements[tableSlot]
    var table = Node(at: tableRef, in: image)
    table.elements[Slot.tableClusters] = rewriteClusters(at: table.elements[Slot.tableClusters])
    tables.elements[tableSlot] = replace(tableRef, by: table)
    top.elements[Slot.tables] = replace(tablesRef, by: tables)
    space.free(topRef, Node(at: topRef, in: image).byteCount)
    for slot in Slot.freeLists {
      space.free(top.elements[slot], Node(at: top.elements[slot], in: image).byteCount)
    }
    publish(writeListsAndTop(&top))
  }

  /// A copy of the tree of clusters at `ref` with other values; the tree itself if nothing may change any more.
  private func rewriteClusters(at ref: Int) -> Int {
    guard left > 0 else { return ref }
    var node = Node(at: ref, in: image)
    if node.isInner {
      for child in 3..<node.elements.count {
        node.elements[child] = rewriteClusters(at: node.elements[child])
      }
    } else {
      let leafRef = node.elements[leafIndex + 1]
      let leaf = Node(at: leafRef, in: image)
      let value = Double(version).bitPattern
      let changed = objectLimit == nil ? leaf.count : 1
      left -= changed
      let values =
        (0..<changed).flatMap { _ in
          (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        } + image[(leafRef + 8 * (1 + changed))..<(leafRef + leaf.byteCount)]
      space.free(leafRef, leaf.byteCount)
      node.elements[leafIndex + 1] = write(leaf.header + values)
    }
    return replace(ref, by: node)
  }

  private func replace(_ ref: Int, by node: Node) -> Int {
    space.free(ref, Node(at: ref, in: image).byteCount)
    return write(node.bytes)
  }

  /// Allocates and writes.
  private func write(_ bytes: [UInt8]) -> Int {
    let offset = space.allocate(bytes.count)
    store(bytes, at: offset)
    return offset
  }

  /// The lists describe the space that they take themselves: room for the worst case is reserved, and
  /// the rest of it is the last entry (section 3.5).
  private func writeListsAndTop(_ top: inout Node) -> Int {
    let most = space.entryCount + 10
    let reserved = space.allocate(3 * 8 + 24 * most + 8 + 8 * top.elements.count + 8)
    let end = reserved + 3 * 8 + 24 * most + 8 + 8 * top.elements.count + 8
    // All widths are 64 bits, so the entries do not change the length of the lists. The last
    // entry comes in addition to those that are there.
    let listByteCount = 8 + 8 * (space.entryCount + 1)
    let topRef = reserved + 3 * listByteCount
    let used = topRef + 8 + 8 * top.elements.count
    let chunks = space.finish(adding: Space.Chunk(offset: used, byteCount: end - used, version: 0))
    precondition(8 + 8 * chunks.count == listByteCount)
    for (i, list) in [chunks.map(\.offset), chunks.map(\.byteCount), chunks.map(\.version)]
      .enumerated()
    {
      let ref = reserved + i * listByteCount
      store(Node(flags: 0, elements: list).bytes(width: 64), at: ref)
      top.elements[Slot.freeLists.lowerBound + i] = ref
    }
    top.elements[Slot.version] = version << 1 | 1
    top.elements[Slot.logicalSize] = space.logicalSize << 1 | 1
    store(top.bytes(width: 64), at: topRef)
    return topRef
  }

  /// Steps 3 to 7 of section 4.1.
  private func publish(_ topRef: Int) {
    sync()
    let live = Int(image[23] & 1)
    let other = 1 - live
    store([image[20 + live]], at: 20 + other)
    store((0..<8).map { UInt8(truncatingIfNeeded: topRef >> (8 * $0)) }, at: other * 8)
    sync()
    store([image[23] ^ 1], at: 23)
    sync()
  }

  private func sync() { precondition(fsync(file.fileDescriptor) == 0) }

  private func store(_ bytes: [UInt8], at offset: Int) {
    if image.count < space.logicalSize {
      image += [UInt8](repeating: 0, count: space.logicalSize - image.count)
      precondition(ftruncate(file.fileDescriptor, off_t(image.count)) == 0)
    }
    image.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    precondition(
      unsafe pwrite(file.fileDescriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
  }
}
