internal import RealmMaintenance
internal import RealmStorage

/// The report of `salvage`, as JSON; its names are a contract.
struct SalvageSummary: Encodable {
  /// Which losses are told one by one.
  enum Losses {
    case none, first, all
  }

  private struct Root: Encodable {
    var offset: Int
    var version: Int
    var foundBy: String
    var fileFormat: Int
    var logicalSize: Int
    var nodes: Int
    var missingNodes: Int
    var tables: Int?
    var whole: Bool
    var chosen: Bool
  }

  private struct Class: Encodable {
    var name: String
    var objects: Int
    var complete: Int
    var partial: Int
    var lost: Int
    var lostValues: Int
    var filled: Int
    var filledObjects: Int
    var freed: Int
    var lostKeysOf: String?
    var freedOf: String?
  }

  private struct Bytes: Encodable {
    var from: Int
    var to: Int

    init(_ range: Range<Int>) { (from, to) = (range.lowerBound, range.upperBound) }
  }

  private struct LostSchema: Encodable {
    var className: String
    var property: String?
    var offset: Int?
    var message: String

    private enum CodingKeys: String, CodingKey {
      case className = "class"
      case property, offset, message
    }
  }

  private struct Loss: Encodable {
    var extent: String
    var className: String?
    var property: String?
    var objectKeys: [Int64]
    var rule: String
    var bytes: Bytes
    var message: String
    var filledFrom: Int?

    private enum CodingKeys: String, CodingKey {
      case className = "class"
      case extent, property, objectKeys, rule, bytes, message, filledFrom
    }
  }

  private struct Bit: Encodable {
    var offset: Int
    var bit: Int
  }

  private struct WrongCount: Encodable {
    var className: String
    var stated: Int
    var possible: Int

    private enum CodingKeys: String, CodingKey {
      case className = "class"
      case stated, possible
    }
  }

  private struct Renamed: Encodable {
    var from: String
    var to: String
  }

  /// Losses that the report on standard output has.
  private static let firstCount = 100

  private var path: String
  private var output: String?
  /// Nil if the versions were only listed.
  private var complete: Bool?
  private var encrypted: Bool
  private var sizeBefore: Int
  private var sizeAfter: Int
  private var headerProblems: [String]
  /// Byte offset of the root that the header names, if the file was cut off before it.
  private var cutOffRoot: Int?
  private var correctedBits: [Bit]
  private var newestLost: Bool
  private var newestUnknown: Bool
  private var rebuilt: Bool
  private var olderTables: [String]
  private var namesLost: Bool
  private var roots: [Root]
  private var olderVersions: [Int]
  private var classes: [Class]
  private var wrongCounts: [WrongCount]
  private var lostSchema: [LostSchema]
  private var renamed: [Renamed]
  private var nulledLinks: Int
  private var objectsWithoutRoot: Int
  private var wasSynced: Bool
  private var unreadable: [Bytes]
  private var lossCount: Int
  private var losses: [Loss]

  init(_ report: SalvageReport, losses told: Losses) {
    (path, output) = (report.path, report.output)
    complete = told == .none ? nil : report.isComplete
    (encrypted, sizeBefore) = (report.isEncrypted, report.fileByteCount)
    (sizeAfter, headerProblems) = (report.byteCount, report.headerProblems)
    cutOffRoot = report.cutOffRoot
    correctedBits = report.correctedBits.map { Bit(offset: $0.offset, bit: $0.bit) }
    (newestLost, newestUnknown) = (report.isNewestLost, report.isNewestUnknown)
    namesLost = report.areNamesLost
    (rebuilt, olderTables) = (report.isRebuilt, report.olderTables)
    roots = report.roots.map {
      Root(
        offset: $0.offset, version: $0.version, foundBy: $0.origin.rawValue,
        fileFormat: $0.fileFormat, logicalSize: $0.logicalByteCount, nodes: $0.nodeCount,
        missingNodes: $0.missingCount, tables: $0.tableCount, whole: $0.isWhole,
        chosen: $0.isChosen)
    }
    olderVersions = report.olderVersions
    classes = report.classes.map {
      Class(
        name: $0.name, objects: $0.objects, complete: $0.complete, partial: $0.partial,
        lost: $0.lost, lostValues: $0.lostValues, filled: $0.filledValues,
        filledObjects: $0.filledObjects, freed: $0.freedObjects, lostKeysOf: $0.lostKeysOf,
        freedOf: $0.freedOf)
    }
    wrongCounts = report.wrongCounts.map {
      WrongCount(className: $0.className, stated: $0.stated, possible: $0.possible)
    }
    lostSchema = report.lostSchema.map {
      LostSchema(
        className: $0.className, property: $0.property, offset: $0.offset, message: $0.why)
    }
    renamed = report.renamed.map { Renamed(from: $0.old, to: $0.new) }
    (nulledLinks, objectsWithoutRoot) = (report.nulledLinks, report.foundObjects)
    wasSynced = report.wasSynced
    unreadable = report.unreadable.map(Bytes.init)
    lossCount = report.losses.count + report.furtherLosses
    let count =
      switch told {
      case .none: 0
      case .first: SalvageSummary.firstCount
      case .all: report.losses.count
      }
    losses = report.losses.prefix(count).map {
      Loss(
        extent: $0.extent.rawValue, className: $0.className, property: $0.property,
        objectKeys: $0.objectKeys, rule: $0.rule.rawValue, bytes: Bytes($0.bytes),
        message: $0.message, filledFrom: $0.filledFrom)
    }
  }
}
