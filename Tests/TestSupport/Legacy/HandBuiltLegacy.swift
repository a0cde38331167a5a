/// A realm of formats 2 to 9 in streaming form, node by node (chapter 5).
package struct HandBuiltLegacy {
  private var body: [UInt8] = []

  package init() {}

  /// Appends a node.
  ///
  /// - Returns: its ref.
  package mutating func put(flags: UInt8, count: Int, _ payload: [UInt8] = []) -> Int {
    defer { body += node(flags: flags, count: count, payload) }
    return 24 + body.count
  }

  private func words(_ values: [Int]) -> [UInt8] {
    values.flatMap { littleEndianBytes($0, count: 8) }
  }

  package mutating func ints(_ values: [Int]) -> Int {
    put(flags: 0x07, count: values.count, words(values))
  }

  /// - Parameter flags: 0x47; with the flags of context (0x20) or of an inner node (0x80).
  package mutating func refs(_ values: [Int], flags: UInt8 = 0x47) -> Int {
    put(flags: flags, count: values.count, words(values))
  }

  package mutating func bytes(_ values: [UInt8]) -> Int {
    put(flags: 0x11, count: values.count, values)
  }

  /// Strings of up to 63 bytes; nil for the null marker.
  package mutating func strings(_ values: [String?]) -> Int {
    let isLong = values.contains { ($0?.utf8.count ?? 0) > 15 }
    let width = isLong ? 64 : 16
    return put(
      flags: isLong ? 0x0F : 0x0D, count: values.count,
      values.flatMap { value -> [UInt8] in
        guard let value else { return Array(repeating: 0, count: width - 1) + [UInt8(width)] }
        let zeros = width - 1 - value.utf8.count
        return Array(value.utf8) + Array(repeating: 0, count: zeros) + [UInt8(zeros)]
      })
  }

  /// A column of a table: its type, name, attributes, its elements in the array of sub-specs, and its root;
  /// then the root of the index, if it has one.
  package struct Column {
    package var type: Int
    package var name: String?
    package var attributes: Int
    package var subspecs: [Int]
    package var enumeration: Int?
    package var roots: [Int]

    package init(
      type: Int, name: String? = nil, attributes: Int = 0, subspecs: [Int] = [],
      enumeration: Int? = nil, roots: [Int]
    ) {
      (self.type, self.name, self.attributes) = (type, name, attributes)
      (self.subspecs, self.enumeration, self.roots) = (subspecs, enumeration, roots)
    }
  }

  /// A spec.
  package mutating func spec(_ columns: [Column]) -> Int {
    let types = ints(columns.map(\.type))
    let names = strings(columns.compactMap(\.name))
    let attributes = ints(columns.map(\.attributes))
    let subspecs = columns.flatMap(\.subspecs)
    let enumerations = columns.compactMap(\.enumeration)
    var slots = [types, names, attributes]
    if !subspecs.isEmpty || !enumerations.isEmpty {
      slots.append(subspecs.isEmpty ? 0 : refs(subspecs))
    }
    if !enumerations.isEmpty { slots.append(refs(enumerations)) }
    return refs(slots)
  }

  /// The top array of a table.
  package mutating func table(_ columns: [Column]) -> Int {
    let spec = spec(columns)
    let roots = refs(columns.flatMap(\.roots))
    return refs([spec, roots])
  }

  /// The bytes of the file.
  ///
  /// - Parameter history: the root of the history, or 0, for nine slots; nil for the three of a streamed copy.
  package func file(
    _ tables: [(name: String, ref: Int)], format: UInt8 = 9, history: Int? = nil
  ) -> [UInt8] {
    var file = self
    let names = file.strings(tables.map(\.name))
    let entries = file.refs(tables.map(\.ref))
    var rest: [Int] = []
    if let history {
      let free = (0..<3).map { _ in file.ints([]) }
      rest = free + [Self.tagged(2), Self.tagged(history == 0 ? 0 : 2), history]
    }
    let size = 24 + file.body.count + 8 + 8 * (3 + rest.count)
    let top = file.refs([names, entries, size << 1 | 1] + rest)
    return Array(repeating: 0xFF, count: 8) + Array(repeating: 0, count: 8) + Array("T-DB".utf8)
      + [format, 0, 0, 0] + file.body + littleEndianBytes(top, count: 8)
      + littleEndianBytes(0x3034_1252_37E5_26C8, count: 8)
  }

  /// A realm whose class `A` has the primary keys x, y and x in `id`.
  package static func duplicates() -> [UInt8] {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 2, name: "id", roots: [file.strings(["x", "y", "x"])])
    ])
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings(["A"])]),
      Column(type: 2, name: "pk_property", roots: [file.strings(["id"])]),
    ])
    return file.file([("class_A", table), ("pk", keys)])
  }

  /// A realm whose class `A` has the primary keys x, y and x in `id`, and links from the first object to the third and from
  /// the second to the first in `to`.
  package static func linkedDuplicates() -> [UInt8] {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 2, name: "id", roots: [file.strings(["x", "y", "x"])]),
      Column(type: 12, name: "to", subspecs: [tagged(0)], roots: [file.ints([3, 1, 0])]),
    ])
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings(["A"])]),
      Column(type: 2, name: "pk_property", roots: [file.strings(["id"])]),
    ])
    return file.file([("class_A", table), ("pk", keys)])
  }

  /// A realm as an app of 2016 wrote it, of format 3 and schema version 2: two companies, and three contacts
  /// with a primary key, a null, dates and links.
  package static func contacts() -> [UInt8] {
    var file = HandBuiltLegacy()
    let company = file.table([
      Column(type: 2, name: "name", roots: [file.strings(["Green Dragon", "Prancing Pony"])]),
      Column(
        type: 14, subspecs: [tagged(1), tagged(4)], roots: [file.refs([tagged(2), tagged(0)])]),
    ])
    let contact = file.table([
      Column(type: 2, name: "id", roots: [file.strings(["c-1", "c-2", "c-3"])]),
      Column(type: 2, name: "name", roots: [file.strings(["Barliman", "Rosie", "Nob"])]),
      Column(
        type: 2, name: "phone", attributes: 16,
        roots: [file.strings(["555-0100", nil, "555-0199"])]
      ),
      Column(type: 7, name: "born", roots: [file.ints([315_532_800, 441_763_200, 631_152_000])]),
      Column(type: 12, name: "company", subspecs: [tagged(0)], roots: [file.ints([2, 0, 1])]),
    ])
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings(["Contact"])]),
      Column(type: 2, name: "pk_property", roots: [file.strings(["id"])]),
    ])
    let version = file.table([Column(type: 0, name: "version", roots: [file.ints([2])])])
    return file.file(
      [
        ("class_Company", company), ("class_Contact", contact), ("pk", keys), ("metadata", version),
      ],
      format: 3)
  }

  /// A number in an array of refs.
  package static func tagged(_ value: Int) -> Int { value << 1 | 1 }
}
