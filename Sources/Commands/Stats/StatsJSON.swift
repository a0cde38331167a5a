import RealmBuilding
import RealmJobs
import RealmModel

extension StatsReport {
  var json: JSONObject {
    [
      "path": path, "size": fileByteCount, "fileFormat": fileFormat, "encrypted": isEncrypted,
      "version": version, "parts": parts.map(\.json), "classes": classes.map(\.json),
      "largestObjects": largestObjects.map { $0.json(areElements: false) },
      "largestValues": largestValues.map { $0.json(areElements: false) },
      "largestCollections": largestCollections.map { $0.json(areElements: true) },
      "sizeAfterCompact": compactedByteCount, "concerns": concerns.map(\.json),
    ]
  }
}

extension StatsReport.Part {
  fileprivate var json: JSONObject {
    ["use": use.rawValue, "bytes": byteCount, "nodes": nodeCount]
  }
}

extension StatsReport.ClassSize {
  fileprivate var json: JSONObject {
    [
      "name": objectClass.name.text, "kind": kindName, "objects": objectCount,
      "bytes": byteCount, "parts": parts.map(\.json), "properties": properties.map(\.json),
    ]
  }

  /// The kind of the class for scripts.
  var kindName: String { objectClass.isInternal ? "internal" : objectClass.kind.name }
}

extension StatsReport.PropertySize {
  fileprivate var json: JSONObject {
    [
      "name": property.name.text, "type": type, "bytes": byteCount, "parts": parts.map(\.json),
      "objects": count?.objects, "nulls": count?.nulls,
      "elements": property.collection == nil ? nil : count?.elements,
      "distinct": count?.distinct,
      "distinctIsExact": count?.distinct == nil ? nil : count?.isDistinctExact,
      "valueBytes": count?.valueByteCount,
    ]
  }
}

extension StatsReport.Large {
  fileprivate func json(areElements: Bool) -> JSONObject {
    let object: JSONObject = [
      "class": className, "property": property,
      "primaryKey": primaryKey == .null ? nil : primaryKey.quoted, "objectKey": objectKey,
      "elements": areElements ? size : nil,
    ]
    return areElements ? object : object + ["bytes": size]
  }
}

extension StatsConcern {
  fileprivate var json: JSONObject {
    [
      "level": level == .warning ? "warning" : "note", "class": className, "property": property,
      "message": sentence,
    ]
  }
}
