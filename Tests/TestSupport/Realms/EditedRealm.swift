/// The bytes of a plain realm, to be damaged on purpose. Offsets are refs; new values must fit the
/// width of the node.
public struct EditedRealm {
  public var bytes: [UInt8]

  public init(golden name: String) throws { bytes = try Golden.bytes(name) }

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Ref of the live top array.
  public var top: Int { number(at: bytes[23] & 1 == 0 ? 0 : 8) }

  /// Ref of the history.
  public var history: Int { element(8, of: top) }

  private func number(at offset: Int, count: Int = 8) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
  }

  /// Bits of an element of the node at `ref`.
  private func width(of ref: Int) -> Int { (1 << Int(bytes[ref + 4] & 7)) >> 1 }

  /// Number of elements of the node at `ref`.
  public func count(of ref: Int) -> Int {
    Int(bytes[ref + 5]) << 16 | Int(bytes[ref + 6]) << 8 | Int(bytes[ref + 7])
  }

  /// Element `index` of the node of packed integers at `ref`, as an unsigned number.
  public func element(_ index: Int, of ref: Int) -> Int {
    let width = width(of: ref)
    guard width >= 8 else {
      return Int(bytes[ref + 8 + index * width / 8]) >> (index * width % 8) & ((1 << width) - 1)
    }
    return number(at: ref + 8 + index * width / 8, count: width / 8)
  }

  /// Sets element `index` of the node of packed integers at `ref`.
  public mutating func setElement(_ index: Int, of ref: Int, to value: Int) {
    let width = width(of: ref)
    let place = ref + 8 + index * width / 8
    guard width >= 8 else {
      let mask = UInt8((1 << width) - 1) << UInt8(index * width % 8)
      bytes[place] = bytes[place] & ~mask | UInt8(value) << UInt8(index * width % 8)
      return
    }
    bytes.replaceSubrange(
      place..<place + width / 8, with: littleEndianBytes(value, count: width / 8))
  }

  /// Sets slot `index` of the node with refs at `ref` to a tagged integer.
  public mutating func setSlot(_ index: Int, of ref: Int, to value: Int) {
    setElement(index, of: ref, to: value << 1 | 1)
  }

  /// Appends a node to the file.
  ///
  /// - Returns: its ref.
  public mutating func append(_ node: [UInt8]) -> Int {
    let ref = bytes.count
    bytes += node
    setSlot(2, of: top, to: bytes.count)
    return ref
  }

  /// Appends a top array with other slots, of 64 bits each.
  ///
  /// - Parameter change: changes the slots as they are stored.
  public mutating func replaceTop(_ change: (inout [Int]) -> Void) {
    let old = top
    var slots = (0..<count(of: old)).map { element($0, of: old) }
    change(&slots)
    let ref = bytes.count
    slots[2] = (ref + 8 + 8 * slots.count) << 1 | 1
    bytes += node(
      flags: 0x47, count: slots.count, slots.flatMap { littleEndianBytes($0, count: 8) })
    let place = bytes[23] & 1 == 0 ? 0 : 8
    bytes.replaceSubrange(place..<place + 8, with: littleEndianBytes(ref, count: 8))
  }

  /// The first position of `wanted`.
  public func find(_ wanted: [UInt8]) -> Int? {
    (0...max(0, bytes.count - wanted.count)).first { bytes[$0...].starts(with: wanted) }
  }
}
