import RealmSalvage
import RealmStorage

/// The text of `salvage` for people.
struct SalvageText {
  /// Losses that are shown one by one.
  private static let lossLimit = 10
  private static let rangeLimit = 8

  private let report: SalvageReport
  private let palette: Palette

  init(_ report: SalvageReport, _ palette: Palette) {
    (self.report, self.palette) = (report, palette)
  }

  /// The versions whose roots were found.
  ///
  /// - Parameter isNewest: whether the chosen version is the newest that can be read.
  func roots(isNewest: Bool) -> String {
    var table = Table([.right, .right, .left, .right, .left])
    table.append(["offset", "version", "found by", "tables", "state"])
    for root in report.roots {
      let hasRoot = root.offset > 0
      table.append([
        hasRoot ? "\(root.offset)" : "-", hasRoot ? "\(root.version)" : "-",
        SalvageText.words(root.origin),
        root.tableCount.map { "\($0)" } ?? "-",
        (root.isWhole
          ? "whole" : Text.count(root.missingCount, "node") + " missing")
          + (root.isChosen ? isNewest ? ", newest readable" : ", requested" : ""),
      ])
    }
    return header + table.text(indent: "  ") { cell, row, _ in row == 0 ? palette.dim(cell) : cell }
  }

  private var header: String {
    let found = report.roots.count { $0.offset > 0 }
    return "\(palette.bold(report.path.printable)): "
      + "\(Text.count(found, "version")) found\n" + problems
  }

  /// What is wrong with the header, and with the end of the file.
  private var problems: String {
    let cutOff = report.cutOffRoot.map {
      "  the file is truncated: its header refers to a root at byte \($0), after the end\n"
    }
    return carriageReturns
      + report.headerProblems.map { "  the file header is damaged: \($0.printable)\n" }.joined()
      + (cutOff ?? "")
  }

  /// What was undone before anything else.
  private var carriageReturns: String {
    guard let undo = report.textUndo else { return "" }
    let removed = Text.count(undo.removed, "carriage return")
    let kept = undo.kept == 0 ? "" : ", and left \(undo.kept) that belong there"
    let undecided =
      undo.undecided == 0
      ? ""
      : "; of \(undo.undecided) in values with both line ends, nothing says which ones belong there"
    return
      "  a program took the realm for text: took out \(removed) before line feeds\(kept)\(undecided)\n"
  }

  private static func words(_ origin: SalvageReport.Root.Origin) -> String {
    switch origin {
    case .header: "header"
    case .otherSlot: "other slot"
    case .footer: "footer"
    case .scan: "scan"
    case .rebuilt: "rebuilt"
    }
  }

  /// What was recovered, in one line.
  var verdict: String {
    let recovered = "recovered \(Text.count(report.objectCount, "object"))"
    guard !report.isComplete else { return "\(recovered); nothing is lost" }
    let lost = report.classes.reduce(0) { $0 + $1.lost }
    let partial = report.classes.reduce(0) { $0 + $1.partial }
    var parts: [String] = []
    if report.isNewestLost { parts.append("the newest version is lost") }
    if report.isNewestUnknown {
      parts.append("the newest version is unknown, so the newest one found was read")
    }
    if !report.correctedBits.isEmpty {
      parts.append("\(Text.count(report.correctedBits.count, "flipped bit")) corrected")
    }
    if report.isRebuilt { parts.append("rebuilt from the newest tables found") }
    if !report.olderTables.isEmpty {
      parts.append(
        Text.count(
          report.olderTables.count, "table read from an older copy of its top node",
          "tables read from older copies of their top nodes")
          + " (\(report.olderTables.joined(separator: ", ").printable))")
    }
    if !report.foundTables.isEmpty {
      parts.append(
        Text.count(report.foundTables.count, "table") + " found without refs"
          + " (\(report.foundTables.joined(separator: ", ").printable))")
    }
    if report.areNamesLost { parts.append("the names of the classes are lost") }
    let unknown = Set(
      report.losses.filter {
        $0.extent == .objects && $0.objectKeys.isEmpty && $0.isMissing
      }
      .compactMap(\.className))
    if lost == 0, !unknown.isEmpty {
      parts.append(
        Text.count(unknown.count, "class has", "classes have")
          + " lost an unknown number of objects")
    }
    if !report.wrongCounts.isEmpty {
      parts.append(
        Text.count(report.wrongCounts.count, "class states", "classes state")
          + " a wrong number of objects")
    }
    if lost > 0 { parts.append(Text.count(lost, "object") + " lost") }
    if partial > 0 {
      parts.append(Text.count(partial, "object lacks values", "objects lack values"))
    }
    let filledValues = report.classes.reduce(0) { $0 + $1.filledValues }
    if filledValues > 0 {
      parts.append(
        Text.count(
          filledValues, "value taken from an older version", "values taken from older versions"))
    }
    let filledObjects = report.classes.reduce(0) { $0 + $1.filledObjects }
    if filledObjects > 0 {
      parts.append(
        Text.count(
          filledObjects, "object taken from an older version", "objects taken from older versions"))
    }
    let doubtful = report.classes.reduce(0) { $0 + $1.doubtfulValues }
    if doubtful > 0 {
      parts.append(Text.count(doubtful, "doubtful value kept", "doubtful values kept"))
    }
    let doubtfulObjects = report.classes.reduce(0) { $0 + $1.doubtfulObjects }
    if doubtfulObjects > 0 {
      parts.append(Text.count(doubtfulObjects, "doubtful object kept", "doubtful objects kept"))
    }
    if report.nulledLinks > 0 {
      parts.append(
        Text.count(
          report.nulledLinks, "link to a lost object is now null",
          "links to lost objects are now null"))
    }
    let classes = report.lostSchema.count { $0.property == nil }
    if classes > 0 { parts.append(Text.count(classes, "class", "classes") + " lost") }
    let properties = report.lostSchema.count - classes
    if properties > 0 {
      parts.append(
        Text.count(properties, "property", "properties") + " lost or without a name")
    }
    if !report.renamed.isEmpty {
      parts.append(Text.count(report.renamed.count, "name") + " replaced")
    }
    if report.contradictionCount > 0 {
      parts.append(
        Text.count(report.contradictionCount, "contradiction")
          + " found, so some values may be wrong")
    }
    if report.cutOffRoot != nil {
      parts.append("the file is truncated at byte \(report.fileByteCount)")
    }
    if parts.isEmpty { parts.append("something is lost") }
    return "\(recovered); " + parts.joined(separator: "; ")
  }

  /// The whole report.
  var text: String {
    let state = report.isComplete ? palette.green(verdict) : palette.yellow(verdict)
    var text = "\(palette.bold(report.path.printable)): \(state)\n"
    text += problems
    if let root = report.roots.first(where: \.isChosen), root.offset > 0 {
      text +=
        "  version \(root.version), root at byte \(root.offset) "
        + "(found by \(SalvageText.words(root.origin)))\n"
    }
    if let format = report.formatAfter {
      text += FormatChange.text(from: report.formatBefore, to: format)
    }
    if report.wasSynced {
      text +=
        "  the realm was synced; the result is local, and only it has the changes not uploaded\n"
    }
    if report.foundObjects > 0 {
      text += "  found \(Text.count(report.foundObjects, "object")) that nothing refers to\n"
    }
    if !report.olderVersions.isEmpty {
      let numbers = report.olderVersions.map { "\($0)" }.joined(separator: ", ")
      text += "  older versions read: \(numbers)\n"
    }
    text += classes
    guard !report.isComplete else { return text }
    for count in report.wrongCounts {
      text +=
        "  wrong: class \(count.className.printable) states "
        + "\(Text.count(count.stated, "object")); "
        + "its nodes have room for \(count.possible)\n"
    }
    for lost in report.lostSchema {
      let name = lost.className + (lost.property.map { ".\($0)" } ?? "")
      text +=
        "  lost: \(lost.property == nil ? "class" : "property") \(name.printable): "
        + "\(lost.why.printable)\n"
    }
    for name in report.renamed {
      text += "  renamed: \(name.old.printable) is now \(name.new.printable)\n"
    }
    return text + ranges + contradictions + losses
  }

  private var contradictions: String {
    var text = ""
    for finding in report.contradictions.prefix(SalvageText.lossLimit) {
      text += "  contradiction: \(finding.place.printable): \(finding.message.printable)\n"
    }
    let more = report.contradictionCount - SalvageText.lossLimit
    if more > 0 { text += "  and \(more) more contradictions; `realm-cli verify` lists them\n" }
    return text
  }

  private var classes: String {
    guard !report.classes.isEmpty else { return "" }
    let isFilled = report.classes.contains { $0.filledValues > 0 || $0.filledObjects > 0 }
    let isDoubtful = report.classes.contains { $0.doubtfulValues > 0 || $0.doubtfulObjects > 0 }
    let hasFreed = report.classes.contains { $0.freedObjects > 0 }
    let more =
      (isFilled ? ["filled values", "filled objects"] : [])
      + (isDoubtful ? ["doubtful values", "doubtful objects"] : []) + (hasFreed ? ["freed"] : [])
    var table = Table([.left] + Array(repeating: .right, count: 4 + more.count))
    table.append(["class", "objects", "complete", "partial", "lost"] + more)
    for row in report.classes {
      table.append(
        [row.name, "\(row.objects)", "\(row.complete)", "\(row.partial)", "\(row.lost)"]
          + (isFilled ? ["\(row.filledValues)", "\(row.filledObjects)"] : [])
          + (isDoubtful ? ["\(row.doubtfulValues)", "\(row.doubtfulObjects)"] : [])
          + (hasFreed ? ["\(row.freedObjects)"] : []))
    }
    return table.text(indent: "  ") { cell, row, _ in row == 0 ? palette.dim(cell) : cell }
  }

  private var ranges: String {
    guard !report.unreadable.isEmpty else { return "" }
    let shown = report.unreadable.prefix(SalvageText.rangeLimit).map {
      "\($0.lowerBound) to \($0.upperBound)"
    }
    let more = report.unreadable.count - shown.count
    return "  not readable: bytes " + shown.joined(separator: ", ")
      + (more > 0 ? " and \(more) more ranges" : "") + "\n"
  }

  private var losses: String {
    var text = ""
    for loss in report.losses.prefix(SalvageText.lossLimit) {
      let name = (loss.className ?? "") + (loss.property.map { ".\($0)" } ?? "")
      let objects =
        switch loss.objectKeys.count {
        case 0: "objects"
        case 1: "object \(loss.objectKeys[0])"
        default:
          "\(loss.objectKeys.count) objects from \(loss.objectKeys[0]) to "
            + "\(loss.objectKeys[loss.objectKeys.count - 1])"
        }
      let filled = loss.filledFrom.map { ", filled from version \($0)" } ?? ""
      text +=
        "  \(loss.isDoubtful ? "doubtful" : "lost"): \(name.printable): \(objects): \(loss.message.printable)"
        + (loss.bytes.lowerBound > 0 ? " (byte \(loss.bytes.lowerBound))" : "") + "\(filled)\n"
    }
    let more = report.losses.count + report.furtherLosses - SalvageText.lossLimit
    if more > 0 { text += "  and \(more) more losses; --report writes all to a file\n" }
    return text
  }
}
