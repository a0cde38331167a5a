/// What differs between the file formats: one row of facts for each format that can be read. Readers, `verify`, builders and
/// edits ask it; nobody else compares numbers of formats.
///
/// The sources are chapter 1, section 2.3 (top array and history), chapter 2, section 8 (nodes and values), chapter 3,
/// sections 4.2, 4.3, 5.10 and 10 (keys, indexes, tables), and chapter 5 for formats 2 to 9.
public struct FileFormat: Equatable, Sendable {
  /// What a format can hold, beyond what all formats from 10 on can.
  package struct Contents: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Decimals, object ids, embedded classes (chapter 2, section 8.1).
    package static let decimals = Contents(rawValue: 1)
    package static let objectIds = Contents(rawValue: 1 << 1)
    package static let embeddedClasses = Contents(rawValue: 1 << 2)
    package static let uuids = Contents(rawValue: 1 << 3)
    package static let mixed = Contents(rawValue: 1 << 4)
    package static let sets = Contents(rawValue: 1 << 5)
    package static let dictionaries = Contents(rawValue: 1 << 6)
    /// Asymmetric classes, which the last libraries of format 22 introduced.
    package static let asymmetricClasses = Contents(rawValue: 1 << 7)
    /// Full-text indexes, and indexes of lists of strings (chapter 3, section 5.10).
    package static let fulltextIndexes = Contents(rawValue: 1 << 8)
    package static let listIndexes = Contents(rawValue: 1 << 9)
    /// Lists and dictionaries in mixed values.
    package static let nestedCollections = Contents(rawValue: 1 << 10)
  }

  /// How a dictionary is stored (chapter 2, sections 6.4 and 8.3).
  package enum DictionaryForm: Sendable {
    /// A cluster tree, whose object keys are hashes of the dictionary's keys.
    case hashedClusters
    /// A B+tree of keys and a B+tree of values.
    case trees
  }

  /// How strings and binaries are compared, where the order is part of the format: in sets, among the keys of dictionaries
  /// and in long lists of indexes.
  package enum ByteOrder: Sendable {
    /// As the type `char` of the platform that wrote the file, signed or unsigned (section 8.1).
    case characters
    /// As unsigned bytes.
    case bytes
  }

  /// The order of strings and binaries in a set of mixed values (section 8.3).
  package enum MixedStringOrder: Sendable {
    /// Strings by collation, binaries by bytes, and both among each other by bytes. That is not a consistent order.
    case collatedAmongBinaries
    /// Strings by collation, then binaries by bytes.
    case collated
    /// Strings by bytes, then binaries by bytes.
    case bytes
  }

  /// The list of links to an object, if there are several (chapter 2, section 3.15).
  package enum BacklinkForm: Sendable {
    case array
    case tree
  }

  /// The object keys of a class with a primary key (chapter 3, section 4.2).
  package enum PrimaryKeyForm: Sendable {
    /// Formats 10 and 11: hashes for strings, numbers for integers.
    case hashedStrings
    /// Hashes of the primary keys, by which objects are found.
    case hashed
    /// Numbers in the order of creation; an index finds the objects.
    case numbered
  }

  /// A number in one byte: readers copy the row for each leaf, so it is small.
  @propertyWrapper
  package struct Byte: Equatable, Sendable {
    private var byte: UInt8

    package init(wrappedValue: Int) { byte = UInt8(wrappedValue) }

    package var wrappedValue: Int {
      get { Int(byte) }
      set { byte = UInt8(newValue) }
    }
  }

  /// The number in the header; 0 for a realm without any commit.
  public var number: Int { storedNumber }
  @Byte private var storedNumber: Int
  package private(set) var contents: Contents = []
  /// Whether decimals can have 0, 4 or 8 bytes; they have 16 otherwise (chapter 2, section 3.11).
  package private(set) var hasShortDecimals = false
  /// Number of slots of a leaf of mixed values (section 3.14).
  @Byte package private(set) var mixedSlotCount = 4
  package private(set) var dictionaries = DictionaryForm.hashedClusters
  package private(set) var byteOrder = ByteOrder.characters
  package private(set) var mixedStringOrder = MixedStringOrder.collatedAmongBinaries
  package private(set) var backlinks = BacklinkForm.array
  package private(set) var primaryKeys = PrimaryKeyForm.hashedStrings
  /// The type code of a list of links in column keys (chapter 3, section 4.1).
  @Byte package private(set) var linkListCode = 13
  /// Number of slots of the top array of a realm with a history.
  @Byte package private(set) var topSlotCount = 11
  /// Number of slots of the top array of a realm without a history.
  @Byte package private(set) var topSlotCountWithoutHistory = 11
  /// The schema version of the history of a local realm.
  @Byte package private(set) var localHistorySchemaVersion = 0
  /// The newest schema version of the history of a sync client that libraries of the format know; 0 for none.
  @Byte package private(set) var clientHistorySchemaVersion = 0
  /// Whether objects of asymmetric classes survive an upgrade by the reference, which takes older ones for remains
  /// (chapter 3, section 10.2).
  package private(set) var keepsAsymmetricObjects = true
  /// Whether the keys in a list of an index of words ascend. Libraries before searched for their places by whole texts, so that
  /// they have any order (chapter 3, section 5.7).
  package private(set) var hasSortedWordLists = false
  /// Whether new realms of the format are written: formats 20, 22, 23 and 24.
  package private(set) var isBuilt = false

  private init(number: Int) { _storedNumber = Byte(wrappedValue: number) }

  /// Whether a table is columns ordered by row number instead of clusters of objects, as in formats 2 to 9.
  package var isLegacy: Bool { FileFormat.legacyNumbers.contains(number) }

  /// Whether every primary key has a search index.
  package var hasPrimaryKeyIndexes: Bool { primaryKeys == .numbered }
}

extension FileFormat {
  /// The file formats of 2014 to 2020 (chapter 5).
  package static let legacyNumbers = 2...9

  /// The facts about a file format.
  ///
  /// - Returns: nil for a format that cannot be read. A realm without any commit, of format 0, is as the current format.
  package init?(_ number: Int) {
    guard let row = FileFormat.rows[number] else { return nil }
    self = row
  }

  /// The format that current libraries write.
  package static let current: FileFormat = all[all.count - 1]

  /// All formats that can be read, in ascending order.
  package static let all: [FileFormat] = legacy + clustered

  /// The formats that new realms can have, in ascending order.
  package static let built: [FileFormat] = all.filter(\.isBuilt)

  /// The same facts for a realm without any commit.
  package static let none = FileFormat(number: 0, after: current) { _ in }

  private static let rows: [Int: FileFormat] = {
    var rows = [0: none]
    for row in all { rows[row.number] = row }
    return rows
  }()

  /// Formats 2 to 9: only their top arrays are written, by copies (chapter 5, section 4).
  private static let legacy: [FileFormat] = legacyNumbers.map { number in
    var row = FileFormat(number: number)
    switch number {
    case ...5: (row.topSlotCount, row.topSlotCountWithoutHistory) = (9, 7)
    case 6: (row.topSlotCount, row.topSlotCountWithoutHistory) = (9, 9)
    default: (row.topSlotCount, row.topSlotCountWithoutHistory) = (10, 10)
    }
    return row
  }

  /// Formats 10 to 24, each as what it changed in the one before.
  private static let clustered: [FileFormat] = {
    let row10 = FileFormat(number: 10)
    let row11 = FileFormat(number: 11, after: row10) { _ in }
    let row20 = FileFormat(number: 20, after: row11) { row in
      row.contents = [.decimals, .objectIds, .embeddedClasses]
      row.primaryKeys = .hashed
      row.clientHistorySchemaVersion = 11
      row.isBuilt = true
    }
    // Only beta releases wrote it.
    let row21 = FileFormat(number: 21, after: row20) { row in
      row.contents.formUnion([.uuids, .mixed, .sets, .dictionaries])
      row.isBuilt = false
    }
    let row22 = FileFormat(number: 22, after: row21) { row in
      row.contents.insert(.asymmetricClasses)
      row.primaryKeys = .numbered
      row.clientHistorySchemaVersion = 12
      row.keepsAsymmetricObjects = false
      row.isBuilt = true
    }
    let row23 = FileFormat(number: 23, after: row22) { row in
      row.contents.insert(.fulltextIndexes)
      row.dictionaries = .trees
      row.mixedStringOrder = .collated
      row.keepsAsymmetricObjects = true
    }
    let row24 = FileFormat(number: 24, after: row23) { row in
      row.contents.formUnion([.listIndexes, .nestedCollections])
      row.hasShortDecimals = true
      row.mixedSlotCount = 6
      (row.byteOrder, row.mixedStringOrder) = (.bytes, .bytes)
      row.backlinks = .tree
      row.hasSortedWordLists = true
      row.linkListCode = 12
      row.localHistorySchemaVersion = 1
    }
    return [row10, row11, row20, row21, row22, row23, row24]
  }()

  private init(number: Int, after previous: FileFormat, _ change: (inout FileFormat) -> Void) {
    self = previous
    storedNumber = number
    change(&self)
  }
}
