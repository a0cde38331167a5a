import RealmStorage
import RealmVerify

extension VerifyReport {
  /// - Parameter isSound: false with errors, with `--strict` also with warnings.
  func json(isSound: Bool) -> JSONObject {
    let realm: JSONObject = .omittingNulls(["fileFormat": fileFormat, "version": version])
    return realm + [
      "path": path, "sound": isSound, "errors": count(.error), "warnings": count(.warning),
      "notes": count(.note), "objects": objectCount, "nodes": nodeCount, "bytes": byteCount,
      "findings": findings.map(\.json),
      "totals": totals.map {
        ["rule": $0.rule.rawValue, "severity": $0.severity.rawValue, "count": $0.count]
          as JSONObject
      },
      "damage": damage.map(\.json),
    ]
  }

  /// - Parameter withNotes: whether notes are printed one by one.
  func text(withNotes: Bool, _ palette: Palette) -> String {
    var lines = ["\(palette.bold(path.printable)): \(verdict(palette))\(extent)"]
    let printed = findings.filter { withNotes || $0.severity != .note }
    lines += printed.map { "  " + $0.text(palette) }
    for total in totals where withNotes || total.severity != .note {
      let shown = printed.count { $0.rule == total.rule && $0.severity == total.severity }
      guard shown < total.count else { continue }
      lines.append("  \(total.count - shown) more of rule \(total.rule.rawValue)")
    }
    lines += damage.map { "  " + $0.text }
    if let hint { lines.append("  hint: \(hint)") }
    return lines.map { $0 + "\n" }.joined()
  }

  private var hint: String? {
    guard count(.error) > 0 else { return nil }
    if let textChange { return RealmFileError(.changedAsText(textChange)).hint }
    return "recover what is left with `realm-cli salvage`"
  }

  private func verdict(_ palette: Palette) -> String {
    let (errors, warnings, notes) = (count(.error), count(.warning), count(.note))
    var parts: [String] = []
    if errors > 0 { parts.append(palette.red(Text.count(errors, "error"))) }
    if warnings > 0 { parts.append(palette.yellow(Text.count(warnings, "warning"))) }
    if notes > 0 { parts.append(Text.count(notes, "note")) }
    let found = parts.joined(separator: ", ")
    if errors > 0 { return found }
    return palette.green("no errors") + (found.isEmpty ? "" : " (\(found))")
  }

  /// What was checked; empty for a realm that cannot be opened.
  private var extent: String {
    guard fileFormat != nil else { return "" }
    return "; \(Text.count(objectCount, "object")), \(Text.count(nodeCount, "node")), "
      + "\(Text.size(byteCount)) checked"
  }
}

extension Finding {
  var json: JSONObject {
    .omittingNulls([
      "rule": rule.rawValue, "severity": severity.rawValue, "offset": offset, "class": className,
      "property": property, "objectKey": objectKey, "message": message,
    ])
  }

  /// `byte 4096, class Person.name, object 3`.
  var place: String {
    var place = "byte \(offset)"
    if let className { place += ", class \(className)" + (property.map { ".\($0)" } ?? "") }
    if let objectKey { place += ", object \(objectKey)" }
    return place
  }

  fileprivate func text(_ palette: Palette) -> String {
    let severity =
      switch severity {
      case .error: palette.red("error")
      case .warning: palette.yellow("warning")
      case .note: palette.dim("note")
      }
    return "\(severity) \(rule.rawValue): \(place.printable): \(message.printable)"
  }
}

extension VerifyReport.ClassDamage {
  /// Without numbers if none of the objects can be read.
  fileprivate var json: JSONObject {
    .omittingNulls([
      "class": name, "unreadableObjects": unreadableObjects, "objects": objectCount,
    ])
  }

  fileprivate var text: String {
    guard let unreadableObjects, let objectCount else {
      return "class \(name.printable): no objects readable"
    }
    return "class \(name.printable): \(unreadableObjects) of "
      + "\(Text.count(objectCount, "object")) unreadable"
  }
}
