import RealmModel

/// Something that makes a realm larger than it needs to be, and can be changed.
public struct StatsConcern: Equatable, Sendable {
  /// How much it matters.
  public enum Level: Int, Comparable, Sendable {
    case note = 1
    case warning = 2

    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// One case per action that the user can take.
  public enum Kind: Equatable, Sendable {
    /// Compaction makes the file this many bytes smaller.
    case compactable(byteCount: Int)
    /// An app keeps, or kept, an old version open while others were written.
    case olderVersions(byteCount: Int)
    case history(byteCount: Int, isSync: Bool)
    case tombstones(byteCount: Int)
    /// An index that takes more bytes than the values that it finds.
    case index(byteCount: Int, valueByteCount: Int)
    /// Values of several kilobytes that make up much of the file.
    case longValues(byteCount: Int, count: Int)
    /// A string property with few distinct values, which every object repeats.
    case repeatedStrings(distinct: Int, objects: Int, byteCount: Int)
    /// A property that is null in every object.
    case onlyNulls(objects: Int)
  }

  public var kind: Kind
  public var level: Level
  /// Nil if it is about the whole realm.
  public var className: String?
  public var property: String?
}

extension StatsConcern {
  /// The shares of a file that are worth a note or a warning, and the sizes below which nothing is.
  private enum Threshold {
    static let note = 0.1
    static let warning = 0.5
    static let leastByteCount = 65_536
    static let leastObjectCount = 1000
    /// Average size of values that could be files.
    static let longValueByteCount = 4096
    /// The most distinct strings of a property with repeated strings, as a share of its objects.
    static let distinctShare = 0.01
  }

  /// The concerns about a realm, the most serious first; equally serious ones in the order of the report.
  static func find(in report: StatsReport, isSync: Bool) -> [StatsConcern] {
    var concerns: [StatsConcern] = []
    func level(_ byteCount: Int) -> Level? {
      let share = Double(byteCount) / Double(max(1, report.fileByteCount))
      guard byteCount >= Threshold.leastByteCount, share >= Threshold.note else { return nil }
      return share >= Threshold.warning ? .warning : .note
    }
    func add(_ byteCount: Int, _ kind: Kind, _ name: String? = nil, _ property: String? = nil) {
      guard let level = level(byteCount) else { return }
      concerns.append(
        StatsConcern(kind: kind, level: level, className: name, property: property))
    }
    let saved = report.fileByteCount - report.compactedByteCount
    add(saved, .compactable(byteCount: saved))
    let older = report.byteCount(of: .olderVersions)
    add(older, .olderVersions(byteCount: older))
    let history = report.byteCount(of: .history)
    add(history, .history(byteCount: history, isSync: isSync))
    let tombstones = report.byteCount(of: .tombstones)
    add(tombstones, .tombstones(byteCount: tombstones))
    for size in report.classes {
      for property in size.properties {
        concerns += find(in: property, of: size, level)
      }
    }
    return concerns.enumerated()
      .sorted { ($1.element.level, $0.offset) < ($0.element.level, $1.offset) }.map(\.element)
  }

  private static func find(
    in size: StatsReport.PropertySize, of owner: StatsReport.ClassSize,
    _ level: (Int) -> Level?
  ) -> [StatsConcern] {
    var concerns: [StatsConcern] = []
    func add(_ level: Level, _ kind: Kind) {
      concerns.append(
        StatsConcern(
          kind: kind, level: level, className: owner.objectClass.name.text,
          property: size.property.name.text))
    }
    let index = size.byteCount(of: .indexes)
    let values = size.byteCount - index
    if index > values, let level = level(index), !isPrimaryKey(size, of: owner) {
      add(level, .index(byteCount: index, valueByteCount: values))
    }
    if let long = size.parts.first(where: { $0.use == .longValues }),
      long.byteCount / max(1, long.valueCount) >= Threshold.longValueByteCount,
      let level = level(long.byteCount)
    {
      add(level, .longValues(byteCount: long.byteCount, count: long.valueCount))
    }
    guard let count = size.count, count.objects >= Threshold.leastObjectCount else {
      return concerns
    }
    if count.nulls == count.objects {
      add(.note, .onlyNulls(objects: count.objects))
    } else if size.property.type == .string, let distinct = count.distinct, level(values) != nil,
      Double(distinct) <= Threshold.distinctShare * Double(count.objects)
    {
      add(
        .note,
        .repeatedStrings(distinct: distinct, objects: count.objects, byteCount: values))
    }
    return concerns
  }

  /// The index of a primary key cannot be removed.
  private static func isPrimaryKey(
    _ size: StatsReport.PropertySize, of owner: StatsReport.ClassSize
  ) -> Bool {
    owner.objectClass.primaryKey.map { owner.objectClass.properties[$0] === size.property } ?? false
  }
}
