import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The text of a draft as a patch (docs/patch.md).
enum DraftPatch {
  /// The whole patch.
  ///
  /// - Throws: `damaged` if the schema version of the realm cannot be read.
  static func text(_ state: DraftState, _ view: RealmView) throws(RealmFileError) -> [UInt8] {
    let version = try view.readable.schemaVersion()
    let schema = view.schema
    let head = PatchHead(schemaVersions: (version, version), schema: schema, changes: [])
    let context = RealmJSONValueText.Context(schema: schema, classNames: schema.classes.map(\.name))
    var text = RealmJSONValueText()
    var counts: [Int: PatchInput.Counts] = [:]
    for object in state.sorted {
      text.append(object.line, context)
      switch object.kind {
      case .added: counts[object.classPosition, default: .init()].added += 1
      case .changed: counts[object.classPosition, default: .init()].changed += 1
      case .removed: counts[object.classPosition, default: .init()].removed += 1
      }
    }
    text.append("{\"counts\":{")
    for (i, position) in counts.keys.sorted().enumerated() {
      let count = counts[position] ?? .init()
      if i > 0 { text.append(",") }
      text.append(member: schema.classes[position].name)
      text.append("{\"added\":\(count.added),\"removed\":\(count.removed)")
      text.append(",\"changed\":\(count.changed)}")
    }
    text.append("}}\n")
    return head.line + text.take()
  }

  /// The lines of changes in a whole patch.
  static func changes(in patch: [UInt8]) -> [UInt8] {
    let lines = patch.split(separator: UInt8(ascii: "\n"))
    return Array(lines.dropFirst().dropLast().joined(separator: [UInt8(ascii: "\n")]))
  }
}
