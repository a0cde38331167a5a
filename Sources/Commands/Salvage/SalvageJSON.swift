import RealmSalvage
import RealmStorage

extension SalvageReport {
  /// Which losses are reported one by one.
  enum ListedLosses {
    /// None, if the versions were only listed.
    case none
    case first, all
  }

  /// Number of losses in the report on standard output.
  private static let firstLossCount = 100

  func json(losses listed: ListedLosses) -> JSONObject {
    let lossCount =
      switch listed {
      case .none: 0
      case .first: SalvageReport.firstLossCount
      case .all: losses.count
      }
    let file: JSONObject = .omittingNulls([
      "path": path, "output": output, "complete": listed == .none ? nil : isComplete,
      "encrypted": isEncrypted, "sizeBefore": fileByteCount, "sizeAfter": byteCount,
      "carriageReturns": textUndo.map {
        ["removed": $0.removed, "kept": $0.kept, "undecided": $0.undecided] as JSONObject
      }, "headerProblems": headerProblems, "cutOffRoot": cutOffRoot,
      "correctedBits": correctedBits.map { ["offset": $0.offset, "bit": $0.bit] },
    ])
    let formats: JSONObject =
      listed == .none
      ? [:]
      : [
        "formatBefore": formatBefore, "formatAfter": formatAfter,
        "opensWith": formatAfter.flatMap { FormatChange.json(from: formatBefore, to: $0) },
      ]
    let versions: JSONObject = [
      "newestLost": isNewestLost, "newestUnknown": isNewestUnknown, "rebuilt": isRebuilt,
      "olderTables": olderTables, "foundTables": foundTables, "namesLost": areNamesLost,
      "roots": roots.map(\.json),
      "olderVersions": olderVersions,
    ]
    return file + formats + versions + [
      "classes": classes.map(\.json), "wrongCounts": wrongCounts.map(\.json),
      "lostSchema": lostSchema.map(\.json),
      "renamed": renamed.map { ["from": $0.old, "to": $0.new] }, "nulledLinks": nulledLinks,
      "objectsWithoutRoot": foundObjects, "wasSynced": wasSynced,
      "unreadable": unreadable.map(SalvageReport.json),
      "contradictionCount": contradictionCount, "contradictions": contradictions.map(\.json),
      "lossCount": losses.count + furtherLosses,
      "losses": losses.prefix(lossCount).map(\.json),
    ]
  }

  fileprivate static func json(_ bytes: Range<Int>) -> [String: Int] {
    ["from": bytes.lowerBound, "to": bytes.upperBound]
  }
}

extension SalvageReport.Root {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "offset": offset, "version": version, "foundBy": origin.rawValue, "fileFormat": fileFormat,
      "logicalSize": logicalByteCount, "nodes": nodeCount, "missingNodes": missingCount,
      "tables": tableCount, "whole": isWhole, "chosen": isChosen,
    ])
  }
}

extension SalvageReport.Class {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "name": name, "objects": objects, "complete": complete, "partial": partial, "lost": lost,
      "lostValues": lostValues, "filled": filledValues, "filledObjects": filledObjects,
      "doubtful": doubtfulValues, "doubtfulObjects": doubtfulObjects,
      "freed": freedObjects, "lostKeysOf": lostKeysOf, "freedOf": freedOf,
    ])
  }
}

extension SalvageReport.WrongCount {
  fileprivate var json: JSONObject {
    ["class": className, "stated": stated, "possible": possible]
  }
}

extension SalvageReport.LostSchema {
  fileprivate var json: JSONObject {
    .omittingNulls(["class": className, "property": property, "offset": offset, "message": why])
  }
}

extension SalvageReport.Loss {
  fileprivate var json: JSONObject {
    .omittingNulls([
      "extent": extent.rawValue, "class": className, "property": property,
      "objectKeys": objectKeys, "rule": rule.rawValue, "bytes": SalvageReport.json(bytes),
      "message": message, "filledFrom": filledFrom,
      "doubtful": isDoubtful ? true : nil,
    ])
  }
}
