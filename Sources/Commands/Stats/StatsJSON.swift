internal import RealmMaintenance
internal import RealmModel

/// The JSON of `stats`: the names of the members are a contract.
struct StatsSummary: Encodable {
  struct Part: Encodable {
    /// The names of `StatsReport.Use`.
    var use: String
    var bytes: Int
    /// 0 for a use without nodes.
    var nodes: Int

    init(_ part: StatsReport.Part) {
      (use, bytes, nodes) = (part.use.rawValue, part.byteCount, part.nodeCount)
    }
  }

  struct Property: Encodable {
    var name: String
    /// In the notation of `schema show`.
    var type: String
    var bytes: Int
    var parts: [Part]
    /// The following are null if the objects of the class were not read.
    @OrNull var objects: Int?
    @OrNull var nulls: Int?
    /// Elements of collections.
    @OrNull var elements: Int?
    /// Null for collections, links, embedded objects and mixed values.
    @OrNull var distinct: Int?
    /// False if `distinct` is an estimate.
    @OrNull var distinctIsExact: Bool?
    /// Bytes of the values without their administration.
    @OrNull var valueBytes: Int?
  }

  struct Class: Encodable {
    var name: String
    /// `class`, `embedded`, `asymmetric` or `internal`.
    var kind: String
    var objects: Int
    var bytes: Int
    /// What belongs to no single property.
    var parts: [Part]
    var properties: [Property]
  }

  struct Large: Encodable {
    var `class`: String
    @OrNull var property: String?
    /// The primary key as text, or null for a class without one.
    @OrNull var primaryKey: String?
    var objectKey: Int64
    var bytes: Int?
    @OrNull var elements: Int?
  }

  struct Concern: Encodable {
    /// `warning` or `note`.
    var level: String
    @OrNull var `class`: String?
    @OrNull var property: String?
    var message: String
  }

  var path: String
  var size: Int
  var fileFormat: Int
  var encrypted: Bool
  var version: Int
  var parts: [Part]
  var classes: [Class]
  var largestObjects: [Large]
  var largestValues: [Large]
  var largestCollections: [Large]
  var sizeAfterCompact: Int
  var concerns: [Concern]

  init(_ report: StatsReport) {
    (path, size, fileFormat) = (report.path, report.fileByteCount, report.fileFormat)
    (encrypted, version) = (report.isEncrypted, report.version)
    parts = report.parts.map(Part.init)
    classes = report.classes.map { size in
      Class(
        name: size.objectClass.name.text, kind: size.kindName, objects: size.objectCount,
        bytes: size.byteCount, parts: size.parts.map(Part.init),
        properties: size.properties.map(StatsSummary.property))
    }
    func list(_ large: [StatsReport.Large], areElements: Bool) -> [Large] {
      large.map {
        Large(
          class: $0.className, property: $0.property,
          primaryKey: $0.primaryKey == .null ? nil : $0.primaryKey.quoted,
          objectKey: $0.objectKey, bytes: areElements ? nil : $0.size,
          elements: areElements ? $0.size : nil)
      }
    }
    largestObjects = list(report.largestObjects, areElements: false)
    largestValues = list(report.largestValues, areElements: false)
    largestCollections = list(report.largestCollections, areElements: true)
    sizeAfterCompact = report.compactedByteCount
    concerns = report.concerns.map {
      Concern(
        level: $0.level == .warning ? "warning" : "note", class: $0.className,
        property: $0.property, message: $0.sentence)
    }
  }

  private static func property(_ size: StatsReport.PropertySize) -> Property {
    Property(
      name: size.property.name.text, type: size.type, bytes: size.byteCount,
      parts: size.parts.map(Part.init), objects: size.count?.objects, nulls: size.count?.nulls,
      elements: size.property.collection == nil ? nil : size.count?.elements,
      distinct: size.count?.distinct,
      distinctIsExact: size.count?.distinct == nil ? nil : size.count?.isDistinctExact,
      valueBytes: size.count?.valueByteCount)
  }
}
