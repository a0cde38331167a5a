import RealmJobs
import RealmStorage

extension ConvertJob.Report {
  var json: JSONObject {
    let conversion: JSONObject = [
      "pendingChanges": pendingChanges, "asymmetricClasses": asymmetricClasses,
      "droppedTables": droppedTables, "keptTables": keptTables,
      "droppedProperties": Self.json(droppedProperties),
      "serverProperties": Self.json(serverProperties), "schemaVersion": schemaVersion,
    ]
    return rewrite.json + conversion + legacy.json
  }

  private static func json(_ properties: [(class: String, property: String)]) -> [JSONObject] {
    properties.map { ["class": $0.class, "property": $0.property] }
  }

  var text: String {
    var text = rewrite.text(done: "converted to a local realm")
    text += "  schema version \(schemaVersion.map(String.init) ?? "not set")\n"
    if !droppedTables.isEmpty {
      text += "  internal tables left out: \(droppedTables.joined(separator: ", "))\n"
    }
    if !droppedProperties.isEmpty {
      let names = droppedProperties.map { "\($0.class).\($0.property)" }
      text += "  properties left out: \(names.joined(separator: ", "))\n"
    }
    return text + (legacy?.text ?? "")
  }

  /// What the user must know to open the result.
  ///
  /// - Parameter path: the realm that was converted.
  func warnings(_ path: String) -> [String] {
    var warnings: [String] = []
    if !wasSynced { warnings.append("\(path): the realm was already local") }
    if let warning = legacy?.warning {
      warnings.append("\(path): \(warning)")
    } else if pendingChanges > 0 {
      warnings.append(
        "\(Text.count(pendingChanges, "changeset")) not uploaded: they are in the result, "
          + "but the server will never get \(pendingChanges == 1 ? "it" : "them")")
    }
    if !asymmetricClasses.isEmpty {
      warnings.append(
        "local realms of the SDKs have no asymmetric classes: "
          + asymmetricClasses.joined(separator: ", "))
    }
    if !keptTables.isEmpty {
      warnings.append(
        "internal tables of sync stay because links connect them with other tables: "
          + keptTables.joined(separator: ", "))
    }
    if !serverProperties.isEmpty {
      let names = Set(serverProperties.map(\.property)).sorted().joined(separator: ", ")
      warnings.append(
        "an app whose classes do not declare \(names) must open the result with a schema version "
          + "above \(schemaVersion.map(String.init) ?? "0"); or use --drop-property")
    }
    return warnings
  }
}

extension ConvertToSyncedJob.Report {
  var json: JSONObject {
    rewrite.json + [
      "objects": objectCount, "changesets": changesetCount, "changesetBytes": changesetByteCount,
      "droppedTables": droppedTables, "primaryKeys": primaryKeys.map(\.json),
      "unownedObjects": unownedObjects,
    ]
  }

  /// What the user must know to open the result.
  var warnings: [String] {
    var warnings: [String] = []
    if !primaryKeys.isEmpty {
      let classes = primaryKeys.map(\.className).joined(separator: ", ")
      warnings.append(
        "the app's classes must follow the new schema: declare _id as the primary key of \(classes)"
      )
    }
    if objectCount > 0 {
      warnings.append(
        "objects on the server with the same _id will be overwritten: all properties, and lists as a "
          + "whole")
    }
    return warnings
  }

  var text: String {
    var text = rewrite.text(done: "converted to a synced realm")
    text += primaryKeys.map { "  \($0.text)\n" }.joined()
    text +=
      "  to be uploaded: \(Text.count(objectCount, "object")) in "
      + "\(Text.count(changesetCount, "changeset")), \(Text.size(changesetByteCount))\n"
    if !droppedTables.isEmpty {
      text += "  internal tables left out: \(droppedTables.joined(separator: ", "))\n"
    }
    if unownedObjects > 0 {
      let count = Text.count(unownedObjects, "embedded object", "embedded objects")
      text += "  left out: \(count) without an owner\n"
    }
    return text
  }
}

extension SyncedKeyChange {
  fileprivate var json: JSONObject {
    switch kind {
    case .added: ["class": className, "change": "added"]
    case .chosen: ["class": className, "change": "chosen"]
    case .renamed(let name): ["class": className, "change": "renamed", "from": name]
    }
  }

  fileprivate var text: String {
    switch kind {
    case .added: "\(className): got the primary key _id of new ObjectIds"
    case .chosen: "\(className): the property _id became the primary key"
    case .renamed(let name): "\(className): the primary key \(name) renamed to _id"
    }
  }
}
